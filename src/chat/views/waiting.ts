import { nothing, type TemplateResult } from 'lit'
import type { PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { approvalView } from './approval.ts'
import { interruptedView } from './interrupted.ts'
import { questionView } from './question.ts'

/** What a call waits for from a person. */
export function waitingView(
  context: ChatContext,
  call: PendingCall,
): TemplateResult | typeof nothing {
  switch (call.kind) {
    case 'approval':
      return approvalView(context, call)
    case 'answer':
      return questionView(context, call)
    case 'decision':
      return interruptedView(context, call)
    case 'output':
    case 'settlement':
      return nothing
  }
}
