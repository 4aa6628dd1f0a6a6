import type { RunEvent } from '../../index.ts'

/** An event that came at a time, in milliseconds since 1970. */
export interface TimedEvent {
  readonly at: number
  readonly event: RunEvent
}

/** An event, or pieces of one text that came behind each other. */
export interface EventEntry {
  readonly type: RunEvent['type']
  readonly runId: string
  readonly at: number
  readonly events: RunEvent[]
}

/** Entries of events, taken one by one. Merged, pieces of one text are one entry until something else comes. */
export class EventBook {
  readonly entries: EventEntry[] = []
  /** Those that there are. */
  readonly types: Set<RunEvent['type']> = new Set()
  readonly #isMerged: boolean
  readonly #open = new Map<string, EventEntry>()

  constructor(isMerged: boolean) {
    this.#isMerged = isMerged
  }

  add({ at, event }: TimedEvent): void {
    const key = this.#isMerged ? pieceKey(event) : null
    if (key === null) this.#open.clear()
    const open = key === null ? undefined : this.#open.get(key)
    if (open) {
      open.events.push(event)
      return
    }
    const entry = { type: event.type, runId: event.runId, at, events: [event] }
    this.entries.push(entry)
    this.types.add(event.type)
    if (key !== null) this.#open.set(key, entry)
  }
}

/** The same for pieces of one whole; null for what is none. */
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

/** What an entry is about, in a line. */
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

/** What a search looks at: a text as a whole, and its pieces. */
export function textOf(entry: EventEntry): string {
  return `${summaryOf(entry)}\n${eventLines([entry])}`
}

/** Events as JSON Lines, each piece on its own. */
export function eventLines(entries: readonly EventEntry[]): string {
  return entries
    .flatMap(({ events }) => events.map((event) => `${JSON.stringify(event)}\n`))
    .join('')
}
