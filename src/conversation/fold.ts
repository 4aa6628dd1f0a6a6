import type { Row, RowOf } from '../protocol/fact.ts'
import type { ContextRow, ConversationState } from '../protocol/state.ts'
import { Draft } from './draft.ts'
import { foldCall } from './fold-call.ts'
import { amendMessage, clearHistory, foldMessage } from './fold-messages.ts'
import { foldConsents } from './fold-consents.ts'
import { foldReflection } from './fold-reflection.ts'
import { foldRun, isOfRun } from './fold-run.ts'
import { isTaintedInWhole, mayUntaint } from './taint.ts'
import { headOf } from './tree.ts'
import { sumUsage } from './usage.ts'

/**
 * The state after rows, which follow those that were folded into `state`, by `seq` and without gaps. Give it
 * many rows at once: the lists of the state are copied once for each fold. `onRow` is called after each row,
 * with the newest run as it is then, which the next row may change. Rows that make no sense change nothing.
 */
export function fold(
  state: ConversationState,
  rows: readonly Row[],
  onRow?: (row: Row, run: ConversationState['run']) => void,
): ConversationState {
  if (rows.length === 0) return state
  const draft = new Draft(state)
  for (const row of rows) {
    foldRow(draft, row)
    onRow?.(row, draft.state.run)
  }
  return draft.state
}

function foldRow(draft: Draft, row: Row): void {
  const { state } = draft
  state.seq = row.seq
  switch (row.type) {
    case 'run-started':
    case 'model-output':
    case 'step-cut':
      foldRun(draft, row)
      return foldMessage(draft, row)
    case 'step-started':
    case 'attempt-failed':
    case 'run-taken-up':
    case 'run-parked':
    case 'run-continued':
      return foldRun(draft, row)
    case 'run-ended':
      foldConsents(draft, row)
      return foldRun(draft, row)
    case 'messages-imported':
    case 'message-delivered':
    case 'answer-rejected':
      return foldMessage(draft, row)
    case 'answer-reflected':
      return foldReflection(draft, row)
    case 'message-amended':
      return amendMessage(draft, row)
    case 'head-moved':
      return headOf(draft, row.to, row.seq)
    case 'history-cleared':
      foldConsents(draft, row)
      return clearHistory(draft)
    case 'row-set-aside': {
      const { reason: origin, seq, at } = row
      state.setAside = [...(state.setAside ?? []), origin]
      // Nobody knows what the row said: it may have ended a consent, or told that what follows is tainted.
      state.consents = []
      if (state.run?.end === null) draft.changeRun({ damage: origin })
      draft.own('context').push({ type: 'untrusted-taken-in', after: null, origin, seq, at })
      return
    }
    case 'renamed':
      state.title = row.title || null
      return
    case 'message-queued':
    case 'message-withdrawn':
      return foldQueue(draft, row)
    case 'consent-given':
    case 'consent-revoked':
      return foldConsents(draft, row)
    default:
      return 'after' in row ? foldContext(draft, row) : foldCall(draft, row)
  }
}

/** Folds a row that changes the model's context besides messages. */
function foldContext(draft: Draft, row: RowOf<ContextRow['type']>): void {
  // Of what taints it, a windowed state doesn't know what is still sent.
  if (mayUntaint(row) && isTaintedInWhole(draft.state)) draft.state.isStale = true
  if (row.type === 'compacted' && row.usage && isOfRun(draft.state.run, row))
    draft.changeRun({ usage: sumUsage(draft.state.run.usage, row.usage) })
  if (row.type === 'untrusted-taken-in' || row.type === 'descriptions-taken-in')
    foldConsents(draft, row)
  draft.own('context').push(row)
}

function foldQueue({ state }: Draft, row: RowOf<'message-queued' | 'message-withdrawn'>): void {
  state.queue =
    row.type === 'message-queued'
      ? [...state.queue, row.message]
      : state.queue.filter(({ id }) => id !== row.messageId)
  if (row.type === 'message-withdrawn' && row.returned)
    state.returned = [...state.returned, row.returned]
}
