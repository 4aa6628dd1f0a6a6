import { isLeftOpen } from '../../conversation/index.ts'
import type { ConversationSnapshot, ShownCall } from '../../index.ts'
import type { Words } from '../words/words.ts'

export interface CallState {
  /** How it is drawn. */
  readonly kind: 'working' | 'waiting' | 'done' | 'problem'
  readonly word: keyof Words['states']
}

export interface CallRow extends CallState {
  /** When it is announced, if at all: most ends are in the answer. `later`: once it has lasted for a while. */
  readonly announced?: 'at-once' | 'later'
}

/** A call that runs for this long is announced. Milliseconds. */
export const LONG_MS = 3000

const RUNNING: CallRow = { kind: 'working', word: 'running' }
const WAITING: CallRow = { kind: 'waiting', word: 'waiting' }

/** The words for a call in each status. A call that waits has its buttons on its card. */
export const CALL_STATES: Readonly<Record<ShownCall['status'], CallRow>> = {
  proposed: RUNNING,
  approved: RUNNING,
  executing: { ...RUNNING, announced: 'later' },
  suspended: RUNNING,
  'awaiting-approval': WAITING,
  'awaiting-answer': WAITING,
  'awaiting-output': WAITING,
  'awaiting-decision': WAITING,
  succeeded: { kind: 'done', word: 'done' },
  denied: { kind: 'problem', word: 'denied', announced: 'at-once' },
  failed: { kind: 'problem', word: 'failed', announced: 'at-once' },
  aborted: { kind: 'problem', word: 'stopped' },
  interrupted: { kind: 'problem', word: 'interrupted', announced: 'at-once' },
  invalid: { kind: 'problem', word: 'refused', announced: 'at-once' },
}

/** How a call stands, for people. */
export function stateOf({ status, input, error }: ShownCall): CallState {
  return status === 'proposed' && input === undefined && !error
    ? { kind: 'working', word: 'writing' }
    : CALL_STATES[status]
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
