import type { TemplateResult } from 'lit'
import type { PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { interruptedView } from './interrupted.ts'
import { questionView } from './question.ts'

/** Shared with other forms, which load them from this file. */
export { contentOf } from '../parts/form-content.ts'
export { fieldView } from './field.ts'

/** Shows the agent's question, or asks what became of an interrupted call. */
export function askView(context: ChatContext, call: PendingCall): TemplateResult {
  return call.kind === 'answer' ? questionView(context, call) : interruptedView(context, call)
}
