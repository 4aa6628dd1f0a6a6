import {
  NOTHING_LIVE,
  projectFact,
  startCursor,
  type ConversationState,
  type Cursor,
  type Row,
} from '../../conversation/index.ts'
import type { RunEvent } from '../../index.ts'

/** Derives events from stored rows: those of the original run, except what was not stored. Pure folds: nothing runs. */
export class RowEvents {
  readonly #cursors = new Map<string, { cursor: Cursor; seq: number }>()

  /** Returns the events of a row. `state`: the state that the row has led to. */
  of(row: Row, state: ConversationState): RunEvent[] {
    const { runId, conversationId } = row
    if (runId === null) return []
    let known = this.#cursors.get(runId)
    if (!known) this.#cursors.set(runId, (known = { cursor: startCursor(runId), seq: 0 }))
    const { cursor, events } = projectFact(known.cursor, row, { state, live: NOTHING_LIVE })
    known.cursor = cursor
    return events.map((event) => ({ ...event, runId, conversationId, seq: known.seq++ }))
  }
}
