import { OffstageError, type ErrorCode } from '../../protocol/error.ts'
import { isNumber } from '../../lib/shape.ts'
import { EVENT_STREAM } from '../wire.ts'
import { answer, isChange } from './answers.ts'
import type { SqlDatabase } from './database.ts'
import { Bodies } from './bodies.ts'
import { Feeds } from './feeds.ts'
import { readAnswer } from './read-answer.ts'
import { isId, readRequest } from './read-request.ts'
import { TenantStore } from './tenant-store.ts'
import { TenantQueues } from './tenant-queues.ts'

/** The owner of the conversations in a request. Requests with the same tenant share their conversations. */
export interface StoreTenant {
  /** Id of a user or of a team. At most 255 characters. */
  readonly tenant: string
}

export interface StoreHandlerOptions {
  readonly database: SqlDatabase
  /**
   * Your own authentication, called for every request. Returns the tenant, or a response to send in place of the
   * store's. After a 401 or 403, runs wait until the answer changes.
   */
  authorize(request: Request): StoreTenant | Response | Promise<StoreTenant | Response>
  /** Largest body. Default 32 MiB. */
  readonly maxBytes?: number
  /**
   * Most bytes of all requests in this process, counted from the first byte until the answer. Further requests get the
   * status 503. Default 16 times `maxBytes`.
   */
  readonly maxTotalBytes?: number
  /** Longest time for a body to arrive. Default 60 000. Milliseconds. */
  readonly maxBodyMs?: number
  /** Database from which streams read changes: a separate pool, or a replica. Default: `database`. */
  readonly followDatabase?: SqlDatabase
  /**
   * How often this process reads other processes' changes from the database, for all streams at once. Default 1000.
   * Milliseconds.
   */
  readonly pollMs?: number
  /** Most changes of one tenant that wait in this process. Further ones get the status 429. Default 100. */
  readonly maxWrites?: number
  /** Most streams of one tenant in this process. Further ones get the status 429. Default 1000. */
  readonly maxStreams?: number
  /** Longest duration of a stream; the client then opens another one. Default 5 minutes. Milliseconds. */
  readonly maxStreamMs?: number
  /** Called with errors of the server. The client learns only that something failed. */
  onError?(error: unknown): void
}

/** Answers a request. Fits the routes of frameworks that use the web's `Request` and `Response`. */
export type StoreHandler = (request: Request) => Promise<Response>

const MIB = 1024 * 1024
/** How many bodies of the largest size one tenant, and all together, may have in this process at once. */
const BODIES_OF_TENANT = 4
const BODIES_AT_ONCE = 16
/** Reads of one tenant that use this process's database at once, and that wait for it. */
const READS_AT_ONCE = 2
const MOST_READS = 1000

/** Makes the server of `httpStore`, at one URL of your app. POST sends a call; GET follows changes. */
export function createStoreHandler(options: StoreHandlerOptions): StoreHandler {
  const { database, authorize, maxBytes = 32 * MIB, maxBodyMs = 60_000 } = options
  const feeds = new Feeds({
    database,
    followDatabase: options.followDatabase ?? database,
    pollMs: options.pollMs ?? 1000,
    maxStreamMs: options.maxStreamMs ?? 300_000,
    maxStreams: options.maxStreams ?? 1000,
    onError: options.onError,
  })
  const writes = new TenantQueues({ atOnce: 1, most: options.maxWrites ?? 100, name: 'changes' })
  const reads = new TenantQueues({ atOnce: READS_AT_ONCE, most: MOST_READS, name: 'reads' })
  const bodies = new Bodies({
    mostOfTenant: maxBytes * BODIES_OF_TENANT,
    most: options.maxTotalBytes ?? maxBytes * BODIES_AT_ONCE,
  })
  return async (request) => {
    try {
      const who = await authorize(request)
      if (who instanceof Response) return who
      const { tenant } = who
      if (!isId(tenant))
        throw new Error('authorize must return a tenant: a text of 1 to 255 characters.')
      if (request.method === 'GET') {
        const lastEventId = request.headers.get('last-event-id')
        const { signal } = request
        return new Response(feeds.open(tenant, { lastEventId, signal }), { headers: EVENT_HEADERS })
      }
      refuseOthers(request)
      const body = await bodies.hold(tenant, async (count) => {
        const asked = await readRequest(request, { maxBytes, maxBodyMs, count })
        const store = new TenantStore(database, tenant)
        if (asked.call === 'read')
          return readAnswer(asked, {
            readRows: (range) =>
              reads.run(tenant, () => store.read((rows) => rows.read(asked.conversationId, range))),
            count: bodies.counter(tenant),
            maxMs: maxBodyMs,
          })
        const work = (): Promise<string> => answer(store, asked)
        if (!isChange(asked)) return reads.run(tenant, work)
        const written = await writes.run(tenant, work)
        feeds.wake(tenant)
        return written
      })
      return new Response(body, { headers: JSON_HEADERS })
    } catch (error) {
      return refusal(error, options)
    }
  }
}

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const JSON_HEADERS = { ...COMMON, 'content-type': 'application/json' }
// Proxies must not buffer the stream.
const EVENT_HEADERS = { ...COMMON, 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' }

/**
 * Refuses other methods and content types. Forms on other sites can't send JSON, so the browser must send a CORS
 * preflight first.
 */
function refuseOthers({ method, headers }: Request): void {
  const type = headers.get('content-type') ?? ''
  if (method === 'POST' && /^application\/json\s*(;|$)/i.test(type)) return
  throw new OffstageError('invalid-input', 'The store takes POST with application/json, and GET.')
}

/** Response for an error. The client's store rejects with the same error. */
function refusal(error: unknown, { database, onError }: StoreHandlerOptions): Response {
  const isOurs = !OffstageError.is(error)
  if (isOurs) onError?.(error)
  const known = isOurs ? unknownError(error, database) : error
  const { status = STATUS[known.code] ?? (isOurs ? 500 : 409), retryAfterMs } = known.details ?? {}
  return new Response(JSON.stringify({ error: known.toData() }), {
    status: Number(status),
    headers: {
      ...JSON_HEADERS,
      ...(isNumber(retryAfterMs) && { 'retry-after': `${Number(retryAfterMs) / 1000}` }),
    },
  })
}

function unknownError(error: unknown, database: SqlDatabase): OffstageError {
  return database.isFull?.(error)
    ? new OffstageError('storage-full', 'The server has no room left.', { retryable: true })
    : new OffstageError('storage-failed', 'The server could not do it.', { retryable: true })
}

/** Other refusals get 409, so that monitoring counts only the server's own faults as server errors. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  'invalid-input': 400,
  'conversation-not-found': 404,
  'storage-full': 507,
}
