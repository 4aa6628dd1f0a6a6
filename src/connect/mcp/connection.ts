import type { Fields, Incoming } from './wire.ts'
import type { HeaderParameter } from './headers.ts'
import { signalWithin } from '../../lib/abort.ts'
import { isRecord } from '../../lib/shape.ts'
import { badAnswer, sanitizeText } from './failures.ts'
import type { RemoteSource } from '../../protocol/tool.ts'

/** A server's description of itself. None of it is verified. */
export interface ServerInfo {
  readonly name: string
  readonly title?: string
  readonly version?: string
  readonly instructions?: string
  readonly protocolVersion: string
  readonly capabilities: Fields
}

export interface RequestOptions {
  readonly signal: AbortSignal
  /** True if the request may be sent again after its answer was lost. */
  readonly repeatable?: boolean
}

/** Answers to a server's questions, with the state that the server wants back (`requestState`). */
export interface Answers {
  readonly inputResponses: Fields
  readonly requestState?: string
}

export interface ToolRequest {
  /** Name of the tool on the server. */
  readonly name: string
  readonly input: Fields
  /** Arguments that are also sent as headers. */
  readonly headers: readonly HeaderParameter[]
}

export interface CallOptions extends RequestOptions {
  readonly answers?: Answers
  progress(value: ProgressNote): void
}

export interface ProgressNote {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** Result of one round of a call: done, or questions of the server. Plain data. */
export type Round =
  | { readonly type: 'done'; readonly result: Fields }
  | { readonly type: 'asks'; readonly requests: Fields; readonly requestState?: string }

/** Lists that a server may have. */
export type ListName = 'tools' | 'resources' | 'prompts'

export interface Listener {
  changed(list: ListName): void
  /** Called when the server can no longer report changes. */
  lost(reason: string): void
}

/** A connected server of any revision. Rejections are `OffstageError`s. */
export interface McpConnection {
  readonly source: string
  /** Digest of the server's whole URL. Missing if only the source is known. */
  readonly endpoint?: string
  readonly info: ServerInfo
  request(method: string, params: Fields, options: RequestOptions): Promise<Fields>
  call(request: ToolRequest, options: CallOptions): Promise<Round>
  /** Reports changes until the line is closed. */
  listen(listener: Listener): void
  close(): Promise<void>
}

/**
 * Reads a server's description of itself (`Implementation` in MCP's schema). Limits its length and removes hidden
 * characters.
 */
export function readServerInfo(
  implementation: unknown,
  details: {
    readonly protocolVersion: string
    readonly capabilities: unknown
    readonly instructions: unknown
  },
): ServerInfo {
  const { protocolVersion, capabilities } = details
  return {
    name: 'mcp',
    ...textsIn(isRecord(implementation) ? implementation : {}, {
      name: 100,
      title: 100,
      version: 100,
    }),
    ...textsIn(details, { instructions: 20_000 }),
    protocolVersion,
    capabilities: isRecord(capabilities) ? capabilities : {},
  }
}

/**
 * Returns the record's texts with these names, without hidden characters and cut to these limits. Omits empty texts.
 */
export function textsIn<Name extends string>(
  record: Fields,
  limits: { readonly [Key in Name]: number },
): { readonly [Key in Name]?: string } {
  const texts: { [name: string]: string } = {}
  for (const [name, limit] of Object.entries<number>(limits)) {
    const value = record[name]
    if (typeof value === 'string' && value !== '') texts[name] = sanitizeText(value, limit)
  }
  return texts as { readonly [Key in Name]?: string }
}

/** Reads a call's progress from a notification. Null: the message is about something else. */
export function readProgress(message: Incoming, token: string | number): ProgressNote | null {
  if (message.type !== 'notification' || message.method !== 'notifications/progress') return null
  const { progressToken, progress, total, message: text } = message.params
  if (progressToken !== token || !isNumber(progress)) return null
  return {
    progress,
    ...(isNumber(total) && { total }),
    ...(typeof text === 'string' && { message: sanitizeText(text, 300) }),
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** Source of a server's tools. */
export function remoteOf(
  { source, endpoint }: Pick<McpConnection, 'source' | 'endpoint'>,
  trusted: boolean,
): RemoteSource {
  return {
    source,
    ...(endpoint !== undefined && { endpoint }),
    ...(trusted && { trusted }),
  }
}

/** Limits that exceed any real server's lists. */
const MAX_PAGES = 50
const MAX_ITEMS = 1000

/** Parameters for one list. */
interface Listing {
  readonly method: string
  readonly field: string
  readonly signal: AbortSignal
  /** Called when the list exceeds the limit. Missing: exceeding the limit is an error. */
  onCut?(message: string): void
}

/** All items of a paginated list (server/utilities/pagination), up to the limit. */
export async function listAll(
  connection: McpConnection,
  listing: Listing,
): Promise<readonly unknown[]> {
  const { method, field, signal } = listing
  const items: unknown[] = []
  const cursors = new Set<string>()
  let params: Fields = {}
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await connection.request(method, params, { signal, repeatable: true })
    const pageItems = result[field]
    if (!Array.isArray(pageItems))
      throw badAnswer(connection.source, `answered ${method} without ${field}.`)
    for (const item of pageItems.slice(0, MAX_ITEMS + 1 - items.length)) items.push(item)
    if (items.length > MAX_ITEMS) {
      const message = `lists more than ${MAX_ITEMS} ${field}`
      if (!listing.onCut) throw badAnswer(connection.source, `${message}.`)
      listing.onCut(message)
      return items.slice(0, MAX_ITEMS)
    }
    const { nextCursor: cursor } = result
    if (typeof cursor !== 'string') return items
    if (cursors.has(cursor)) throw badAnswer(connection.source, `repeats a page of ${method}.`)
    cursors.add(cursor)
    params = { cursor }
  }
  throw badAnswer(connection.source, `lists its ${field} in more than ${MAX_PAGES} pages.`)
}

/** Default time limit for one request to a server. Milliseconds. */
const REQUEST_MS = 60_000

/** Makes the signal for one request. The caller may pass its own signal. */
export type SignalFactory = (signal?: AbortSignal) => AbortSignal

/** Makes signals that abort with `closed` or when the time is up, so that every request ends. */
export function createSignalFactory(ms: number | undefined, closed: AbortSignal): SignalFactory {
  return (signal) => signalWithin(ms ?? REQUEST_MS, closed, ...(signal ? [signal] : []))
}
