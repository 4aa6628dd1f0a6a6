import { loadPart } from '../client/load-part.ts'
import { badConfig } from '../client/failures.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { Authorizer } from './auth/authorizer.ts'
import { badAnswer } from './failures.ts'
import type { McpFetch, McpOptions } from './options.ts'

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** One server's endpoint: what is sent there, with the token of the moment. */
export interface HttpLine {
  /** The server's origin: what people are shown, and where its tokens go. */
  readonly source: string
  /** Tokens that were sent; the server must not say them back. */
  readonly secrets: readonly string[]
  /**
   * Any status but 401, which is asked again once with another token. Rejects with `authentication`,
   * `permission-denied`, `network`, `aborted` or `bad-response` (a redirect).
   */
  send(request: HttpRequest): Promise<Response>
}

type LineOptions = Pick<McpOptions, 'url' | 'headers' | 'token' | 'auth' | 'fetch'>

/** Texts that are shorter are no tokens, and may be anywhere. */
const SHORTEST_SECRET = 8

export function openLine(options: LineOptions): HttpLine {
  const url = checkUrl(options)
  const { headers = {}, token } = options
  const secrets = new Set(Object.values(headers).filter(isSecret))
  const ask: McpFetch = options.fetch ?? ((...request) => fetch(...request))
  let authorizer: Promise<Authorizer> | undefined
  const authorizerOf = (auth: NonNullable<McpOptions['auth']>): Promise<Authorizer> =>
    (authorizer ??= loadPart(() => import('./auth/authorizer.ts')).then(({ createAuthorizer }) =>
      createAuthorizer({ url, options: auth, fetch: ask }),
    ))

  async function tokenFor(rejected: Response | null, signal: AbortSignal): Promise<string | null> {
    if (token) return token({ previousRejected: rejected !== null, signal })
    if (!options.auth) return null
    const part = await authorizerOf(options.auth)
    return rejected ? part.answer(rejected, signal) : part.current()
  }

  async function attempt(request: HttpRequest, bearer: string | null): Promise<Response> {
    const all = { ...headers, ...request.headers }
    if (bearer !== null) {
      if (isSecret(bearer)) secrets.add(bearer)
      all['authorization'] = `Bearer ${bearer}`
    }
    const response = await ask(url, {
      ...request,
      headers: all,
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
    get secrets() {
      return [...secrets]
    },
    async send(request) {
      const { signal } = request
      try {
        const response = await attempt(request, await tokenFor(null, signal))
        if (!isRefusal(response)) return response
        const bearer = await tokenFor(response, signal)
        await response.body?.cancel()
        const second = bearer === null ? response : await attempt(request, bearer)
        if (!isRefusal(second)) return second
        await second.body?.cancel().catch(() => undefined)
        throw refused(url.origin, second.status)
      } catch (thrown) {
        throw asHttpFailure(thrown, url.origin, signal)
      }
    },
  }
}

/** What another token may help against (RFC 6750, section 3.1). */
function isRefusal({ status, headers }: Response): boolean {
  return (
    status === 401 ||
    (status === 403 && /insufficient_scope/.test(headers.get('www-authenticate') ?? ''))
  )
}

function refused(source: string, status: number): OffstageError {
  return status === 401
    ? new OffstageError(
        'authentication',
        `${source} asks for a token, or refused the one it got.`,
        {
          details: { status },
        },
      )
    : new OffstageError('permission-denied', `${source} says that the token is not enough.`, {
        details: { status },
      })
}

function asHttpFailure(thrown: unknown, source: string, signal: AbortSignal): OffstageError {
  if (OffstageError.is(thrown)) return thrown
  if (signal.aborted) return stopped(signal)
  return new OffstageError(
    'network',
    `${source} could not be reached (${describeThrown(thrown)}). In a browser this is often CORS: diagnoseMcp() says what is missing.`,
    { retryable: true, cause: thrown },
  )
}

/** Why a request was given up. */
export function stopped({ reason }: AbortSignal): OffstageError {
  if (OffstageError.is(reason)) return reason
  return reason instanceof DOMException && reason.name === 'TimeoutError'
    ? new OffstageError('timeout', 'The MCP server did not answer in time.', { retryable: true })
    : new OffstageError('aborted', 'The request to the MCP server was stopped.')
}

/** A token is sent over TLS only, or within this machine. */
function checkUrl({ url, token, auth }: LineOptions): URL {
  const address = addressOf(url)
  if (!/^https?:$/.test(address.protocol) || address.username || address.password)
    throw badConfig(
      'The url of an MCP server must be of http or https, without a user or password.',
    )
  if ((token || auth) && !isSafe(address))
    throw badConfig(`${address.origin} is not encrypted: a token is not sent there. Use https.`)
  address.hash = ''
  return address
}

function addressOf(url: string | URL): URL {
  try {
    return new URL(url, globalThis.document?.baseURI)
  } catch {
    throw badConfig('The url of an MCP server must be an address.')
  }
}

/** Nobody on the way reads what is sent there. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}

function isSecret(text: string): boolean {
  return text.length >= SHORTEST_SECRET
}
