import { isSecureUrl } from '../addresses.ts'
import type { McpFetch } from '../options.ts'
import { authFailed, readDocument } from './read-document.ts'

/**
 * A protected server (RFC 9728), with the server that issues its tokens (RFC 8414, or OpenID Connect Discovery 1.0).
 */
export interface AuthServer {
  /** Identifier of the server that tokens are for (RFC 8707). */
  readonly resource: string
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint?: string
  /** Accepts the URL of a client metadata document as a client id. */
  readonly readsClientDocuments: boolean
  /** Includes its issuer in its answers (RFC 9207). */
  readonly saysIssuer: boolean
  /** Scopes that the protected server asks for. */
  readonly scopes?: string
}

interface Discovery {
  readonly url: URL
  readonly fetch: McpFetch
  readonly signal: AbortSignal
  /** The only accepted issuers, which the app trusts. */
  readonly issuers?: readonly string[]
}

/**
 * Finds the authorization server (2026-07-28, basic/authorization). `metadataUrl`: from the server's 401 response.
 * Reads metadata only over https or on this machine, and follows no redirects.
 */
export async function discoverAuth(
  metadataUrl: string | undefined,
  discovery: Discovery,
): Promise<AuthServer> {
  const { url, issuers } = discovery
  const metadata = await readProtection(metadataUrl, discovery)
  const { resource, authorization_servers: servers, scopes_supported: scopes } = metadata
  if (typeof resource !== 'string' || !isSameResource(resource, url))
    throw authFailed(`The metadata of ${url.origin} is about another server.`)
  const listed = Array.isArray(servers)
    ? servers.filter((candidate) => typeof candidate === 'string')
    : []
  const issuer = listed.find((candidate) => issuers === undefined || issuers.includes(candidate))
  if (issuer === undefined)
    throw authFailed(`${url.origin} names no accepted authorization server.`)
  if (!isIssuer(issuer) || (issuers === undefined && !mayName(issuer, url.href)))
    throw unsafeAddress(url.origin)
  const server = await readIssuer(issuer, discovery)
  if (issuers === undefined) checkOrigins(server)
  const joinedScopes = joinScopes(scopes)
  return { ...server, resource, ...(joinedScopes !== '' && { scopes: joinedScopes }) }
}

/** Joins the scopes. Invalid ones are left out (RFC 6749, section 3.3). */
function joinScopes(listed: unknown): string {
  const all: readonly unknown[] = Array.isArray(listed) ? listed : []
  return all.filter((scope) => typeof scope === 'string' && /^[!#-[\]-~]+$/.test(scope)).join(' ')
}

/**
 * Throws if a log-in at one origin would send its code to another origin, which could use the code at the first (RFC
 * 9700, section 4.4). Exempts servers that name themselves in their answers.
 */
function checkOrigins({
  issuer,
  authorizationEndpoint,
  tokenEndpoint,
  saysIssuer,
}: Awaited<ReturnType<typeof readIssuer>>): void {
  const { origin } = new URL(authorizationEndpoint)
  if (saysIssuer || [issuer, tokenEndpoint].some((url) => originOf(url) === origin)) return
  throw authFailed(
    `${issuer} sends log-ins to ${origin}, and codes to ${originOf(tokenEndpoint)}. If that is right, pass issuers: ['${issuer}'].`,
  )
}

async function readProtection(
  metadataUrl: string | undefined,
  discovery: Discovery,
): Promise<Readonly<Record<string, unknown>>> {
  const { url } = discovery
  const path = url.pathname.replace(/\/$/, '')
  const wellKnown = '/.well-known/oauth-protected-resource'
  const addresses =
    metadataUrl !== undefined
      ? [metadataUrl]
      : [...(path ? [`${url.origin}${wellKnown}${path}`] : []), `${url.origin}${wellKnown}`]
  for (const address of addresses) {
    // A server may publish metadata only for its own origin.
    if (originOf(address) !== url.origin)
      throw authFailed(`${url.origin} has its metadata at another origin.`)
    const document = await readMetadata(address, discovery)
    if (document) return document
  }
  throw authFailed(
    `${url.origin} asks for a token, and names no issuer (RFC 9728). Pass token in place of auth.`,
  )
}

async function readIssuer(
  issuer: string,
  discovery: Discovery,
): Promise<Omit<AuthServer, 'resource' | 'scopes'>> {
  for (const address of issuerMetadataUrls(issuer)) {
    const document = await readMetadata(address, discovery)
    if (!document) continue
    // Compares as plain strings, as in RFC 8414, section 3.3.
    if (document.issuer !== issuer) throw authFailed(`${issuer} has metadata of another issuer.`)
    const methods = document.code_challenge_methods_supported
    if (!Array.isArray(methods) || !methods.includes('S256'))
      throw authFailed(`${issuer} doesn't support PKCE with S256.`)
    const registration = document.registration_endpoint
    return {
      issuer,
      authorizationEndpoint: checkEndpoint(document.authorization_endpoint, issuer),
      tokenEndpoint: checkEndpoint(document.token_endpoint, issuer),
      ...(registration !== undefined && {
        registrationEndpoint: checkEndpoint(registration, issuer),
      }),
      readsClientDocuments: document.client_id_metadata_document_supported === true,
      saysIssuer: document.authorization_response_iss_parameter_supported === true,
    }
  }
  throw authFailed(`${issuer} has no metadata that can be read. Its CORS may not allow this page.`)
}

/** Whether the text is an issuer identifier (RFC 8414, section 2). */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return isSecureUrl(url) && !/[?#]/.test(text) && url.username === '' && url.password === ''
}

/** URLs of an issuer's metadata, in the specification's order ("Authorization Server Metadata Discovery"). */
function issuerMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const [oauth, openid] = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
  ]
  return path === ''
    ? [`${origin}${oauth}`, `${origin}${openid}`]
    : [`${origin}${oauth}${path}`, `${origin}${openid}${path}`, `${origin}${path}${openid}`]
}

/** Reads a metadata document; null if there is none. */
async function readMetadata(
  address: string,
  { fetch: fetchFn, signal }: Discovery,
): Promise<Readonly<Record<string, unknown>> | null> {
  const url = new URL(address)
  if (!isSecureUrl(url))
    throw authFailed(`${url.origin} is not encrypted: no metadata is read there.`)
  try {
    const request = { signal, redirect: 'manual', credentials: 'omit', cache: 'no-store' } as const
    const response = await fetchFn(url, { ...request, headers: { accept: 'application/json' } })
    return response.ok ? await readDocument(response) : null
  } catch (thrown) {
    if (signal.aborted) throw thrown
    return null
  }
}

function checkEndpoint(value: unknown, issuer: string): string {
  if (typeof value === 'string' && mayName(value, issuer)) return new URL(value).href
  throw unsafeAddress(issuer)
}

function unsafeAddress(source: string): ReturnType<typeof authFailed> {
  return authFailed(`${source} names an address that is not https, or in your own network.`)
}

/** Hosts on this machine or in its network. Public IPv6 addresses begin with 2 or 3. */
const PRIVATE =
  /^([^.[]+|.+\.(localhost|local|internal)|(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\..*|\[(?![23]).*)\.?$/

/**
 * Whether a server may refer to a URL. A server on the internet must not refer to addresses on this machine or in its
 * network.
 */
function mayName(address: string, server: string): boolean {
  const isPrivate = (url: string): boolean => PRIVATE.test(new URL(url).hostname)
  return (
    URL.canParse(address) &&
    isSecureUrl(new URL(address)) &&
    (isPrivate(server) || !isPrivate(address))
  )
}

/** Whether the identifier covers the server's URL: both are equal, or the URL is below the identifier. */
function isSameResource(resource: string, url: URL): boolean {
  if (!URL.canParse(resource)) return false
  const { origin, pathname } = new URL(resource)
  const path = pathname.replace(/\/$/, '')
  return (
    origin === url.origin && (url.pathname === path || `${url.pathname}/`.startsWith(`${path}/`))
  )
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : ''
}
