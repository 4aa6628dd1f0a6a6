import { authFailed } from './auth-failed.ts'
import type { AuthServer } from './discover.ts'
import { createChallenge, randomText } from './pkce.ts'

/** A log-in that was begun. It is kept until its answer comes, and used once. */
export interface LogIn {
  /** Nobody else knows it: an answer without it is no answer to this. */
  readonly state: string
  readonly verifier: string
  readonly clientId: string
  readonly redirectUrl: string
  readonly server: AuthServer
  /** Of the MCP server that the tokens are for. */
  readonly url: string
}

export interface LogInStart {
  readonly logIn: LogIn
  /** Where the person logs in. */
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
 * The code in an answer (the query of the redirect). Throws `mcp-auth-failed` when the answer isn't one to this log-in, or
 * another server's: `state` and `iss` are compared before anything of it is used (RFC 9207, section 2.4).
 */
export function readAnswer(query: string, { state, server }: LogIn): string {
  const answer = new URLSearchParams(query)
  if (answer.get('state') !== state) throw authFailed('An answer came that belongs to no log-in.')
  const issuer = answer.get('iss')
  if (issuer === null ? server.saysIssuer : issuer !== server.issuer)
    throw authFailed(`The answer to the log-in is not of ${server.issuer}.`)
  const code = answer.get('code')
  if (code !== null && code !== '') return code
  const error = answer.get('error') ?? 'no code'
  throw authFailed(`The log-in was refused: ${/^[\w-]{1,60}$/.test(error) ? error : 'no reason'}.`)
}

export const CHANNEL = 'offstage-mcp-auth'

/** What the popup's page says to the page that opened it. */
export interface AuthMessage {
  readonly query: string
}
