import { OffstageError } from '../../protocol/error.ts'
import { FORMAT } from '../../protocol/fact.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { createJsonScan } from '../../lib/json/json-scan.ts'
import { parseOrNull } from '../../lib/shape.ts'
import {
  type ShapeCheck,
  isBoolean,
  isRecord,
  isText,
  isIntegerFrom,
  listOf,
  nullOr,
  discriminatedUnion,
  optional,
  shape,
} from '../../lib/shape.ts'
import { readBodyText } from '../../lib/read-text.ts'
import { isTime } from '../../worker/store/fact-table.ts'
import { readPlace } from '../../worker/store/store.ts'
import type { HttpCall, HttpRequest } from '../wire.ts'

/** Maximum characters of an id, which is the size of its columns. */
const LONGEST_ID = 255
const LONGEST_TEXT = 10_000
/** Maximum rows of one append or placement. */
const MOST_ROWS = 20_000
/** Maximum nesting of a body. Values in rows have up to 100 levels; the rows themselves add a few. */
const MOST_LEVELS = 200
/** Maximum values in a body. Rows usually have fewer than 50 values; a body of maximum size could hold 16 million. */
const MOST_VALUES = 500_000
/** Characters to scan before each check of the limits. */
const SCANNED_AT_ONCE = 65_536

/** An id that every database stores unchanged. */
export const isId: ShapeCheck = (value) =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= LONGEST_ID &&
  !/\p{Cs}|\0/u.test(value)

const isShortText: ShapeCheck = (value) => typeof value === 'string' && value.length <= LONGEST_TEXT
/** Checks a list's cursor: a place as text. Any other text means the beginning. */
const isCursor: ShapeCheck = (value) => {
  const position = isShortText(value) ? readPlace(String(value)) : null
  return position === null
    ? isShortText(value)
    : isTime(position.updatedAt) && isId(position.conversationId)
}
const isCount = isIntegerFrom(0)
const isParent = optional(shape({ conversationId: isId, runId: isId, toolCallId: isId }))
const areRows = listOf(isRecord, MOST_ROWS)
const conversation = { conversationId: isId }

const isRequest = discriminatedUnion('call', {
  claim: shape({
    ...conversation,
    at: isTime,
    create: optional(isBoolean),
    parent: isParent,
    claimId: optional(isId),
    attempt: optional(isId),
    ifEpoch: optional(isCount),
    ifSeq: optional(isCount),
  }),
  append: shape({
    ...conversation,
    epoch: isCount,
    appendId: isId,
    order: isIntegerFrom(1),
    rows: areRows,
  }),
  place: shape({
    ...conversation,
    importId: isId,
    createdAt: isTime,
    updatedAt: isTime,
    parent: isParent,
    after: isCount,
    rows: areRows,
    isLast: isBoolean,
  }),
  read: shape({
    ...conversation,
    after: optional(isCount),
    limit: optional(isCount),
    newest: optional(isCount),
  }),
  get: shape(conversation),
  list: shape({ limit: optional(isCount), after: optional(isCursor) }),
  rename: shape({ ...conversation, title: isShortText, at: isTime, ifLastSeq: optional(isCount) }),
  mark: shape({ ...conversation, broken: nullOr(isShortText) }),
  descendants: shape(conversation),
  delete: shape(conversation),
} satisfies Record<HttpCall, ShapeCheck>)

const hasFormat = shape({ format: isCount, seen: optional(isCount) })

interface Limits {
  readonly maxBytes: number
  readonly maxBodyMs: number
  /** Called with the number of bytes read so far. Throws to stop reading. */
  readonly count: (bytes: number) => void
}

/** Reads and checks a body. Throws `invalid-input` for an invalid, too large or too deep request. */
export async function readRequest(request: Request, limits: Limits): Promise<HttpRequest> {
  const value = parseBody(await bodyOf(request, limits))
  if (isRequest(value) && hasFormat(value)) return value as HttpRequest
  if (hasFormat(value)) refuseNewerFormat((value as HttpRequest).format)
  const call = isRecord(value) && isText(value['call']) ? value['call'] : 'anything'
  throw new OffstageError(
    'invalid-input',
    `The body is no request of ${String(call).slice(0, 20)}.`,
  )
}

async function bodyOf({ body }: Request, { maxBytes, maxBodyMs, count }: Limits): Promise<string> {
  const signal = AbortSignal.timeout(maxBodyMs)
  try {
    return await readBodyText(body, {
      onProgress: (bytes) => {
        if (bytes > maxBytes) throw tooLarge(maxBytes)
        count(bytes)
      },
      notUtf8,
      signal,
    })
  } catch (error) {
    throw signal.aborted ? tooSlow(maxBodyMs) : error
  }
}

/**
 * Refuses a newer format: this version might be unable to read it. The page's runs wait until the server is updated.
 */
export function refuseNewerFormat(format: number): void {
  if (format <= FORMAT) return
  throw new OffstageError(
    'storage-failed',
    `The server runs an older Offstage than this page. Update the server, which has format ${FORMAT}.`,
    { retryable: true, details: { format: FORMAT } },
  )
}

function tooLarge(mostBytes: number): OffstageError {
  return new OffstageError(
    'invalid-input',
    `The request has more than ${mostBytes} bytes. Nothing of it was stored.`,
    { details: { mostBytes } },
  )
}

function tooSlow(mostMs: number): OffstageError {
  return new OffstageError('storage-failed', `The body took more than ${mostMs} ms.`, {
    retryable: true,
    details: { status: 408 },
  })
}

function notUtf8(): OffstageError {
  return new OffstageError('invalid-input', 'The body is not UTF-8.')
}

function parseBody(text: string): unknown {
  const scan = createJsonScan()
  // Limits are checked first, because `JSON.parse` blocks the process: 18 s for 8 MB of `[`, 13 s for 30 MB of `{},`.
  for (let at = 0; at < text.length; at += SCANNED_AT_ONCE) {
    scan.push(text.slice(at, at + SCANNED_AT_ONCE))
    refuseBeyond(MOST_LEVELS, scan.maxDepth(), 'levels')
    refuseBeyond(MOST_VALUES, scan.maxValues(), 'values')
  }
  return parseOrNull(text)
}

function refuseBeyond(most: number, count: number, unit: string): void {
  if (count > most)
    throw new OffstageError('invalid-input', `The body has more than ${most} ${unit}.`)
}

/** Time after which a refused client tries again. Milliseconds. */
const RETRY_MS = 1000
/** Maximum size of a small request. Nearly all requests are small. Bytes. */
const SMALL = 65_536
/**
 * Share of all bytes that is reserved for small requests. Large bodies that never end can't block claims and appends.
 */
const SHARE_FOR_SMALL = 1 / 4

interface BodyLimits {
  /** Maximum bytes of one tenant. */
  readonly mostOfTenant: number
  /** Maximum bytes of all tenants together. */
  readonly most: number
}

/** Records how many bytes a request holds now. Throws if the tenant holds too many, or all tenants together. */
export type Count = (bytes: number) => void

/**
 * Counts the bytes of requests in this process, from the first byte read until the answer. Long answers count until the
 * client has read them.
 */
export class Bodies {
  readonly #limits: BodyLimits
  /** Bytes by tenant. */
  readonly #bytesByTenant = new Map<string, number>()
  #total = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  async hold<T>(tenant: string, work: (count: Count) => Promise<T>): Promise<T> {
    const count = this.counter(tenant)
    try {
      return await work(count)
    } finally {
      count(0)
    }
  }

  /** Counts the bytes of one request or answer. */
  counter(tenant: string): Count {
    const { mostOfTenant, most } = this.#limits
    let counted = 0
    return (bytes) => {
      const tenantBytes = (this.#bytesByTenant.get(tenant) ?? 0) + bytes - counted
      const total = this.#total + bytes - counted
      if (bytes > counted && tenantBytes > mostOfTenant) throw tooManyBytes('this tenant', 429)
      if (bytes > counted && total > (bytes > SMALL ? most * (1 - SHARE_FOR_SMALL) : most))
        throw tooManyBytes('all tenants', 503)
      counted = bytes
      this.#total = total
      if (tenantBytes > 0) this.#bytesByTenant.set(tenant, tenantBytes)
      else this.#bytesByTenant.delete(tenant)
    }
  }
}

function tooManyBytes(owner: string, status: number): OffstageError {
  return busy(
    `The requests of ${owner} already have too many bytes on this server. Try again later.`,
    { status },
  )
}

/** Refuses a request that the server may accept later. */
export function busy(message: string, details?: JsonObject): OffstageError {
  return new OffstageError('storage-failed', message, {
    retryable: true,
    details: { status: 429, retryAfterMs: RETRY_MS, ...details },
  })
}
