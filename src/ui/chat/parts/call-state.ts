import { isLeftOpen } from '../../../conversation/index.ts'
import type { ConversationSnapshot, ShownCall } from '../../../index.ts'
import type { Words } from '../words/words.ts'

export interface CallState {
  /** Decides the icon and style. */
  readonly kind: 'working' | 'waiting' | 'done' | 'problem'
  readonly word: keyof Words['states']
}

export interface CallRow extends CallState {
  /** When to announce it. Absent if never: the model's answer mentions most results. `later`: after `LONG_MS`. */
  readonly announced?: 'at-once' | 'later'
}

/** Milliseconds after which a running call is announced. */
export const LONG_MS = 3000

const RUNNING: CallRow = { kind: 'working', word: 'running' }
const WAITING: CallRow = { kind: 'waiting', word: 'waiting' }

/** The words for a call in each status. A waiting call has its buttons on its card. */
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

/** Returns a call's state as people see it. */
export function stateOf({ status, input, error }: ShownCall): CallState {
  return status === 'proposed' && input === undefined && !error
    ? { kind: 'working', word: 'writing' }
    : CALL_STATES[status]
}

/** Whether this page stopped following an unfinished run, as when its agent is disposed. Nothing can be answered then. */
export function isLetGo({ ended }: Pick<ConversationSnapshot, 'ended'>): boolean {
  return ended !== undefined && isLeftOpen(ended)
}

/** Like `stateOf`, but `leftOpen` for an unfinished call that this page no longer follows. */
export function stateIn(snapshot: Pick<ConversationSnapshot, 'ended'>, call: ShownCall): CallState {
  const state = stateOf(call)
  const isOpen = state.kind === 'waiting' || state.kind === 'working'
  return isOpen && isLetGo(snapshot) ? { kind: 'problem', word: 'leftOpen' } : state
}
