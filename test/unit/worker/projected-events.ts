import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import { foldDelta, NOTHING_LIVE, settleLive } from '../../../src/conversation/live.ts'
import {
  catchUpEvents,
  projectDelta,
  projectFact,
  startCursor,
  type Cursor,
} from '../../../src/conversation/project.ts'
import { isRow, type StreamItem, type WorkerNotice } from '../../../src/protocol/notices.ts'
import type { RunEventBody } from '../../../src/protocol/event.ts'
import type { Live } from '../../../src/protocol/delta.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'

/** The events of all runs that a worker publishes, as a page that shows none of them projects them. */
export class ProjectedEvents {
  readonly events: RunEventBody[] = []
  readonly #conversations = new Map<string, { state: ConversationState; live: Live }>()
  readonly #cursors = new Map<string, Cursor>()

  take(notice: WorkerNotice): void {
    if (notice.type === 'checkpoint') {
      const { state, live, conversationId } = notice
      this.#conversations.set(conversationId, { state, live })
      const { run } = state
      if (run === null) return
      const { runId } = run
      this.#cursors.set(runId, startCursor(runId))
      this.events.push(...catchUpEvents({ state, live }, runId))
    }
    if (notice.type === 'stream')
      for (const item of notice.items) this.#item(notice.conversationId, item)
  }

  #item(conversationId: string, item: StreamItem): void {
    const known = this.#conversations.get(conversationId)
    const { state, live } = known ?? { state: emptyState(conversationId), live: NOTHING_LIVE }
    const next = isRow(item)
      ? { state: fold(state, [item]), live: settleLive(live, item) }
      : { state, live: foldDelta(live, item) }
    this.#conversations.set(conversationId, next)
    const runId = 'runId' in item ? item.runId : null
    if (runId === null) return
    const cursor = this.#cursors.get(runId) ?? startCursor(runId)
    const moment = { state: next.state, live }
    const projected = isRow(item)
      ? projectFact(cursor, item, moment)
      : projectDelta(cursor, item, moment)
    this.#cursors.set(runId, projected.cursor)
    this.events.push(...projected.events)
  }
}
