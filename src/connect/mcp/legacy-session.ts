import { badAnswer, refusedBy, unsupported } from './failures.ts'
import type { HttpTransport, StreamPosition } from './http.ts'
import { readServerInfo, type ServerInfo } from './connection.ts'
import { CLIENT_INFO, type Fields, type Incoming, LEGACY } from './wire.ts'

/** A completed handshake (2025-11-25, basic/lifecycle). */
export interface Session {
  readonly info: ServerInfo
  /** Missing if the server keeps no session. */
  readonly id?: string
}

export interface Posted {
  readonly status: number
  readonly messages: AsyncGenerator<Incoming>
  /** Position at which the stream ended. A resumed stream continues there. */
  readonly position: StreamPosition
  readonly sessionId: string | null
}

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

let newestId = 0

export function newId(): number {
  return ++newestId
}

/** Posts one message. `session`: null before a session exists. */
export async function postLegacy(
  http: HttpTransport,
  message: Fields,
  options: {
    readonly session: Session | null
    readonly signal: AbortSignal
  },
): Promise<Posted> {
  const { session, signal } = options
  const response = await http.send({
    method: 'POST',
    headers: { ...JSON_HEADERS, ...sessionHeaders(session) },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    signal,
    isCall: message.method === 'tools/call',
  })
  const position: StreamPosition = {}
  return {
    status: response.status,
    messages: http.read(response, signal, position),
    position,
    sessionId: response.headers.get('mcp-session-id'),
  }
}

export function sessionHeaders(session: Session | null): Record<string, string> {
  return {
    ...(session && { 'mcp-protocol-version': session.info.protocolVersion }),
    ...(session?.id !== undefined && { 'mcp-session-id': session.id }),
  }
}

/** Begins a session. Rejects with `mcp-unsupported` if the server speaks no known revision, or another transport. */
export async function initialize(
  http: HttpTransport,
  canElicit: boolean,
  signal: AbortSignal,
): Promise<Session> {
  const id = newId()
  const params = {
    protocolVersion: LEGACY[0],
    capabilities: canElicit ? { elicitation: { form: {} } } : {},
    clientInfo: CLIENT_INFO,
  }
  const options = { session: null, signal }
  const posted = await postLegacy(http, { id, method: 'initialize', params }, options)
  const session = readSession(await resultOf(http, posted, id), posted.sessionId, http.source)
  const notified = await postLegacy(
    http,
    { method: 'notifications/initialized' },
    { ...options, session },
  )
  await notified.messages.return(undefined)
  return session
}

async function resultOf(http: HttpTransport, posted: Posted, id: number): Promise<Fields> {
  const { status, messages } = posted
  if (status === 404 || status === 405) {
    await messages.return(undefined)
    throw unsupported(
      `${http.source} has no MCP server at this path (status ${status}). In doubt, diagnoseMcp() says what is missing.`,
    )
  }
  for await (const message of messages) {
    if (message.type === 'error') throw refusedBy(http.source, message.error)
    if (message.type === 'result' && message.id === id) return message.result
  }
  throw badAnswer(http.source, `did not answer the handshake (status ${status}).`)
}

function readSession(result: Fields, id: string | null, source: string): Session {
  const { protocolVersion, serverInfo, capabilities, instructions } = result
  if (typeof protocolVersion !== 'string' || !LEGACY.includes(protocolVersion))
    throw unsupported(`${source} speaks a revision of MCP that is not supported.`)
  // "MUST only contain visible ASCII characters".
  if (id !== null && !/^[!-~]{1,1000}$/.test(id))
    throw badAnswer(source, 'gave a wrong session id.')
  return {
    info: readServerInfo(serverInfo, { protocolVersion, capabilities, instructions }),
    ...(id !== null && { id }),
  }
}

export function isLostSession(status: number, session: Session): boolean {
  return status === 404 && session.id !== undefined
}
