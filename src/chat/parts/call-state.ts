import { isLeftOpen } from '../../conversation/index.ts'
import type { ConversationSnapshot, ShownCall } from '../../index.ts'
import type { Words } from '../words/words.ts'

export interface CallState {
  /** How it is drawn. */
  readonly kind: 'working' | 'waiting' | 'done' | 'problem'
  readonly word: keyof Words['states']
}

/** How a call stands, for people. */
export function stateOf({ status, input, error }: ShownCall): CallState {
  switch (status) {
    case 'proposed':
      return input === undefined && !error
        ? { kind: 'working', word: 'writing' }
        : { kind: 'working', word: 'running' }
    case 'approved':
    case 'executing':
    case 'suspended':
      return { kind: 'working', word: 'running' }
    case 'awaiting-approval':
    case 'awaiting-answer':
    case 'awaiting-output':
    case 'awaiting-decision':
      return { kind: 'waiting', word: 'waiting' }
    case 'succeeded':
      return { kind: 'done', word: 'done' }
    case 'denied':
      return { kind: 'problem', word: 'denied' }
    case 'failed':
      return { kind: 'problem', word: 'failed' }
    case 'aborted':
      return { kind: 'problem', word: 'stopped' }
    case 'interrupted':
      return { kind: 'problem', word: 'interrupted' }
    case 'invalid':
      return { kind: 'problem', word: 'refused' }
  }
}

/** Whether the page has let go of what was open: its agent is disposed, so that nothing goes on or can be answered here. */
export function isLetGo({ ended }: Pick<ConversationSnapshot, 'ended'>): boolean {
  return ended !== undefined && isLeftOpen(ended)
}

/** How a call stands on this page. */
export function stateIn(snapshot: Pick<ConversationSnapshot, 'ended'>, call: ShownCall): CallState {
  const state = stateOf(call)
  const isOpen = state.kind === 'waiting' || state.kind === 'working'
  return isOpen && isLetGo(snapshot) ? { kind: 'problem', word: 'leftOpen' } : state
}
