import type { RunEvent } from '../../../index.ts'
import {
  type ConversationState,
  type Cursor,
  NOTHING_LIVE,
  projectFact,
  type Row,
  startCursor,
} from '../../../conversation/index.ts'

/** An event, and when it came, in milliseconds since 1970. */
export interface TimedEvent {
  readonly at: number
  readonly event: RunEvent
}

/** An event, or consecutive pieces of one text. */
export interface EventEntry {
  readonly type: RunEvent['type']
  readonly runId: string
  readonly at: number
  readonly events: RunEvent[]
}

/** Collects events as entries. If merged, pieces of one text share an entry until another event comes. */
export class EventLog {
  readonly entries: EventEntry[] = []
  /** Types of the events so far. */
  readonly types: Set<RunEvent['type']> = new Set()
  readonly #isMerged: boolean
  readonly #openEntries = new Map<string, EventEntry>()

  constructor(isMerged: boolean) {
    this.#isMerged = isMerged
  }

  add({ at, event }: TimedEvent): void {
    const key = this.#isMerged ? pieceKey(event) : null
    if (key === null) this.#openEntries.clear()
    const open = key === null ? undefined : this.#openEntries.get(key)
    if (open) {
      open.events.push(event)
      return
    }
    const entry = { type: event.type, runId: event.runId, at, events: [event] }
    this.entries.push(entry)
    this.types.add(event.type)
    if (key !== null) this.#openEntries.set(key, entry)
  }
}

/** Returns a key shared by all pieces of one text; null for other events. */
function pieceKey(event: RunEvent): string | null {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return `${event.runId} ${event.partId}`
    case 'tool-input-delta':
      return `${event.runId} ${event.toolCallId}`
    case 'tool-progress':
      return `${event.runId} progress ${event.toolCallId}`
    case 'raw':
      return `${event.runId} raw`
    default:
      return null
  }
}

/** Summarizes an entry in one line. */
export function summaryOf({ events }: EventEntry): string {
  const [first] = events
  if (!first) return ''
  const { type: _type, runId: _run, conversationId: _conversation, seq: _seq, ...rest } = first
  if ('delta' in first) return events.map((each) => ('delta' in each ? each.delta : '')).join('')
  if (events.length > 1) return `${events.length} pieces`
  if (first.type === 'run-end') return first.result.outcome
  if (first.type === 'request')
    return `Step ${first.step}, ${first.request.messages.length} messages`
  return JSON.stringify(rest).slice(0, 400)
}

/** Returns the text to search: the joined text, and its pieces. */
export function textOf(entry: EventEntry): string {
  return `${summaryOf(entry)}\n${eventLines([entry])}`
}

/** Events as JSON Lines, each piece on its own. */
export function eventLines(entries: readonly EventEntry[]): string {
  return entries
    .flatMap(({ events }) => events.map((event) => `${JSON.stringify(event)}\n`))
    .join('')
}

/** Derives from stored rows the events of the original run, except those not stored. Only folds rows: no tool runs. */
export class RowEvents {
  readonly #cursors = new Map<string, { cursor: Cursor; seq: number }>()

  /** Returns the events of a row. `state`: the state after the row. */
  eventsOf(row: Row, state: ConversationState): RunEvent[] {
    const { runId, conversationId } = row
    if (runId === null) return []
    let open = this.#cursors.get(runId)
    if (!open) this.#cursors.set(runId, (open = { cursor: startCursor(runId), seq: 0 }))
    const { cursor, events } = projectFact(open.cursor, row, { state, live: NOTHING_LIVE })
    open.cursor = cursor
    return events.map((event) => ({ ...event, runId, conversationId, seq: open.seq++ }))
  }
}

/** Search criteria; an empty field matches everything. */
export interface Filter {
  readonly type: string
  readonly text: string
}

interface TypedEntry {
  readonly type: string
}

/** Filters a growing list. Reads each entry once, except the last, which may have grown. */
export class Filtered<Entry extends TypedEntry> {
  readonly #textOf: (entry: Entry) => string
  #filter: Filter = { type: '', text: '' }
  #entries: readonly Entry[] = []
  #readCount = 0
  #matches: Entry[] = []

  constructor(textOf: (entry: Entry) => string) {
    this.#textOf = textOf
  }

  apply(entries: readonly Entry[], filter: Filter): readonly Entry[] {
    const { type, text } = this.#filter
    if (entries !== this.#entries || filter.type !== type || filter.text !== text) {
      this.#entries = entries
      // Copied, since the caller may change its own object.
      this.#filter = { type: filter.type, text: filter.text }
      this.#readCount = 0
      this.#matches = []
    }
    if (filter.type === '' && filter.text === '') return entries
    const last = entries[this.#readCount - 1]
    if (last && this.#matches.at(-1) === last) this.#matches.pop()
    for (const entry of entries.slice(Math.max(0, this.#readCount - 1)))
      if (this.#isMatch(entry)) this.#matches.push(entry)
    this.#readCount = entries.length
    return this.#matches
  }

  #isMatch(entry: Entry): boolean {
    const { type, text } = this.#filter
    if (type !== '' && entry.type !== type) return false
    return text === '' || this.#textOf(entry).toLowerCase().includes(text.toLowerCase())
  }
}
