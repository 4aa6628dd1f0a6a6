import { OffstageError, type ErrorCode } from '../../protocol/error.ts'
import { EVENT_STREAM } from '../wire.ts'
import { answer, isChange } from './answers.ts'
import type { SqlDatabase } from './database.ts'
import { follow } from './follow.ts'
import { isId, readRequest } from './read-request.ts'
import { TenantStore } from './tenant-store.ts'
import { Wakes } from './wakes.ts'

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
  /** How often each stream of changes asks the database what other processes have written. Default 1000. Milliseconds. */
  readonly pollMs?: number
  /** After so long a stream of changes ends, and the client asks anew. Default 5 minutes. Milliseconds. */
  readonly maxStreamMs?: number
  /** Told of what went wrong here, of which the client hears nothing but that. */
  onError?(error: unknown): void
}

/** Answers a request, as the routes of frameworks do that have the web's own `Request` and `Response`. */
export type StoreHandler = (request: Request) => Promise<Response>

const MIB = 1024 * 1024

/** The server of `httpStore`, at one address of the app's own: POST asks for something, GET follows what changes. */
export function createStoreHandler(options: StoreHandlerOptions): StoreHandler {
  const { database, authorize, maxBytes = 32 * MIB } = options
  const wakes = new Wakes()
  return async (request) => {
    try {
      const who = await authorize(request)
      if (who instanceof Response) return who
      const { tenant } = who
      if (!isId(tenant))
        throw new Error('authorize must return a tenant: a text of 1 to 255 characters.')
      const store = new TenantStore(database, tenant)
      if (request.method === 'GET')
        return stream(request, store, { ...options, changed: wakes.of(tenant) })
      refuseOthers(request)
      const asked = await readRequest(request, maxBytes)
      const body = await answer(store, asked)
      if (isChange(asked)) wakes.wake(tenant)
      return new Response(body, { headers: JSON_HEADERS })
    } catch (error) {
      return refusal(error, options)
    }
  }
}

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const JSON_HEADERS = { ...COMMON, 'content-type': 'application/json' }

/** Forms of other sites can't send this type, so the browser asks the server before it sends anything of theirs. */
function refuseOthers({ method, headers }: Request): void {
  const type = headers.get('content-type') ?? ''
  if (method === 'POST' && /^application\/json\b/i.test(type)) return
  throw new OffstageError('invalid-input', 'The store takes POST with application/json, and GET.')
}

function stream(
  request: Request,
  store: TenantStore,
  {
    pollMs = 1000,
    maxStreamMs = 300_000,
    changed,
    onError,
  }: StoreHandlerOptions & { readonly changed: (signal: AbortSignal) => Promise<void> },
): Response {
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, request.signal])
  const events = follow(store, {
    lastEventId: request.headers.get('last-event-id'),
    pollMs,
    mostMs: maxStreamMs,
    changed,
    signal,
  })
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await events.next()
        if (ended.signal.aborted) return
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      } catch (error) {
        onError?.(error)
        controller.error(error)
      }
    },
    cancel: () => ended.abort(),
  })
  // Servers in between must not keep what comes until there is more.
  const headers = { ...COMMON, 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' }
  return new Response(body, { headers })
}

/** An error as the client's store rejects with it. */
function refusal(error: unknown, { database, onError }: StoreHandlerOptions): Response {
  const known = OffstageError.is(error) ? error : unknownError(error, database)
  if (known !== error) onError?.(error)
  const body = JSON.stringify({ error: known.toData() })
  return new Response(body, { status: statusOf(known.code), headers: JSON_HEADERS })
}

function unknownError(error: unknown, database: SqlDatabase): OffstageError {
  // The stack's end, for what the client could still send: it would be the same each time.
  if (error instanceof RangeError)
    return new OffstageError('invalid-input', 'This is nested too deeply.', { cause: error })
  return database.isFull?.(error)
    ? new OffstageError('storage-full', 'The server has no room left.', { retryable: true })
    : new OffstageError('storage-failed', 'The server could not do it.', { retryable: true })
}

function statusOf(code: ErrorCode): number {
  switch (code) {
    case 'invalid-input':
      return 400
    case 'conversation-not-found':
      return 404
    case 'ownership-lost':
    case 'conversation-broken':
    case 'storage-newer':
      return 409
    case 'storage-full':
      return 507
    default:
      return 500
  }
}
