import { badConfig } from '../../client/api/failures.ts'
import { textDigest } from '../../lib/text-digest.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { addressOf, isSecureUrl } from './addresses.ts'
import { afterSending, badAnswer, stopped, sanitizeText } from './failures.ts'
import type { McpFetch, McpOptions } from './options.ts'
import { type BodyOptions, pageFetch, piecesOf, readText, tooLarge } from './page-fetch.ts'
import { loadPart } from '../../client/api/load-part.ts'
import type { Authorizer, Refusal } from './auth/authorizer.ts'
import { isRecord } from '../../lib/shape.ts'
import { createParser } from 'eventsource-parser'
import { type Incoming, readMessage } from './wire.ts'

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** True if the request may have an effect. After a failure, the error then says that the effect is unknown. */
  readonly isCall?: boolean
}

/** Sends requests to one server's endpoint, with the current token. */
export interface HttpTransport {
  /** The server's origin. People see it as the source, and tokens are sent only to it. */
  readonly source: string
  /** Digest of the whole URL, because its query may hold a key. */
  readonly endpoint: string
  /**
   * Sends a request. After a 401, tries another token; if a refreshed token is refused, a log-in. Resolves for any
   * other status. Rejects with `authentication`, `permission-denied`, `network`, `aborted` or `bad-response` (a
   * redirect).
   */
  send(request: HttpRequest): Promise<Response>
  /**
   * Yields the JSON-RPC messages of an answer, which is one object or an event stream. Throws `bad-response` for
   * another content type and for invalid JSON. Throws `response-too-large` for a message of more than `maxResultBytes`.
   * `signal`: signal of the request.
   */
  read(response: Response, signal: AbortSignal, position?: StreamPosition): AsyncGenerator<Incoming>
}

/** Default for the maximum bytes of one answer. */
const MAX_BYTES = 1_000_000

type TransportOptions = Pick<
  McpOptions,
  'url' | 'headers' | 'token' | 'auth' | 'fetch' | 'maxResultBytes'
>

/**
 * Names of headers whose values are secrets. Values of other headers stay readable, because they may be part of names
 * that calls need.
 */
const SECRET = /auth|key|token|secret|cookie|pass|cred|session|sign|jwt/i

export function createHttpTransport(
  options: TransportOptions,
  duringLogIn: ConnectLimit['duringLogIn'],
): HttpTransport {
  const url = checkUrl(options)
  const { headers = {}, maxResultBytes: maxBytes = MAX_BYTES } = options
  const secrets = createSecrets(
    Object.entries(headers).flatMap(([name, value]) => (SECRET.test(name) ? [value] : [])),
  )
  const fetchFn = options.fetch ?? pageFetch
  const getBearer = createBearer({ url, options, fetch: fetchFn, duringLogIn, secrets })

  async function attempt(
    { isCall = false, ...request }: HttpRequest,
    bearer: string | null,
  ): Promise<Response> {
    const { signal } = request
    if (bearer !== null) secrets.add(bearer)
    if (signal.aborted) throw stopped(signal)
    const requestHeaders = {
      ...request.headers,
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
    }
    const allHeaders = joinHeaders(headers, requestHeaders, { source: url.origin, secrets })
    try {
      return await fetchResponse({ ...request, headers: allHeaders })
    } catch (thrown) {
      const failure = asHttpFailure(thrown, signal, { source: url.origin, secrets, isCall })
      throw isCall ? afterSending(failure) : failure
    }
  }

  async function fetchResponse(request: RequestInit): Promise<Response> {
    const response = await fetchFn(url, {
      ...request,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'manual',
    })
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw badAnswer(url.origin, 'redirects elsewhere. Use the address that it leads to.')
    return response
  }

  return {
    source: url.origin,
    endpoint: textDigest(url.href),
    read: (response, signal, position) =>
      readMessages(response, { source: url.origin, maxBytes, secrets, signal }, position),
    async send(request) {
      let bearer = await getBearer(request.signal)
      for (let tries = 0; ; tries++) {
        const response = await attempt(request, bearer)
        if (!isRefusal(response)) return response
        const renewed = await getBearer(request.signal, { response, bearer, tries })
        await response.body?.cancel().catch(() => undefined)
        if (renewed === null) throw refusalError(url.origin, response.status)
        bearer = renewed
      }
    },
  }
}

/** Whether another token may help (RFC 6750, section 3.1). */
function isRefusal({ status, headers }: Response): boolean {
  return (
    status === 401 ||
    (status === 403 && /insufficient_scope/.test(headers.get('www-authenticate') ?? ''))
  )
}

function refusalError(source: string, status: number): OffstageError {
  return status === 401
    ? new OffstageError(
        'authentication',
        `${source} asks for a token, or refused the one it got.`,
        {
          details: { status },
        },
      )
    : new OffstageError('permission-denied', `The token for ${source} lacks permission.`, {
        details: { status },
      })
}

/**
 * Joins the app's and the request's headers; the request's take precedence. Throws `invalid-config` for headers that a
 * browser refuses: nothing was sent, so the connection hasn't failed.
 */
function joinHeaders(
  headers: HttpRequest['headers'],
  requestHeaders: HttpRequest['headers'],
  { source, secrets }: Pick<ReadOptions, 'source' | 'secrets'>,
): Record<string, string> {
  try {
    const allHeaders = new Headers(headers)
    for (const [name, value] of Object.entries(requestHeaders)) allHeaders.set(name, value)
    return Object.fromEntries(allHeaders)
  } catch (thrown) {
    // The browser's message contains the refused header's value.
    const reason = secrets.redact(describeThrown(thrown))
    throw badConfig(`A header for ${source} can't be sent: ${reason}`)
  }
}

function asHttpFailure(
  thrown: unknown,
  signal: AbortSignal,
  {
    source,
    secrets,
    isCall,
  }: Pick<ReadOptions, 'source' | 'secrets'> & { readonly isCall: boolean },
): OffstageError {
  if (OffstageError.is(thrown)) return thrown
  if (signal.aborted) return stopped(signal)
  const reason = secrets.redact(describeThrown(thrown))
  const cause = reason === describeThrown(thrown) ? { cause: thrown } : {}
  return new OffstageError(
    'network',
    isCall
      ? `${source} gave no answer (${reason}). If it never answers, diagnoseMcp() says what is missing.`
      : `${source} could not be reached (${reason}). In a browser this is often CORS: diagnoseMcp() says what is missing.`,
    { retryable: true, ...cause },
  )
}

/** Checks the URL. Tokens and the app's headers are sent only over TLS or within this machine. */
function checkUrl({ url, token, auth, headers = {} }: TransportOptions): URL {
  const address = addressOf(url)
  if (!address || !/^https?:$/.test(address.protocol) || address.username || address.password)
    throw badConfig(
      'The url of an MCP server must be of http or https, without a user or password.',
    )
  const isSecret = token !== undefined || auth !== undefined || Object.keys(headers).length > 0
  if (isSecret && !isSecureUrl(address))
    throw badConfig(
      `${address.origin} is not encrypted: neither a token nor headers are sent there. Use https.`,
    )
  address.hash = ''
  return address
}

/**
 * Returns a token; null if there is none. `rejected`: the server's refusal of the last token. If the promise rejects,
 * no request was sent.
 */
type Bearer = (signal: AbortSignal, rejected?: Refusal) => Promise<string | null>

interface BearerParts {
  readonly url: URL
  readonly options: Pick<McpOptions, 'token' | 'auth'>
  readonly fetch: McpFetch
  readonly secrets: Secrets
  /** Runs a step during which the user may have to log in. */
  duringLogIn<Result>(logIn: () => Promise<Result>): Promise<Result>
}

/** Gets tokens from the app's function or by OAuth, which is loaded on demand. */
function createBearer({ url, options, fetch, secrets, duringLogIn }: BearerParts): Bearer {
  const { token, auth } = options
  let authorizer: Promise<Authorizer> | undefined
  const bearer: Bearer = async (signal, rejected) => {
    if (token) {
      if (rejected?.tries) return null
      const text: unknown = await token({ previousRejected: rejected !== undefined, signal })
      if (typeof text !== 'string' || text === '') throw new TypeError('token returned no string.')
      return text
    }
    if (!auth) return null
    authorizer ??= loadPart(() => import('./auth/authorizer.ts')).then(({ createAuthorizer }) =>
      createAuthorizer({ url, options: auth, fetch }),
    )
    const oauth = await authorizer
    return rejected ? duringLogIn(() => oauth.renewToken(rejected, signal)) : oauth.getToken()
  }
  return (signal, rejected) =>
    bearer(signal, rejected).catch((thrown: unknown) => {
      if (OffstageError.is(thrown)) throw thrown
      if (signal.aborted) throw stopped(signal)
      const reason = secrets.redact(describeThrown(thrown))
      const message = `No token for ${url.origin}, so nothing was sent: ${reason}`
      throw new OffstageError('authentication', message, { cause: thrown })
    })
}

/** Secrets that were sent to one server. They are removed from its results and errors. */
export interface Secrets {
  /** Adds a token. Only the newest tokens are remembered. */
  add(token: string): void
  /** Returns the text without the secrets. */
  redact(text: string): string
  /** Parses JSON, and removes the secrets from its texts and keys. Throws the errors of `JSON.parse`. */
  parse(json: string): unknown
}

/** Minimum length of a secret, because shorter texts could occur anywhere. Characters. */
const MIN_SECRET_LENGTH = 8
/**
 * Maximum number of remembered tokens, because a page may renew them for as long as it is open. A server that returns
 * an older token has kept it deliberately.
 */
const MOST_TOKENS = 50

/**
 * `lasting`: header values that are sent with every request. Each word of a value also counts as a secret (`Bearer …`).
 */
export function createSecrets(lasting: readonly string[]): Secrets {
  const tokens = new Set<string>()
  let longestFirst = splitSecrets(lasting)
  const redact = (text: string): string =>
    longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
  return {
    add(token) {
      tokens.delete(token)
      tokens.add(token)
      const [oldest] = tokens
      if (tokens.size > MOST_TOKENS && oldest !== undefined) tokens.delete(oldest)
      longestFirst = splitSecrets([...lasting, ...tokens])
    },
    redact,
    parse(json) {
      if (longestFirst.length === 0) return JSON.parse(json)
      // Redacts after parsing, because JSON escapes could hide a token.
      return JSON.parse(json, (_key, value: unknown) => {
        if (typeof value === 'string') return redact(value)
        if (!isRecord(value)) return value
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [redact(key), part]))
      })
    },
  }
}

/** Sorts by length, longest first, so that a secret that begins with another one is removed completely. */
function splitSecrets(texts: readonly string[]): readonly string[] {
  const secrets = texts
    .flatMap((text) => [text, ...text.split(/\s+/)])
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
  return [...new Set(secrets)].toSorted((first, second) => second.length - first.length)
}

/** Time limit for the server while connecting, excluding a person's log-in. Milliseconds. */
const CONNECT_MS = 30_000
/** Time limit for a person's log-in. Milliseconds. */
const LOG_IN_MS = 10 * 60_000

/** Time limit for connecting. A person's log-in has its own, longer limit. */
export interface ConnectLimit {
  /** Aborts with `timeout`. */
  readonly signal: AbortSignal
  /** Runs a log-in. The server's time starts again afterwards. */
  duringLogIn<Result>(logIn: () => Promise<Result>): Promise<Result>
  /** Ends the limit once connected. The signal no longer aborts. */
  end(): void
}

export function createConnectLimit(): ConnectLimit {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const limitTo = (ms: number, message: string): void => {
    clearTimeout(timer)
    if (isOver) return
    timer = setTimeout(() => {
      controller.abort(new OffstageError('timeout', message, { retryable: true }))
    }, ms)
  }
  const limitToServer = (): void => limitTo(CONNECT_MS, 'The MCP server did not answer in time.')
  limitToServer()
  return {
    signal: controller.signal,
    async duringLogIn(logIn) {
      limitTo(LOG_IN_MS, 'The log-in took too long.')
      try {
        return await logIn()
      } finally {
        limitToServer()
      }
    },
    end() {
      isOver = true
      clearTimeout(timer)
    },
  }
}

interface ReadOptions extends BodyOptions {
  /** Secrets that were sent to the server and are removed from its messages. */
  readonly secrets: Secrets
}

/** Position of an event stream when it ended (Last-Event-ID, `retry`). */
export interface StreamPosition {
  lastEventId?: string
  retryMs?: number
}

async function* readMessages(
  response: Response,
  options: ReadOptions,
  position: StreamPosition = {},
): AsyncGenerator<Incoming> {
  const contentType = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
  const type = contentType.toLowerCase()
  if (type === 'text/event-stream') return yield* readEvents(response, options, position)
  if (type !== 'application/json')
    throw badAnswer(
      options.source,
      `answered with ${sanitizeText(options.secrets.redact(contentType), 100) || 'no content type'}, and not with JSON or events.`,
    )
  yield* messagesOf(await readText(response, options), options)
}

async function* readEvents(
  response: Response,
  options: ReadOptions,
  position: StreamPosition,
): AsyncGenerator<Incoming> {
  let data: string[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: options.maxBytes,
    onEvent(event) {
      if (event.id !== undefined) position.lastEventId = event.id
      if (event.data.length > options.maxBytes) isTooLarge = true
      else if (event.data !== '') data.push(event.data)
    },
    onRetry: (ms) => void (position.retryMs = ms),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') isTooLarge = true
    },
  })
  for await (const piece of piecesOf(response, options)) {
    parser.feed(piece)
    if (isTooLarge) throw tooLarge(options.source, options.maxBytes)
    const [events] = [data]
    data = []
    for (const event of events) yield* messagesOf(event, options)
  }
}

function* messagesOf(text: string, { source, secrets }: ReadOptions): Generator<Incoming> {
  let value: unknown
  try {
    value = secrets.parse(text)
  } catch {
    throw badAnswer(source, 'sent invalid JSON.')
  }
  // Batches exist only in revision 2025-03-26.
  for (const item of Array.isArray(value) ? value : [value]) {
    const message = readMessage(item)
    if (message) yield message
  }
}
