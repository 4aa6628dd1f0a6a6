import { OffstageError, type ErrorCode } from '../../protocol/error.ts'
import { isNumber } from '../../lib/shape.ts'
import { EVENT_STREAM } from '../wire.ts'
import { answer, isChange } from './answers.ts'
import type { SqlDatabase } from './database.ts'
import { Bodies } from './bodies.ts'
import { Feeds } from './feeds.ts'
import { isId, readRequest } from './read-request.ts'
import { TenantStore } from './tenant-store.ts'
import { WriteQueues } from './write-queues.ts'

/** Who asks: whoever has the same tenant has the same conversations. */
export interface StoreTenant {
  /** The id of a user, or of a team. At most 255 characters. */
  readonly tenant: string
}

export interface StoreHandlerOptions {
  readonly database: SqlDatabase
  /**
   * The host's own authentication: whose conversations the request is about, or what answers it in place of the store (with the
   * status 401 or 403, runs wait until it is another one). Asked of every request.
   */
  authorize(request: Request): StoreTenant | Response | Promise<StoreTenant | Response>
  /** The largest body. Default 32 MiB. */
  readonly maxBytes?: number
  /** How long a body may take to arrive. Default 60 000. Milliseconds. */
  readonly maxBodyMs?: number
  /** Where changes are read for streams: a pool of its own, or a replica. Default: `database`. */
  readonly followDatabase?: SqlDatabase
  /** How often this process asks the database what others have written, for all its streams at once. Default 1000. Milliseconds. */
  readonly pollMs?: number
  /** Changes of one tenant that wait in this process. One more is refused with the status 429. Default 100. */
  readonly maxWrites?: number
  /** Streams of one tenant in this process. One more is refused with the status 429. Default 1000. */
  readonly maxStreams?: number
  /** After so long a stream of changes ends, and the client asks anew. Default 5 minutes. Milliseconds. */
  readonly maxStreamMs?: number
  /** Told of what went wrong here, of which the client hears nothing but that. */
  onError?(error: unknown): void
}

/** Answers a request, as the routes of frameworks do that have the web's own `Request` and `Response`. */
export type StoreHandler = (request: Request) => Promise<Response>

const MIB = 1024 * 1024
/** Largest bodies that one tenant may have in this process at once. */
const BODIES_AT_ONCE = 4

/** The server of `httpStore`, at one address of the app's own: POST asks for something, GET follows what changes. */
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
  const writes = new WriteQueues(options.maxWrites ?? 100)
  const bodies = new Bodies(maxBytes * BODIES_AT_ONCE)
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
        const work = (): Promise<string> => answer(new TenantStore(database, tenant), asked)
        if (!isChange(asked)) return work()
        const written = await writes.write(tenant, work)
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
// Servers in between must not keep what comes until there is more.
const EVENT_HEADERS = { ...COMMON, 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' }

/** Forms of other sites can't send this type, so the browser asks the server before it sends anything of theirs. */
function refuseOthers({ method, headers }: Request): void {
  const type = headers.get('content-type') ?? ''
  if (method === 'POST' && /^application\/json\s*(;|$)/i.test(type)) return
  throw new OffstageError('invalid-input', 'The store takes POST with application/json, and GET.')
}

/** An error as the client's store rejects with it. */
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

/** Any other refusal is 409, so that only faults of the server count as such where requests are watched. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  'invalid-input': 400,
  'conversation-not-found': 404,
  'storage-full': 507,
}
