import { nothing, type TemplateResult } from 'lit'
import type { PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { approvalView } from './approval.ts'
import { loadedView } from './loaded-view.ts'

/** Loads the cards of questions and of interrupted calls. */
const askView = loadedView<[PendingCall]>({ name: 'asks', box: 'question' }, async () => {
  const { askView } = await import('./ask.ts')
  return askView
})

/** Shows the controls that a call waits for. */
export function waitingView(
  context: ChatContext,
  call: PendingCall,
): TemplateResult | typeof nothing {
  switch (call.kind) {
    case 'approval':
      return approvalView(context, call)
    case 'answer':
    case 'decision':
      return askView(context, call)
    case 'output':
    case 'settlement':
      return nothing
  }
}
