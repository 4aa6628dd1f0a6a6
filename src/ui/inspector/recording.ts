import {
  emptyState,
  fold,
  NOTHING_LIVE,
  view,
  type ConversationSnapshot,
  type ConversationState,
  type Row,
} from '../../conversation/index.ts'
import type { RunEvent } from '../../index.ts'
import { EventLog, RowEvents, type TimedEvent } from './parts/event-log.ts'
import { Timeline } from './parts/timeline.ts'

/** A request to a model, with the raw data of the answer. */
export interface RecordedRequest {
  readonly type: 'request'
  readonly at: number
  readonly event: Extract<RunEvent, { type: 'request' }>
  readonly raw: unknown[]
}

/** Everything known about one conversation. Rows and events are added; the rest is derived from them. */
export class Recording {
  readonly journal: Journal
  readonly timeline: Timeline = new Timeline()
  readonly requests: RecordedRequest[] = []
  readonly #events: TimedEvent[] = []
  readonly #rowEvents = new RowEvents()
  readonly #openSteps = new Map<string, { step: number; at: number }>()
  #isMerged = true
  #eventLog = new EventLog(true)

  constructor(journal: Journal) {
    this.journal = journal
  }

  get eventLog(): EventLog {
    return this.#eventLog
  }

  merge(isMerged: boolean): void {
    if (isMerged === this.#isMerged) return
    this.#isMerged = isMerged
    this.#eventLog = new EventLog(isMerged)
    for (const event of this.#events) this.#eventLog.add(event)
  }

  /** Adds a row. `isSeen`: the run's events are recorded live. Otherwise they are derived from the row. */
  addRow(row: Row, isSeen: boolean): void {
    if (!this.journal.add(row)) return
    this.processRow(row, isSeen)
  }

  /** Takes a row that the journal already has. */
  processRow(row: Row, isSeen: boolean): void {
    try {
      this.timeline.add(row)
      if (isSeen) return
      for (const event of this.#rowEvents.eventsOf(row, this.journal.stateAt(row.seq)))
        this.addEvent({ at: row.at, event }, false)
    } catch {
      // Rows of a file may hold anything.
      this.journal.markBroken(`Row ${row.seq} can't be shown.`)
    }
  }

  /** `isLive`: the event was recorded when it arrived, so its time is exact. */
  addEvent(timed: TimedEvent, isLive: boolean): void {
    this.#events.push(timed)
    this.#eventLog.add(timed)
    const { at, event } = timed
    if (isLive) this.#timeFirstToken(at, event)
    if (event.type === 'request') this.requests.push({ type: 'request', at, event, raw: [] })
    else if (event.type === 'raw') this.requests.at(-1)?.raw.push(event.data)
  }

  /** Returns the conversation's snapshot after the first `count` rows; null if they can't be shown. */
  snapshotAt(count: number): ConversationSnapshot | null {
    try {
      return view(this.journal.stateAt(count), NOTHING_LIVE)
    } catch {
      return null
    }
  }

  #timeFirstToken(at: number, event: RunEvent): void {
    const { type, runId } = event
    if (type === 'step-start') this.#openSteps.set(runId, { step: event.step, at })
    const openStep = this.#openSteps.get(runId)
    if (!openStep || !FIRST_PIECES.has(type)) return
    this.timeline.firstToken(runId, openStep.step, at - openStep.at)
    this.#openSteps.delete(runId)
  }
}

/** Event types that mark the first piece of a step's answer. */
const FIRST_PIECES: ReadonlySet<string> = new Set([
  'text-start',
  'reasoning-start',
  'tool-input-start',
])

/** Number of rows between two stored states. States in between are folded from the stored state before them. */
const CHECKPOINT_EVERY = 64

/** Rows of one conversation, with the state after each of them. */
export class Journal {
  readonly conversationId: string
  readonly rows: Row[] = []
  readonly #checkpoints: ConversationState[]
  #head: ConversationState
  #fault: string | null = null

  constructor(conversationId: string) {
    this.conversationId = conversationId
    this.#head = emptyState(conversationId)
    this.#checkpoints = [this.#head]
  }

  /** Why no further rows are accepted; null: they are. */
  get fault(): string | null {
    return this.#fault
  }

  /** Adds the next row. Returns false, and adds nothing, if another row is expected or the row can't be folded. */
  add(row: Row): boolean {
    if (this.#fault !== null || row.seq !== this.rows.length + 1) return false
    try {
      this.#head = fold(this.#head, [row])
    } catch {
      // Rows of a file may hold anything.
      this.markBroken(`Row ${row.seq} can't be read.`)
      return false
    }
    this.rows.push(row)
    if (this.rows.length % CHECKPOINT_EVERY === 0) this.#checkpoints.push(this.#head)
    return true
  }

  /** Rejects all further rows. */
  markBroken(reason: string): void {
    this.#fault ??= reason
  }

  /** The state after the first `count` rows. */
  stateAt(count: number): ConversationState {
    const position = Math.max(0, Math.min(count, this.rows.length))
    if (position === this.rows.length) return this.#head
    const from = Math.floor(position / CHECKPOINT_EVERY)
    const state = this.#checkpoints[from] ?? emptyState(this.conversationId)
    return fold(state, this.rows.slice(from * CHECKPOINT_EVERY, position))
  }

  /** Returns the numbers of a run's first and last row, from 1; null if it has none. */
  spanOf(runId: string): { readonly from: number; readonly to: number } | null {
    const from = this.rows.findIndex((row) => row.runId === runId)
    if (from < 0) return null
    return { from: from + 1, to: this.rows.findLastIndex((row) => row.runId === runId) + 1 }
  }

  runIds(): string[] {
    return [
      ...new Set(
        this.rows.flatMap(({ type, runId }) => (type === 'run-started' && runId ? [runId] : [])),
      ),
    ]
  }
}
