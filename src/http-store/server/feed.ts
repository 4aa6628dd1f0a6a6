import type { StoreChange } from '../../worker/store/store.ts'
import type { TenantState } from './tenant-store.ts'

/** Most missed changes that a new feed replays one by one. Beyond, one event says that anything may have changed. */
const MOST_MISSED = 500
/** Characters of recent events that a feed keeps, for clients that reconnect. */
const MOST_KEPT = 64_000

/** A client that follows a tenant's changes. */
export interface Stream {
  /** Id of the last event that this client received. */
  readonly lastEventId: string | null
  /** When the client must be authorized again. Milliseconds since 1970. */
  readonly endsAt: number
  send(chunk: Uint8Array): void
  end(): void
}

interface Batch {
  readonly last: number
  readonly text: string
}

const encoder: TextEncoder = new TextEncoder()

export const HEARTBEAT: Uint8Array = encoder.encode(':\n\n')

/** The changes of one tenant, encoded once for all its streams. */
export class Feed {
  readonly streams: Set<Stream> = new Set()
  /** Null until the first read of the database. */
  #storeId: string | null = null
  /** Number of the newest change sent. */
  #at = 0
  /** `#batches` holds all changes after this number. */
  #from = 0
  #batches: Batch[] = []

  get at(): number {
    return this.#at
  }

  add(stream: Stream): void {
    this.streams.add(stream)
    if (this.#storeId !== null) this.#greet(stream, this.#storeId)
  }

  /** Returns false if the database was replaced or restored from a backup: its numbers no longer match the feed's. */
  takeState(state: TenantState): boolean {
    if (this.#storeId === null) this.#begin(state)
    return state.storeId === this.#storeId && state.change >= this.#at
  }

  /** Sends the changes up to `last` to every stream. */
  takeChanges(changes: readonly StoreChange[], last: number): void {
    // Only the last event has an id, so a client that loses the connection midway gets the whole batch again.
    const text = changes
      .map((change, n) => eventOf(change, n === changes.length - 1 ? this.#id(last) : null))
      .join('')
    this.#at = last
    if (text === '') return
    this.#batches.push({ last, text })
    this.#forgetOld()
    const chunk = encoder.encode(text)
    for (const stream of this.streams) stream.send(chunk)
  }

  #begin(state: TenantState): void {
    this.#storeId = state.storeId
    const seen = [...this.streams].flatMap(({ lastEventId }) => seenIn(lastEventId, state) ?? [])
    const recent = seen.filter((change) => state.change - change <= MOST_MISSED)
    this.#from = this.#at = Math.min(state.change, ...recent)
    for (const stream of this.streams) this.#greet(stream, state.storeId)
  }

  /** Sends the missed changes. If the feed no longer has them, one event says that anything may have changed. */
  #greet(stream: Stream, storeId: string): void {
    const seen = seenIn(stream.lastEventId, { storeId, change: this.#at })
    if (seen === null || seen < this.#from)
      return stream.send(
        encoder.encode(eventOf({ conversationId: null, lastSeq: 0 }, this.#id(this.#at))),
      )
    stream.send(HEARTBEAT)
    for (const { last, text } of this.#batches) if (last > seen) stream.send(encoder.encode(text))
  }

  #forgetOld(): void {
    let kept = this.#batches.reduce((sum, { text }) => sum + text.length, 0)
    while (kept > MOST_KEPT) {
      const oldest = this.#batches.shift()
      if (!oldest) return
      kept -= oldest.text.length
      this.#from = oldest.last
    }
  }

  #id(change: number): string {
    return `${this.#storeId}.${change}`
  }
}

/** Number of the last change that a client received, or null if unknown. */
function seenIn(lastEventId: string | null, { storeId, change }: TenantState): number | null {
  const [store, number] = (lastEventId ?? '').split('.')
  const seen = Number(number)
  return store === storeId && Number.isSafeInteger(seen) && seen >= 0 && seen <= change
    ? seen
    : null
}

function eventOf(change: StoreChange, id: string | null): string {
  return `${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(change)}\n\n`
}
