import { type ErrorCode, OffstageError } from '../../protocol/error.ts'
import { isNumber, parseOrNull } from '../../lib/shape.ts'
import {
  EVENT_STREAM,
  type HttpAnswer,
  type HttpCall,
  type HttpCalls,
  type HttpRequest,
} from '../wire.ts'
import type { SqlDatabase } from './database.ts'
import { Bodies, busy, type Count, isId, readRequest, refuseNewerFormat } from './read-request.ts'
import { Feeds } from './feeds.ts'
import {
  type TenantResult,
  type Found,
  type FoundRows,
  type RowsRange,
  type TenantRows,
  TenantStore,
  type Writing,
} from './tenant-store.ts'
import { createSerialQueue, type SerialQueue } from '../../lib/serial-queue.ts'
import {
  claimRecord,
  makerOf,
  markRecord,
  publicRecord,
  type RecordChange,
  refuseOrphan,
  type StoredRecord,
  unclaimed,
} from '../../worker/store/record.ts'
import { FORMAT } from '../../protocol/fact.ts'
import {
  applyAppend,
  applyPlacement,
  applyRename,
  committedBefore,
  rowsBefore,
  wasPlaced,
} from '../../worker/store/apply-append.ts'
import { placeAfter, readPlace } from '../../worker/store/store.ts'

/** The owner of the conversations in a request. All requests with the same tenant see the same conversations. */
export interface StoreTenant {
  /** Id of a user or of a team. At most 255 characters. */
  readonly tenant: string
}

/** Options of `createStoreHandler`. Only `database` and `authorize` are required. */
export interface StoreHandlerOptions {
  /** Database of all tenants, with the tables of `STORE_SCHEMA`. `postgresDatabase` and `sqliteDatabase` make one. */
  readonly database: SqlDatabase
  /**
   * Your own authentication, called for every request. Returns the tenant, or a response to send in place of the
   * store's. After a 401 or 403, runs wait until the answer changes.
   */
  authorize(request: Request): StoreTenant | Response | Promise<StoreTenant | Response>
  /** Maximum bytes of a body. Default 32 MiB. */
  readonly maxBytes?: number
  /**
   * Maximum bytes of all requests in this process, counted from a request's first byte until its answer. Further
   * requests get the status 503. Default 16 times `maxBytes`.
   */
  readonly maxTotalBytes?: number
  /** Maximum time for a body to arrive. Default 60 000. Milliseconds. */
  readonly maxBodyMs?: number
  /** Database from which streams read changes: a separate pool, or a replica. Default: `database`. */
  readonly followDatabase?: SqlDatabase
  /**
   * How often this process reads other processes' changes from the database, for all streams at once. Default 1000.
   * Milliseconds.
   */
  readonly pollMs?: number
  /** Maximum waiting changes of one tenant in this process. Further changes get the status 429. Default 100. */
  readonly maxWrites?: number
  /** Maximum streams of one tenant in this process. Further streams get the status 429. Default 1000. */
  readonly maxStreams?: number
  /** Maximum duration of a stream; the client then opens another one. Default 5 minutes. Milliseconds. */
  readonly maxStreamMs?: number
  /** Called with errors of the server, whose details the client doesn't get. */
  onError?(error: unknown): void
}

/** Answers a request. Fits the routes of frameworks that use the web's `Request` and `Response`. */
export type StoreHandler = (request: Request) => Promise<Response>

const MIB = 1024 * 1024
/**
 * Number of bodies of maximum size that this process may hold at once: for one tenant, and for all tenants together.
 */
const BODIES_OF_TENANT = 4
const BODIES_AT_ONCE = 16
/** Maximum reads of one tenant that use this process's database at once, and that wait for it. */
const READS_AT_ONCE = 2
const MOST_READS = 1000

/** Makes the server for `httpStore`, at one URL of your app. POST requests are calls; GET requests follow changes. */
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
      const authorized = await authorize(request)
      if (authorized instanceof Response) return authorized
      const { tenant } = authorized
      if (!isId(tenant))
        throw new Error('authorize must return a tenant: a text of 1 to 255 characters.')
      if (request.method === 'GET')
        return new Response(feeds.open(tenant, request), { headers: EVENT_HEADERS })
      refuseOtherRequests(request)
      const body = await bodies.hold(tenant, async (count) => {
        const storeRequest = await readRequest(request, { maxBytes, maxBodyMs, count })
        const store = new TenantStore(database, tenant)
        if (storeRequest.call === 'read')
          return readAnswer(storeRequest, {
            readRows: (range) =>
              reads.run(tenant, () =>
                store.read((rows) => rows.read(storeRequest.conversationId, range)),
              ),
            count: bodies.counter(tenant),
            maxMs: maxBodyMs,
          })
        const run = (): Promise<string> => answer(store, storeRequest)
        if (!isChange(storeRequest)) return reads.run(tenant, run)
        const written = await writes.run(tenant, run)
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
 * Refuses other methods and content types. Forms on other sites can't send JSON, and scripts there need a CORS
 * preflight.
 */
function refuseOtherRequests({ method, headers }: Request): void {
  const type = headers.get('content-type') ?? ''
  if (method === 'POST' && /^application\/json\s*(;|$)/i.test(type)) return
  throw new OffstageError('invalid-input', 'The store takes POST with application/json, and GET.')
}

/** Response for an error. The client's store rejects with the same error. */
function refusal(error: unknown, { database, onError }: StoreHandlerOptions): Response {
  const isInternal = !OffstageError.is(error)
  if (isInternal) onError?.(error)
  const storeError = isInternal ? unknownError(error, database) : error
  const { status = STATUS[storeError.code] ?? (isInternal ? 500 : 409), retryAfterMs } =
    storeError.details ?? {}
  return new Response(JSON.stringify({ error: storeError.toData() }), {
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
    : new OffstageError('storage-failed', 'The server had an error.', { retryable: true })
}

/** Other refusals get 409, so that monitoring counts only the server's own faults as server errors. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  'invalid-input': 400,
  'conversation-not-found': 404,
  'storage-full': 507,
}

interface Lane {
  readonly queue: SerialQueue
  count: number
}

interface QueueLimits {
  /**
   * Maximum requests of one tenant that use the database at once. Each takes a connection that other tenants may need.
   */
  readonly atOnce: number
  /** Maximum requests of one tenant, including waiting requests. */
  readonly most: number
  /** Kind of requests in these queues, for the error message. */
  readonly name: 'changes' | 'reads'
}

/** Queues the requests of each tenant in this process. A few requests use the database at once, in order of arrival. */
class TenantQueues {
  readonly #limits: QueueLimits
  readonly #lanes = new Map<string, readonly Lane[]>()

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  async run<T>(tenant: string, task: () => Promise<T>): Promise<T> {
    const { atOnce, most, name } = this.#limits
    const lanes = this.#lanes.get(tenant) ?? Array.from({ length: atOnce }, newLane)
    if (countRequests(lanes) >= most)
      throw busy(`This tenant already has ${most} ${name} waiting on this server. Try again later.`)
    this.#lanes.set(tenant, lanes)
    const lane = lanes.reduce((a, b) => (b.count < a.count ? b : a))
    lane.count += 1
    try {
      return await lane.queue(task)
    } finally {
      lane.count -= 1
      if (countRequests(lanes) === 0) this.#lanes.delete(tenant)
    }
  }
}

function newLane(): Lane {
  return { queue: createSerialQueue(), count: 0 }
}

function countRequests(lanes: readonly Lane[]): number {
  return lanes.reduce((sum, { count }) => sum + count, 0)
}

/** Maximum characters of rows read at once: a conversation may exceed this process's memory. */
const MOST_AT_ONCE = 1_000_000
/** Maximum rows of a part: the database measures each of them. */
const MOST_ROWS = 1000

/** Reads rows of the conversation, each time in a new transaction. */
type ReadRows = (range: RowsRange) => Promise<TenantResult<FoundRows>>

const encoder: TextEncoder = new TextEncoder()

interface ReadAnswerOptions {
  readonly readRows: ReadRows
  /** Receives the number of bytes that the client has not read yet. */
  readonly count: Count
  /** Maximum milliseconds that the client may take to read a part. */
  readonly maxMs: number
}

/**
 * A conversation as JSON: a string, or a stream if it is long. The stream reads more rows as the client reads. Rows
 * never change, so all parts together equal the conversation at the time of the request. If the conversation is deleted
 * meanwhile, the stream fails, and the client asks again.
 */
async function readAnswer(
  { after = 0, limit, newest }: HttpCalls['read']['asks'],
  { readRows, count, maxMs }: ReadAnswerOptions,
): Promise<string | ReadableStream<Uint8Array>> {
  const last = limit === undefined ? Number.MAX_SAFE_INTEGER : after + limit
  const range = { after, last, newest: newest ?? null, most: MOST_AT_ONCE, mostRows: MOST_ROWS }
  const { storeId, change, value } = await readRows(range)
  const record = value.record ? publicRecord(value.record) : null
  const state = `"storeId":${JSON.stringify(storeId)},"change":${change}`
  const head = `{${state},"value":{"record":${JSON.stringify(record)},"rows":[${textOf(value)}`
  const end = Math.min(last, record?.lastSeq ?? 0)
  let at = lastIn(value)
  if (at >= end && head.length < MOST_AT_ONCE) return head + END
  let timer: ReturnType<typeof setTimeout> | undefined
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const release = (): void => {
    clearTimeout(timer)
    count(0)
  }
  const send = (text: string): void => {
    const chunk = encoder.encode(at < end ? text : text + END)
    count(chunk.byteLength)
    timer = setTimeout(() => {
      release()
      controller?.error(new Error('The client stopped reading.'))
    }, maxMs)
    controller?.enqueue(chunk)
  }
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start: (streamController) => void (controller = streamController),
    async pull() {
      release()
      if (at >= end) return controller?.close()
      const { value: part } = await readRows({ ...range, after: at, last: end, newest: null })
      if (makerOf(part.record ?? null) !== makerOf(record))
        throw new Error('The conversation was deleted while it was read.')
      at = lastIn(part)
      send(part.rows.length > 0 ? `,${textOf(part)}` : '')
    },
    cancel: release,
  }
  const stream = new ReadableStream(source, { highWaterMark: 0 })
  // Sent outside of the source, whose closure would otherwise keep `head` in memory while the stream is open.
  send(head)
  return stream
}

const END = ']}}'

/** A row that isn't JSON keeps its place, so that the client sets it aside and reads the others. */
function textOf({ rows }: FoundRows): string {
  return rows.map(({ seq, data }) => (parseOrNull(data) ? data : `{"seq":${seq}}`)).join(',')
}

/** `seq` of the last row found. Without rows, the largest number, so that nothing more is read. */
function lastIn({ rows }: FoundRows): number {
  return rows.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER
}

/** Maximum records on one page of a list. A worker requests all pages, one after the other. */
const MOST_LISTED = 1000
/** Characters after which a page ends, because a page of long records would delay other tenants. */
const LIST_LENGTH = 2_000_000
const LISTED_AT_ONCE = 50

type CallInput<Call extends HttpCall> = HttpCalls[Call]['asks'] & Pick<HttpRequest, 'seen'>
type Value<Call extends HttpCall> = HttpCalls[Call]['answers']

/** Carries out a request in one transaction and returns the answer as JSON. `read` uses `readAnswer` instead. */
async function answer(
  store: TenantStore,
  request: Exclude<HttpRequest, { readonly call: 'read' }>,
): Promise<string> {
  if (WRITES.has(request.call)) refuseOtherFormat(request.format)
  switch (request.call) {
    case 'claim':
      return json(await store.write((writing) => claim(writing, request)))
    case 'append':
      return json(await store.write((writing) => append(writing, request)))
    case 'place':
      return json(await store.write((writing) => place(writing, request)))
    case 'rename':
      return json(await store.write((writing) => rename(writing, request)))
    case 'mark':
      return json(await store.write((writing) => mark(writing, request)))
    case 'delete':
      return json(await store.write((writing) => remove(writing, request)))
    case 'get':
      return json(await store.read((rows) => get(rows, request)))
    case 'list':
      return json(await store.read((rows) => list(rows, request)))
    case 'descendants':
      return json(await store.read((rows) => descendants(rows, request)))
    default:
      return request satisfies never
  }
}

/** Calls that write rows, or that allow the caller to write them. */
const WRITES: ReadonlySet<HttpCall> = new Set(['claim', 'append', 'place', 'rename'])

/** Whether followers must be notified of the call. */
function isChange({ call }: HttpRequest): boolean {
  return WRITES.has(call) || call === 'mark' || call === 'delete'
}

/** Refuses another format than this version's: its rows would have another meaning. */
function refuseOtherFormat(format: number): void {
  if (format < FORMAT)
    throw new OffstageError(
      'storage-newer',
      `The server has a newer Offstage (format ${FORMAT}): reload the page or update the package.`,
      { details: { format: FORMAT } },
    )
  refuseNewerFormat(format)
}

/**
 * Refuses a request sent before the newest change of its conversation. A client that still waits for the answer repeats
 * the request at once. A late copy has no waiting client, and would undo the change.
 */
function refuseLate(
  changedAt: Found['changedAt'],
  { seen, change }: { readonly seen: number | undefined; readonly change: number },
): void {
  if (seen === undefined || changedAt === null || changedAt <= seen) return
  throw new OffstageError('storage-failed', 'The conversation has changed since this was sent.', {
    retryable: true,
    details: { change: change - 1 },
  })
}

function json<T>({ storeId, change, value }: Required<HttpAnswer<T>>): string {
  return JSON.stringify({ storeId, change, value } satisfies HttpAnswer<T>)
}

async function claim(
  { rows, storeId, change, takeEpoch }: Writing,
  { conversationId, at, seen, ...options }: CallInput<'claim'>,
): Promise<Value<'claim'>> {
  const { record, changedAt } = await rows.find(conversationId)
  const found = record ?? unclaimed(conversationId, at, options)
  // The conditions of a claim refuse a late copy, except if the conversation was deleted.
  if (record === undefined) refuseLate(changedAt, { seen, change })
  const parent = found.parent && (await rows.find(found.parent.conversationId)).record
  refuseOrphan(found, parent !== undefined)
  const claimed = claimRecord(found, await takeEpoch(), options)
  if (claimed !== found) await rows.put(claimed, { changedAt, change })
  return { storeId, epoch: claimed.epoch }
}

async function append(
  { rows, change }: Writing,
  request: CallInput<'append'>,
): Promise<Value<'append'>> {
  const { record: found, changedAt } = await rows.find(request.conversationId)
  const earlier = committedBefore(found, request)
  if (found && earlier) {
    const { first, count } = earlier
    // Unlimited, because these rows were in one append, whose size was limited.
    const stored = await rows.read(request.conversationId, {
      after: first - 1,
      last: first - 1 + count,
      newest: null,
      most: Number.MAX_SAFE_INTEGER,
      mostRows: count,
    })
    const written = rowsBefore(
      request,
      earlier,
      stored.rows.map(({ data }) => parseOrNull(data)),
    )
    return { record: publicRecord(found), first, rows: written }
  }
  const applied = applyAppend(found, request)
  await rows.put(applied.record, { changedAt, change })
  await rows.add(applied.rows)
  const first = applied.record.lastSeq - applied.rows.length + 1
  return { record: publicRecord(applied.record), first }
}

async function place(
  { rows, change, takeEpoch }: Writing,
  placement: CallInput<'place'>,
): Promise<Value<'place'>> {
  const { conversationId, after } = placement
  const { record, changedAt } = await rows.find(conversationId)
  if (wasPlaced(record, placement)) return true
  refuseLate(changedAt, { seen: placement.seen, change })
  const epoch = after === 0 ? await takeEpoch() : 0
  const placed = applyPlacement(record, placement, epoch)
  if (placed === null) return false
  // Rows of an earlier, unfinished import.
  if (after === 0) await rows.deleteRows(conversationId)
  await rows.put(placed.record, { changedAt, change })
  await rows.add(placed.rows)
  return true
}

function rename(
  writing: Writing,
  { conversationId, seen, ...name }: CallInput<'rename'>,
): Promise<Value<'rename'>> {
  return changeRecord(writing, { conversationId, seen }, (record) => applyRename(record, name))
}

async function mark(
  writing: Writing,
  { conversationId, broken, seen }: CallInput<'mark'>,
): Promise<Value<'mark'>> {
  await changeRecord(writing, { conversationId, seen }, (record) => markRecord(record, broken))
  return null
}

/** Changes a record. False if there is none, or `update` returns null. */
async function changeRecord(
  { rows, change }: Writing,
  { conversationId, seen }: { readonly conversationId: string; readonly seen: number | undefined },
  update: (record: StoredRecord) => RecordChange | null,
): Promise<boolean> {
  const { record, changedAt } = await rows.find(conversationId)
  const changed = record === undefined ? null : update(record)
  if (changed === null) return false
  refuseLate(changedAt, { seen, change })
  await rows.put(changed.record, { changedAt, change })
  await rows.add(changed.rows)
  return true
}

async function remove(
  { rows, change }: Writing,
  { conversationId, seen }: CallInput<'delete'>,
): Promise<Value<'delete'>> {
  const { record, changedAt } = await rows.find(conversationId)
  if (record === undefined) return false
  refuseLate(changedAt, { seen, change })
  for (const id of await rows.treeOf(conversationId)) await rows.bury(id, change)
  return true
}

async function get(rows: TenantRows, { conversationId }: CallInput<'get'>): Promise<Value<'get'>> {
  const { record } = await rows.find(conversationId)
  return record ? publicRecord(record) : null
}

async function list(
  rows: TenantRows,
  { limit = MOST_LISTED, after }: CallInput<'list'>,
): Promise<Value<'list'>> {
  const most = Math.min(limit, MOST_LISTED)
  const records: ReturnType<typeof publicRecord>[] = []
  let position = readPlace(after)
  for (let length = 0; records.length < most && length < LIST_LENGTH;) {
    const pageSize = Math.min(LISTED_AT_ONCE, most - records.length)
    const found = await rows.list(pageSize, position)
    records.push(...found.map(({ record }) => publicRecord(record)))
    if (found.length < pageSize) return { records, next: null }
    length += found.reduce((sum, each) => sum + each.length, 0)
    position = records.at(-1) ?? null
  }
  const last = records.at(-1)
  const [more] = last ? await rows.list(1, last) : []
  return { records, next: last && more ? placeAfter(last) : null }
}

async function descendants(
  rows: TenantRows,
  { conversationId }: CallInput<'descendants'>,
): Promise<Value<'descendants'>> {
  const [, ...below] = await rows.treeOf(conversationId)
  return below
}
