import type { Row } from '../protocol/fact.ts'
import { Draft } from './draft.ts'
import { foldCall } from './fold-call.ts'
import { clearHistory, foldMessage, moveHead } from './fold-messages.ts'
import { foldRun } from './fold-run.ts'
import type { ConversationState } from '../protocol/state.ts'
import { titleOf } from './title.ts'

/** The state after rows, in their order. Pure. `onRow` is called after each, with the run as it is then. */
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
      state.title ||= row.message && titleOf(row.message.parts)
      foldRun(draft, row)
      return foldMessage(draft, row)
    case 'model-output':
      foldRun(draft, row)
      return foldMessage(draft, row)
    case 'step-cut':
      foldRun(draft, row)
      return foldMessage(draft, row)
    case 'step-started':
    case 'attempt-failed':
    case 'run-parked':
    case 'run-continued':
    case 'run-ended':
      return foldRun(draft, row)
    case 'call-proposed':
    case 'approval-requested':
    case 'approval-answered':
    case 'question-asked':
    case 'question-answered':
    case 'output-requested':
    case 'call-started':
    case 'call-withdrawn':
    case 'call-suspended':
    case 'step-outcome':
    case 'child-started':
    case 'call-interrupted':
    case 'interruption-resolved':
    case 'call-settled':
      return foldCall(draft, row)
    case 'messages-imported':
    case 'message-delivered':
      return foldMessage(draft, row)
    case 'head-moved':
      return moveHead(draft, row)
    case 'history-cleared':
      return clearHistory(draft)
    case 'renamed':
      state.title = row.title
      return
    case 'message-queued':
      state.queue = [...state.queue, row.message]
      return
    case 'message-withdrawn':
      state.queue = state.queue.filter(({ id }) => id !== row.messageId)
      return
    case 'results-cleared':
    case 'compacted':
    case 'skill-activated':
    case 'plan-changed':
    case 'untrusted-taken-in':
    case 'memory-retrieved':
      draft.own('context').push(row)
      return
    case 'consent-given': {
      const { consentId, scope, until, at } = row
      const given = { consentId, scope, at, ...(until !== undefined && { until }) }
      state.consents = [...state.consents.filter((each) => each.consentId !== consentId), given]
      return
    }
    case 'consent-revoked':
      state.consents = state.consents.filter(({ consentId }) => consentId !== row.consentId)
      return
    default:
      row satisfies never
  }
}
