import { badConfig } from '../client/failures.ts'
import { textDigest } from '../lib/text-digest.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import { isSafe } from './addresses.ts'
import { createBearer } from './bearer.ts'
import type { ConnectLimit } from './connect-limit.ts'
import { afterSending, badAnswer, stopped } from './failures.ts'
import type { McpOptions } from './options.ts'
import { pageFetch } from './page-fetch.ts'
import { createSecrets, type Secrets } from './secrets.ts'

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** Whether the request may have an effect. A failure after sending then says that the effect is unknown. */
  readonly isCall?: boolean
}

/** Sends requests to one server's endpoint, with the current token. */
export interface HttpLine {
  /** The server's origin, which people see and which gets its tokens. */
  readonly source: string
  /** Digest of the whole URL, because its query may hold a key. */
  readonly endpoint: string
  /** Tokens and header values that were sent. */
  readonly secrets: Secrets
  /**
   * Sends a request. A 401 is answered once with another token; any other status resolves. Rejects with
   * `authentication`, `permission-denied`, `network`, `aborted` or `bad-response` (a redirect).
   */
  send(request: HttpRequest): Promise<Response>
}

type LineOptions = Pick<McpOptions, 'url' | 'headers' | 'token' | 'auth' | 'fetch'>

export function openLine(options: LineOptions, duringLogIn: ConnectLimit['duringLogIn']): HttpLine {
  const url = checkUrl(options)
  const { headers = {} } = options
  const secrets = createSecrets(Object.values(headers))
  const ask = options.fetch ?? pageFetch
  const tokenFor = createBearer({ url, options, fetch: ask, duringLogIn, secrets })

  async function attempt(
    { isCall = false, ...request }: HttpRequest,
    bearer: string | null,
  ): Promise<Response> {
    const { signal } = request
    const all = { ...headers, ...request.headers }
    if (bearer !== null) {
      secrets.add(bearer)
      all['authorization'] = `Bearer ${bearer}`
    }
    if (signal.aborted) throw stopped(signal)
    checkHeaders(all, url.origin, secrets)
    try {
      return await answerTo({ ...request, headers: all })
    } catch (thrown) {
      const failure = asHttpFailure(thrown, signal, { source: url.origin, secrets, isCall })
      throw isCall ? afterSending(failure) : failure
    }
  }

  async function answerTo(request: RequestInit): Promise<Response> {
    const response = await ask(url, {
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
    secrets,
    async send(request) {
      const first = await tokenFor(request.signal)
      const response = await attempt(request, first)
      if (!isRefusal(response)) return response
      const bearer = await tokenFor(request.signal, { response, bearer: first })
      await response.body?.cancel().catch(() => undefined)
      const second = bearer === null ? response : await attempt(request, bearer)
      if (!isRefusal(second)) return second
      await second.body?.cancel().catch(() => undefined)
      throw refused(url.origin, second.status)
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

/** Throws `invalid-config` for headers that a browser refuses. They are never sent, so the connection hasn't failed. */
function checkHeaders(
  headers: Readonly<Record<string, string>>,
  source: string,
  secrets: Secrets,
): void {
  try {
    void new Headers(headers)
  } catch (thrown) {
    // The browser's message contains the refused header's value.
    const why = secrets.redact(describeThrown(thrown))
    throw badConfig(`A header for ${source} can't be sent: ${why}`)
  }
}

function asHttpFailure(
  thrown: unknown,
  signal: AbortSignal,
  { source, secrets, isCall }: Pick<HttpLine, 'source' | 'secrets'> & { readonly isCall: boolean },
): OffstageError {
  if (OffstageError.is(thrown)) return thrown
  if (signal.aborted) return stopped(signal)
  const why = secrets.redact(describeThrown(thrown))
  const cause = why === describeThrown(thrown) ? { cause: thrown } : {}
  return new OffstageError(
    'network',
    isCall
      ? `${source} gave no answer (${why}). If it answers no call at all, diagnoseMcp() says what is missing.`
      : `${source} could not be reached (${why}). In a browser this is often CORS: diagnoseMcp() says what is missing.`,
    { retryable: true, ...cause },
  )
}

/** Checks the URL. Tokens and the app's headers are sent only over TLS or within this machine. */
function checkUrl({ url, token, auth, headers = {} }: LineOptions): URL {
  const address = addressOf(url)
  if (!/^https?:$/.test(address.protocol) || address.username || address.password)
    throw badConfig(
      'The url of an MCP server must be of http or https, without a user or password.',
    )
  const isSecret = token !== undefined || auth !== undefined || Object.keys(headers).length > 0
  if (isSecret && !isSafe(address))
    throw badConfig(
      `${address.origin} is not encrypted: neither a token nor headers are sent there. Use https.`,
    )
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
