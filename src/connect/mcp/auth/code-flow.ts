import { withTimeLimit, authFailed, readDocument } from './read-document.ts'
import type { AuthServer } from './discover.ts'
import type { OffstageError } from '../../../protocol/error.ts'
import type { McpFetch, McpKeyStore } from '../options.ts'
import { isRecord } from '../../../lib/shape.ts'

/** A log-in in progress. Kept until its answer arrives, and used only once. */
export interface LogIn {
  /** Random secret. An answer without it doesn't belong to this log-in. */
  readonly state: string
  readonly verifier: string
  readonly clientId: string
  readonly redirectUrl: string
  /** Scopes that were requested. */
  readonly scope?: string | undefined
  readonly server: AuthServer
  /** URL of the MCP server that the tokens are for. */
  readonly url: string
}

export interface LogInStart {
  readonly logIn: LogIn
  /** URL at which the person logs in. */
  readonly address: string
}

export async function beginLogIn(
  server: AuthServer,
  {
    url,
    clientId,
    redirectUrl,
    scope,
  }: {
    readonly url: string
    readonly clientId: string
    readonly redirectUrl: string
    readonly scope: string | undefined
  },
): Promise<LogInStart> {
  const [{ verifier, challenge }, state] = [await createChallenge(), randomText()]
  const address = new URL(server.authorizationEndpoint)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUrl,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: server.resource,
    ...(scope !== undefined && { scope }),
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return {
    logIn: { state, verifier, clientId, redirectUrl, scope, server, url },
    address: address.href,
  }
}

/** Exchanges the code of an answer for tokens, and stores these. Resolves to the access token. */
export async function endLogIn(
  query: string,
  logIn: LogIn,
  { store, fetch: fetchFn, signal }: RequestContext & { readonly store: McpKeyStore },
): Promise<string> {
  const { server, clientId, verifier, redirectUrl, url, scope } = logIn
  // An answer without scopes grants the requested ones (RFC 6749, section 5.1).
  const grant = { server, clientId, scope }
  const parameters = {
    grant_type: 'authorization_code',
    code: readAuthorizationCode(query, logIn),
    code_verifier: verifier,
    redirect_uri: redirectUrl,
  }
  const tokens = await withTimeLimit(signal, (requestSignal) =>
    requestTokens(parameters, grant, { fetch: fetchFn, signal: requestSignal }),
  )
  const keys = keysOf(new URL(url), redirectUrl)
  if (!('access' in tokens)) {
    if (isUnknownClient(tokens)) await store.removeItem(keys.client(server))
    throw tokenError(server, tokens)
  }
  await store.setItem(keys.tokens, JSON.stringify(tokens))
  return tokens.access
}

/**
 * Reads the code from an answer (the query of the redirect). Throws `mcp-auth-failed` if the answer belongs to another
 * log-in or server. Compares `state` and `iss` before it uses anything else (RFC 9207, section 2.4).
 */
function readAuthorizationCode(query: string, { state, server }: LogIn): string {
  const answer = new URLSearchParams(query)
  if (answer.get('state') !== state)
    throw authFailed('The answer matches no log-in. Connect again.')
  const issuer = answer.get('iss')
  if (issuer === null ? server.saysIssuer : issuer !== server.issuer)
    throw authFailed(`The answer to the log-in is not from ${server.issuer}.`)
  const code = answer.get('code')
  if (code !== null && code !== '') return code
  const error = answer.get('error') ?? 'no code'
  throw authFailed(`The log-in was refused: ${/^[\w-]{1,60}$/.test(error) ? error : 'no reason'}.`)
}

export const CHANNEL = 'offstage-mcp-auth'

/** Message from the popup to the page that opened it. */
export interface AuthMessage {
  readonly query: string
}

/** Secret verifier of a log-in, and its public challenge (RFC 7636, S256). */
interface Challenge {
  readonly verifier: string
  readonly challenge: string
}

async function createChallenge(): Promise<Challenge> {
  const verifier = randomText()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: urlSafe(new Uint8Array(digest)) }
}

/** 256 random bits, 43 url-safe characters. */
function randomText(): string {
  return urlSafe(crypto.getRandomValues(new Uint8Array(32)))
}

function urlSafe(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

/** Tokens, and the only server that they are sent to. */
export interface Tokens {
  readonly access: string
  readonly refresh?: string
  readonly scope?: string | undefined
  readonly clientId: string
  readonly server: AuthServer
}

interface RequestContext {
  readonly fetch: McpFetch
  readonly signal: AbortSignal
}

/** Why no tokens were issued. `error`: an error code of RFC 6749, section 5.2, if the server sent one. */
export interface TokenRefusal {
  readonly status: number
  readonly error?: string
}

/**
 * Requests tokens with the code of a log-in, or with a refresh token. Fields that the answer omits keep the values of
 * `grant`.
 */
export async function requestTokens(
  parameters: Readonly<Record<string, string>>,
  grant: Omit<Tokens, 'access'>,
  { fetch: fetchFn, signal }: RequestContext,
): Promise<Tokens | TokenRefusal> {
  const { server, clientId } = grant
  const body = new URLSearchParams({
    ...parameters,
    client_id: clientId,
    resource: server.resource,
  }).toString()
  const response = await sendRequest(fetchFn, new URL(server.tokenEndpoint), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body,
    signal,
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
  })
  if (!response.ok) {
    const error = (await readDocument(response))?.error
    return { status: response.status, ...(typeof error === 'string' && { error }) }
  }
  const value = await readDocument(response)
  if (!value || !isToken(value.access_token) || !isBearer(value.token_type))
    throw authFailed(`${server.issuer} gave no bearer token.`)
  const { access_token: access, refresh_token: refresh, scope } = value
  return {
    ...grant,
    access,
    ...(typeof refresh === 'string' && { refresh }),
    ...(typeof scope === 'string' && { scope }),
  }
}

/** Whether the refusal is temporary, so that the credentials may still be valid. */
export function isTemporary({ status }: TokenRefusal): boolean {
  return status >= 500 || status === 408 || status === 429
}

/** Whether the credentials that were sent are no longer valid. */
export function isRevoked(refusal: TokenRefusal): boolean {
  return refusal.error === 'invalid_grant' || isUnknownClient(refusal)
}

/** Whether the authorization server doesn't know the app, so that the app must register again. */
export function isUnknownClient({ error }: TokenRefusal): boolean {
  return error === 'invalid_client'
}

/** Error for a refusal. Omits the server's text, which may repeat the credentials. */
export function tokenError({ issuer }: AuthServer, refusal: TokenRefusal): OffstageError {
  const { status } = refusal
  return isTemporary(refusal)
    ? authFailed(`${issuer} gives no token now (status ${status}). Try again later.`, {
        retryable: true,
        details: { status },
      })
    : authFailed(`${issuer} gave no token for the log-in (status ${status}).`, {
        details: { status },
      })
}

/**
 * Registers the app with the authorization server (RFC 7591). Only for servers that don't accept client metadata
 * documents.
 */
export async function register(
  server: AuthServer,
  client: { readonly name: string; readonly redirectUrl: string },
  { fetch: fetchFn, signal }: RequestContext,
): Promise<string> {
  if (server.registrationEndpoint === undefined)
    throw authFailed(`${server.issuer} lets no app register itself. Pass clientId.`)
  const isLocal = /^https?:\/\/(localhost|127\.|\[::1\])/.test(client.redirectUrl)
  const response = await sendRequest(fetchFn, new URL(server.registrationEndpoint), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      client_name: client.name,
      redirect_uris: [client.redirectUrl],
      application_type: isLocal ? 'native' : 'web',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
    signal,
    redirect: 'manual',
    credentials: 'omit',
  })
  const value = response.ok ? await readDocument(response) : null
  if (!value || typeof value.client_id !== 'string')
    throw authFailed(`${server.issuer} registered no client (status ${response.status}).`)
  return value.client_id
}

/** Sends a request. Drops the message of a failure, which may contain codes, verifiers or tokens. */
async function sendRequest(
  fetchFn: McpFetch,
  url: URL,
  request: RequestInit & { readonly signal: AbortSignal },
): Promise<Response> {
  try {
    return await fetchFn(url, request)
  } catch {
    request.signal.throwIfAborted()
    throw authFailed(
      `${url.origin}${url.pathname} can't be asked for a token. Its CORS may not allow this page.`,
    )
  }
}

/** Whether a token is valid in a header (RFC 6749, appendix A.12). */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[!-~]+$/.test(value)
}

function isBearer(type: unknown): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'bearer'
}

/** Key of the log-in for which the person left the page. Only the newest is kept. */
export const LOG_IN = 'offstage-mcp:log-in'

export interface Keys {
  readonly tokens: string
  /** Client ids are stored by issuer, because no other authorization server knows them. */
  client(server: AuthServer): string
}

/**
 * Returns keys for a server's tokens and client. Includes the query, which may distinguish tenants. A client is
 * registered for only one redirect address.
 */
export function keysOf({ origin, pathname, search }: URL, redirectUrl: string): Keys {
  const key = `offstage-mcp:${origin}${pathname}${search}`
  return {
    tokens: `${key}:tokens`,
    client: ({ issuer }) => `${key}:client:${issuer}:${redirectUrl}`,
  }
}

/** Reads the stored tokens; null if there are none. */
export async function readTokens(store: McpKeyStore, key: string): Promise<Tokens | null> {
  const value = parseOrNull(await store.getItem(key))
  return isRecord(value) && typeof value.access === 'string' && isRecord(value.server)
    ? (value as unknown as Tokens)
    : null
}

export function parseOrNull(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
