import { authFailed } from './read-document.ts'
import type { AuthServer } from './discover.ts'

/** A log-in in progress. It is kept until its answer arrives, and used once. */
export interface LogIn {
  /** Random text that nobody else knows. An answer without it doesn't belong to this log-in. */
  readonly state: string
  readonly verifier: string
  readonly clientId: string
  readonly redirectUrl: string
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
  return { logIn: { state, verifier, clientId, redirectUrl, server, url }, address: address.href }
}

/**
 * Reads the code from an answer (the query of the redirect). Throws `mcp-auth-failed` if the answer belongs to another
 * log-in or server. Compares `state` and `iss` before it uses anything else (RFC 9207, section 2.4).
 */
export function readAnswer(query: string, { state, server }: LogIn): string {
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

/** The secret verifier of one log-in, and its public challenge (RFC 7636, S256). */
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
