import { NOTHING_LIVE, view, type ConversationSnapshot, type Row } from '../conversation/index.ts'
import type { RunEvent } from '../index.ts'
import { EventBook, type TimedEvent } from './parts/event-book.ts'
import type { Journal } from './parts/journal.ts'
import { RowEvents } from './parts/project-rows.ts'
import { Timeline } from './parts/timeline.ts'

/** What a model was asked with, and what came back as the provider sent it. */
export interface RecordedRequest {
  readonly type: 'request'
  readonly at: number
  readonly event: Extract<RunEvent, { type: 'request' }>
  readonly raw: unknown[]
}

/** All that is known of one conversation: rows and events are added, and everything else follows from them. */
export class Recording {
  readonly journal: Journal
  readonly timeline: Timeline = new Timeline()
  readonly requests: RecordedRequest[] = []
  readonly #events: TimedEvent[] = []
  readonly #rowEvents = new RowEvents()
  readonly #asked = new Map<string, { step: number; at: number }>()
  #isMerged = true
  #book = new EventBook(true)

  constructor(journal: Journal) {
    this.journal = journal
  }

  get book(): EventBook {
    return this.#book
  }

  merge(isMerged: boolean): void {
    if (isMerged === this.#isMerged) return
    this.#isMerged = isMerged
    this.#book = new EventBook(isMerged)
    for (const event of this.#events) this.#book.add(event)
  }

  /** `isSeen`: its events come by themselves. Else they are made of the row. */
  addRow(row: Row, isSeen: boolean): void {
    if (!this.journal.add(row)) return
    this.takeRow(row, isSeen)
  }

  /** A row that the journal has. */
  takeRow(row: Row, isSeen: boolean): void {
    try {
      this.timeline.add(row)
      if (isSeen) return
      for (const event of this.#rowEvents.of(row, this.journal.stateAt(row.seq)))
        this.addEvent({ at: row.at, event }, false)
    } catch {
      // Of a file that anybody may have written.
      this.journal.break(`Row ${row.seq} can't be shown.`)
    }
  }

  /** `isLive`: it was seen as it came, so that its time says something. */
  addEvent(timed: TimedEvent, isLive: boolean): void {
    this.#events.push(timed)
    this.#book.add(timed)
    const { at, event } = timed
    if (isLive) this.#timeFirst(at, event)
    if (event.type === 'request') this.requests.push({ type: 'request', at, event, raw: [] })
    else if (event.type === 'raw') this.requests.at(-1)?.raw.push(event.data)
  }

  /** What a page shows of the conversation after the first `count` rows; null: that can't be said. */
  shownAt(count: number): ConversationSnapshot | null {
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

/** Types of which the first of a step is the first piece of its answer. */
const BEGINS: ReadonlySet<string> = new Set(['text-start', 'reasoning-start', 'tool-input-start'])
