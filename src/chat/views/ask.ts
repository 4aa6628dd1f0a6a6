import type { TemplateResult } from 'lit'
import type { PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { interruptedView } from './interrupted.ts'
import { questionView } from './question.ts'

/** For other forms: shared by one file. */
export { contentOf } from '../parts/form-content.ts'
export { fieldView } from './field.ts'

/** A question of the agent's, or what became of a call that was cut off. */
export function askView(context: ChatContext, call: PendingCall): TemplateResult {
  return call.kind === 'answer' ? questionView(context, call) : interruptedView(context, call)
}
