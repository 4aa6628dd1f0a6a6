import {
  NOTHING_LIVE,
  view,
  type ConversationSnapshot,
  type Row,
} from '../../conversation/index.ts'
import type { RunEvent } from '../../index.ts'
import { EventLog, RowEvents, type TimedEvent } from './parts/event-log.ts'
import type { Journal } from './parts/journal.ts'
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
  readonly #asked = new Map<string, { step: number; at: number }>()
  #isMerged = true
  #book = new EventLog(true)

  constructor(journal: Journal) {
    this.journal = journal
  }

  get eventLog(): EventLog {
    return this.#book
  }

  merge(isMerged: boolean): void {
    if (isMerged === this.#isMerged) return
    this.#isMerged = isMerged
    this.#book = new EventLog(isMerged)
    for (const event of this.#events) this.#book.add(event)
  }

  /** Adds a row. `isSeen`: its events arrive by themselves; otherwise they are derived from the row. */
  addRow(row: Row, isSeen: boolean): void {
    if (!this.journal.add(row)) return
    this.takeRow(row, isSeen)
  }

  /** Takes a row that the journal already has. */
  takeRow(row: Row, isSeen: boolean): void {
    try {
      this.timeline.add(row)
      if (isSeen) return
      for (const event of this.#rowEvents.of(row, this.journal.stateAt(row.seq)))
        this.addEvent({ at: row.at, event }, false)
    } catch {
      // Rows of a file may hold anything.
      this.journal.markBroken(`Row ${row.seq} can't be shown.`)
    }
  }

  /** `isLive`: the event was seen as it came, so its time is exact. */
  addEvent(timed: TimedEvent, isLive: boolean): void {
    this.#events.push(timed)
    this.#book.add(timed)
    const { at, event } = timed
    if (isLive) this.#timeFirst(at, event)
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

  #timeFirst(at: number, event: RunEvent): void {
    const { type, runId } = event
    if (type === 'step-start') this.#asked.set(runId, { step: event.step, at })
    const asked = this.#asked.get(runId)
    if (!asked || !BEGINS.has(type)) return
    this.timeline.firstToken(runId, asked.step, at - asked.at)
    this.#asked.delete(runId)
  }
}

/** Event types that mark the first piece of a step's answer. */
const BEGINS: ReadonlySet<string> = new Set(['text-start', 'reasoning-start', 'tool-input-start'])
