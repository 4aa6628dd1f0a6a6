import { isRecord } from '../../../lib/shape.ts'
import { describeThrown } from '../../../protocol/error.ts'
import type { McpFetch, McpOptions } from '../options.ts'
import { pageFetch } from '../page-fetch.ts'
import { CLIENT_INFO, LEGACY, MODERN } from '../wire.ts'

/** Headers that each revision sends. A server's CORS rules must allow them. */
const SENT_HEADERS = {
  modern: ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
  legacy: ['content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id'],
} as const

/** Time limit for one request. Milliseconds. */
const REQUEST_MS = 10_000

interface Target {
  readonly url: URL
  readonly send: McpFetch
  readonly headers: Readonly<Record<string, string>>
}

/** Implements `diagnoseMcp`. Sends only requests that change nothing on a server that conforms to MCP. */
export async function diagnose(
  address: string | URL,
  options: { readonly token?: string | McpOptions['token']; readonly fetch?: McpFetch },
): Promise<McpDiagnosis> {
  const url = new URL(address, globalThis.document?.baseURI)
  const signal = AbortSignal.timeout(REQUEST_MS)
  const token =
    typeof options.token === 'function'
      ? await options.token({ previousRejected: false, signal })
      : options.token
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const target: Target = { url, send: options.fetch ?? pageFetch, headers }
  const problem = await originProblem(target)
  if (problem) return { problems: [problem] }
  const modern = await refusedHeaders(target, SENT_HEADERS.modern)
  const legacy = await refusedHeaders(target, SENT_HEADERS.legacy)
  if (modern.length > 0 && legacy.length > 0) return { problems: modern.map(headerProblem) }
  const revision = await detectRevision(target, modern.length === 0, legacy.length === 0)
  const refused = refusedOf(revision, { modern, legacy })
  return { ...revision, problems: [...refused.map(headerProblem), ...revision.problems] }
}

/**
 * Refused headers of the revision that the server speaks. If that revision is unknown and no other problem was found,
 * returns the refused headers of both revisions.
 */
function refusedOf(
  { protocolVersion, problems }: McpDiagnosis,
  { modern, legacy }: { readonly modern: readonly string[]; readonly legacy: readonly string[] },
): readonly string[] {
  if (protocolVersion === undefined) return problems.length === 0 ? [...modern, ...legacy] : []
  return protocolVersion === MODERN ? modern : legacy
}

/** Checks whether the server is reachable and allows the page's origin at all. */
async function originProblem({ url, send }: Target): Promise<McpProblem | null> {
  if (await succeeds(() => send(url, request({ method: 'GET' })))) return null
  const isReachable = await succeeds(() => send(url, request({ method: 'GET', mode: 'no-cors' })))
  return isReachable
    ? {
        code: 'cors-origin',
        header: 'Access-Control-Allow-Origin',
        message: `${url.origin} answers, but without Access-Control-Allow-Origin for this page (${globalThis.location?.origin ?? 'its origin'}).`,
      }
    : {
        code: 'unreachable',
        message: `${url.origin} does not answer: it is not running, or this page may not ask it (connect-src of its CSP; http from an https page).`,
      }
}

/**
 * Headers that the server's CORS rules refuse. Each is tried alone, because a browser reports only that a request
 * failed.
 */
async function refusedHeaders(
  { url, send, headers }: Target,
  names: readonly string[],
): Promise<string[]> {
  const refused: string[] = []
  for (const name of [...names, ...Object.keys(headers)]) {
    const value = name === 'content-type' ? 'application/json' : (headers[name] ?? MODERN)
    if (!(await succeeds(() => send(url, request({ method: 'GET', headers: { [name]: value } })))))
      refused.push(name)
  }
  return refused
}

function headerProblem(header: string): McpProblem {
  return {
    code: 'cors-header',
    header: 'Access-Control-Allow-Headers',
    message: `Access-Control-Allow-Headers lacks ${header}.`,
  }
}

async function detectRevision(
  target: Target,
  withModern: boolean,
  withLegacy: boolean,
): Promise<McpDiagnosis> {
  if (withModern) {
    const answer = await post(
      target,
      { 'mcp-protocol-version': MODERN, 'mcp-method': 'server/discover' },
      {
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': MODERN,
            'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
    )
    if (answer.status === 401) return { problems: await authProblems(target, answer) }
    if (answer.text.includes('"supportedVersions"'))
      return { protocolVersion: MODERN, problems: [] }
  }
  if (!withLegacy) return { problems: [] }
  const params = { protocolVersion: LEGACY[0], capabilities: {}, clientInfo: CLIENT_INFO }
  const answer = await post(target, {}, { method: 'initialize', params })
  if (answer.status === 401) return { problems: await authProblems(target, answer) }
  const version = /"protocolVersion"\s*:\s*"([\d-]+)"/.exec(answer.text)?.[1]
  // The server is reachable, but may support only the revision that could not be tested.
  if (version === undefined && !withModern && answer.status === 400) return { problems: [] }
  if (version === undefined) return { problems: [await pathProblem(target, answer)] }
  return { protocolVersion: version, problems: await sessionProblems(target, version, answer) }
}

/** Checks for a session id that CORS hides from the page. The server refuses further requests without the id. */
async function sessionProblems(
  target: Target,
  version: string,
  { headers }: Answer,
): Promise<McpProblem[]> {
  const id = headers.get('mcp-session-id')
  const sessionHeaders = {
    'mcp-protocol-version': version,
    ...(id !== null && { 'mcp-session-id': id }),
  }
  const { status } = await post(target, sessionHeaders, { method: 'ping' })
  if (id !== null || status < 400) return []
  return [
    {
      code: 'cors-expose',
      header: 'Access-Control-Expose-Headers',
      message:
        "Access-Control-Expose-Headers lacks Mcp-Session-Id: the page can't read its session id.",
    },
  ]
}

async function authProblems(target: Target, { headers }: Answer): Promise<McpProblem[]> {
  const problems: McpProblem[] = [
    { code: 'token-needed', message: `${target.url.origin} asks for a token (401).` },
  ]
  if (headers.get('www-authenticate') === null)
    problems.push({
      code: 'cors-expose',
      header: 'Access-Control-Expose-Headers',
      message: 'The 401 has no WWW-Authenticate, or Access-Control-Expose-Headers lacks it.',
    })
  const path = target.url.pathname.replace(/\/$/, '')
  const candidates = [
    `/.well-known/oauth-protected-resource${path}`,
    '/.well-known/oauth-protected-resource',
  ]
  for (const candidate of candidates) {
    const { status, text } = await get(target, new URL(candidate, target.url), 'application/json')
    if (status === 200 && isRecord(parseOrNull(text))) return problems
  }
  const message = `No metadata says who gives tokens (${candidates[0]}), or it can't be read from this page.`
  return [...problems, { code: 'no-metadata', message }]
}

async function pathProblem(target: Target, { status }: Answer): Promise<McpProblem> {
  const { text, headers } = await get(target, target.url, 'text/event-stream')
  if (headers.get('content-type')?.includes('event-stream') && text.includes('event: endpoint'))
    return {
      code: 'old-transport',
      message:
        'This is the transport of 2024-11-05 (HTTP with SSE), which is not supported. Ask for streamable HTTP, often at /mcp.',
    }
  if (status >= 500)
    return {
      code: 'server-error',
      message: `${target.url.origin} failed (status ${status}): see its log.`,
    }
  return {
    code: 'wrong-path',
    message: `Nothing speaks MCP's streamable HTTP at ${target.url.pathname} (status ${status}).`,
  }
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  /** First piece of the body. */
  readonly text: string
}

async function post(
  { url, send, headers }: Target,
  extraHeaders: Readonly<Record<string, string>>,
  message: object,
): Promise<Answer> {
  return readAnswer(() =>
    send(
      url,
      request({
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
          ...extraHeaders,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      }),
    ),
  )
}

function get({ send }: Target, url: URL, accept: string): Promise<Answer> {
  return readAnswer(() => send(url, request({ method: 'GET', headers: { accept } })))
}

/** Sends a request and reads only the first piece of its body: a stream may never end. */
async function readAnswer(send: () => Promise<Response>): Promise<Answer> {
  try {
    const response = await send()
    const reader = response.body?.getReader()
    const { value } = (await reader?.read().catch(() => undefined)) ?? {}
    await reader?.cancel().catch(() => undefined)
    return {
      status: response.status,
      headers: response.headers,
      text: new TextDecoder().decode(value),
    }
  } catch (thrown) {
    return { status: 0, headers: new Headers(), text: describeThrown(thrown) }
  }
}

async function succeeds(send: () => Promise<Response>): Promise<boolean> {
  try {
    await (await send()).body?.cancel()
    return true
  } catch {
    return false
  }
}

function request(parts: RequestInit): RequestInit {
  return {
    cache: 'no-store',
    credentials: 'omit',
    redirect: parts.mode === 'no-cors' ? 'follow' : 'manual',
    signal: AbortSignal.timeout(REQUEST_MS),
    ...parts,
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Obstacle between a page and an MCP server, with the cause and the place to fix it. */
export interface McpProblem {
  readonly code:
    | 'unreachable'
    | 'cors-origin'
    | 'cors-header'
    | 'cors-expose'
    | 'token-needed'
    | 'no-metadata'
    | 'old-transport'
    | 'wrong-path'
    | 'server-error'
  /** The response header that is missing or incomplete. */
  readonly header?: string
  /** Message for developers: the cause, and where to fix it. */
  readonly message: string
}

/** Result of `diagnoseMcp`: the obstacles between this page and the server. */
export interface McpDiagnosis {
  /** The server's protocol revision, if one was found. */
  readonly protocolVersion?: string
  /** The problems found. If empty, a page can connect. */
  readonly problems: readonly McpProblem[]
}
