import type { OffstageError } from '../../protocol/error.ts'
import { sleep } from '../../lib/sleep.ts'
import { HEARTBEAT_MS } from '../wire.ts'
import type { SqlDatabase, SqlQuery } from './database.ts'
import { statesOf, TenantRows, type TenantState, TenantStore } from './tenant-store.ts'
import { busy } from './read-request.ts'
import type { StoreChange } from '../../worker/store/store.ts'

/** Maximum changes read by one statement. */
const MOST_CHANGES = 500
/** Maximum tenants in one statement, because databases limit the number of parameters. */
const MOST_TENANTS = 200
/** Maximum unread chunks of a client. Beyond it, the stream ends, and the client reconnects from its last event. */
const MOST_UNREAD = 16
/** Pause between two reads, in milliseconds. Changes made meanwhile are sent together. */
const GAP_MS = 100
/** Milliseconds until a refused client tries again. */
const RETRY_MS = 30_000

export interface FeedsOptions {
  readonly database: SqlDatabase
  /** The database from which streams read changes. */
  readonly followDatabase: SqlDatabase
  readonly pollMs: number
  readonly maxStreamMs: number
  readonly maxStreams: number
  readonly onError: ((error: unknown) => void) | undefined
}

/**
 * All streams of this process. One reader polls the database for all tenants together. Idle streams need no statements,
 * and each change is read once, however many streams follow its tenant.
 */
export class Feeds {
  readonly #options: FeedsOptions
  readonly #feeds = new Map<string, Feed>()
  /** Tenants that may have new changes. */
  readonly #dueTenants = new Set<string>()
  #isReading = false
  #timer: ReturnType<typeof setInterval> | null = null
  #heartbeatAt = 0

  constructor(options: FeedsOptions) {
    this.#options = options
  }

  /**
   * Opens a stream of the tenant's changes, as a response body. Holds the request: in Node, its signal no longer aborts
   * once the request is garbage-collected.
   */
  open(tenant: string, request: Request): ReadableStream<Uint8Array> {
    const { maxStreams, maxStreamMs } = this.#options
    const lastEventId = request.headers.get('last-event-id')
    const existing = this.#feeds.get(tenant)
    const feed = existing ?? new Feed()
    if (feed.streams.size >= maxStreams) throw tooManyStreams(maxStreams)
    const endsAt = Date.now() + maxStreamMs
    let remove = (): void => undefined
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const stream: Stream = {
          lastEventId,
          endsAt,
          send: (chunk) => {
            if ((controller.desiredSize ?? 0) < -MOST_UNREAD) stream.end()
            else controller.enqueue(chunk)
          },
          end: () => {
            if (!feed.streams.has(stream)) return
            remove()
            controller.close()
          },
        }
        remove = () => {
          request.signal.removeEventListener('abort', stream.end)
          feed.streams.delete(stream)
          this.#drop(tenant, feed)
        }
        request.signal.addEventListener('abort', stream.end)
        feed.add(stream)
        // The client may have left during `authorize`.
        if (request.signal.aborted) return stream.end()
        if (existing) return
        this.#feeds.set(tenant, feed)
        this.#poll()
        this.wake(tenant)
      },
      cancel: () => remove(),
    })
  }

  /** Reads a tenant's changes now, if a client follows it. */
  wake(tenant: string): void {
    if (!this.#feeds.has(tenant)) return
    this.#dueTenants.add(tenant)
    void this.#readDue()
  }

  #poll(): void {
    if (this.#timer !== null) return
    this.#heartbeatAt = Date.now()
    this.#timer = setInterval(() => this.#tick(), this.#options.pollMs)
  }

  #tick(): void {
    const now = Date.now()
    const isHeartbeat = now - this.#heartbeatAt >= HEARTBEAT_MS
    if (isHeartbeat) this.#heartbeatAt = now
    for (const [tenant, { streams }] of this.#feeds) {
      this.#dueTenants.add(tenant)
      for (const stream of streams)
        if (now >= stream.endsAt) stream.end()
        else if (isHeartbeat) stream.send(HEARTBEAT)
    }
    void this.#readDue()
  }

  /** Reads due tenants' changes, with a gap between reads. Uses one connection, for a bounded share of the time. */
  async #readDue(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#dueTenants.size > 0) {
        const tenants = [...this.#dueTenants]
        this.#dueTenants.clear()
        for (let at = 0; at < tenants.length; at += MOST_TENANTS)
          // The streams stay open: the next poll reads what was missed.
          await this.#readChanges(tenants.slice(at, at + MOST_TENANTS)).catch((error: unknown) =>
            this.#options.onError?.(error),
          )
        await sleep(GAP_MS)
      }
    } finally {
      this.#isReading = false
    }
  }

  async #readChanges(tenants: readonly string[]): Promise<void> {
    const knownTenants = new Set<string>()
    await this.#options.followDatabase.transaction(async (query) => {
      for (const [tenant, state] of await statesOf(query, tenants)) {
        knownTenants.add(tenant)
        await this.#sendChanges(query, tenant, state)
      }
    })
    for (const tenant of tenants) if (!knownTenants.has(tenant)) await this.#createTenant(tenant)
  }

  async #sendChanges(query: SqlQuery, tenant: string, state: TenantState): Promise<void> {
    const feed = this.#feeds.get(tenant)
    if (feed && !feed.checkState(state)) return this.#endFeed(tenant, feed)
    while (feed && feed.at < state.change && feed.streams.size > 0) {
      const last = Math.min(feed.at + MOST_CHANGES, state.change)
      feed.addChanges(await new TenantRows(tenant, query).changes(feed.at, last), last)
    }
  }

  /** Inserts the row of a tenant that has made no request before. */
  async #createTenant(tenant: string): Promise<void> {
    const state = await new TenantStore(this.#options.database, tenant).read(async () => null)
    const feed = this.#feeds.get(tenant)
    if (feed && !feed.checkState(state)) this.#endFeed(tenant, feed)
  }

  #endFeed(tenant: string, feed: Feed): void {
    for (const stream of feed.streams) stream.end()
    this.#drop(tenant, feed)
  }

  #drop(tenant: string, feed: Feed): void {
    if (feed.streams.size > 0 || this.#feeds.get(tenant) !== feed) return
    this.#feeds.delete(tenant)
    this.#dueTenants.delete(tenant)
    if (this.#feeds.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

function tooManyStreams(most: number): OffstageError {
  return busy(
    `This tenant already has ${most} streams of changes on this server. Close some, or try again later.`,
    { retryAfterMs: RETRY_MS },
  )
}

/**
 * Maximum missed changes that a new feed replays one by one. Beyond that, one event says that anything may have
 * changed.
 */
const MOST_MISSED = 500
/** Characters of recent events that a feed keeps, for clients that reconnect. */
const MOST_KEPT = 64_000

/** A client that follows a tenant's changes. */
interface Stream {
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

const HEARTBEAT: Uint8Array = encoder.encode(':\n\n')

/** The changes of one tenant, encoded once for all its streams. */
class Feed {
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
    if (this.#storeId !== null) this.#sendMissed(stream, this.#storeId)
  }

  /** Returns false if the database was replaced or restored from a backup: its numbers no longer match the feed's. */
  checkState(state: TenantState): boolean {
    if (this.#storeId === null) this.#beginAt(state)
    return state.storeId === this.#storeId && state.change >= this.#at
  }

  /** Sends the changes up to `last` to every stream. */
  addChanges(changes: readonly StoreChange[], last: number): void {
    // Only the last event has an id. After losing the connection midway, a client gets the whole batch again.
    const text = changes
      .map((change, n) => eventOf(change, n === changes.length - 1 ? this.#id(last) : null))
      .join('')
    this.#at = last
    if (text === '') return
    this.#batches.push({ last, text })
    this.#dropOld()
    const chunk = encoder.encode(text)
    for (const stream of this.streams) stream.send(chunk)
  }

  #beginAt(state: TenantState): void {
    this.#storeId = state.storeId
    const lastChanges = [...this.streams].flatMap(
      ({ lastEventId }) => readLastChange(lastEventId, state) ?? [],
    )
    const recent = lastChanges.filter((change) => state.change - change <= MOST_MISSED)
    this.#from = this.#at = Math.min(state.change, ...recent)
    for (const stream of this.streams) this.#sendMissed(stream, state.storeId)
  }

  /** Sends the missed changes. If the feed no longer has them, one event says that anything may have changed. */
  #sendMissed(stream: Stream, storeId: string): void {
    const lastChange = readLastChange(stream.lastEventId, { storeId, change: this.#at })
    if (lastChange === null || lastChange < this.#from)
      return stream.send(
        encoder.encode(eventOf({ conversationId: null, lastSeq: 0 }, this.#id(this.#at))),
      )
    stream.send(HEARTBEAT)
    for (const { last, text } of this.#batches)
      if (last > lastChange) stream.send(encoder.encode(text))
  }

  #dropOld(): void {
    let keptLength = this.#batches.reduce((sum, { text }) => sum + text.length, 0)
    while (keptLength > MOST_KEPT) {
      const oldest = this.#batches.shift()
      if (!oldest) return
      keptLength -= oldest.text.length
      this.#from = oldest.last
    }
  }

  #id(change: number): string {
    return `${this.#storeId}.${change}`
  }
}

/** Number of the last change that a client received, or null if unknown. */
function readLastChange(
  lastEventId: string | null,
  { storeId, change }: TenantState,
): number | null {
  const [store, number] = (lastEventId ?? '').split('.')
  const lastChange = Number(number)
  return store === storeId &&
    Number.isSafeInteger(lastChange) &&
    lastChange >= 0 &&
    lastChange <= change
    ? lastChange
    : null
}

function eventOf(change: StoreChange, id: string | null): string {
  return `${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(change)}\n\n`
}
