import {
  type ConnectLimit,
  createConnectLimit,
  type HttpTransport,
  createHttpTransport,
} from './http.ts'
import { refusedBy, stopped, unsupported } from './failures.ts'
import type { McpOptions } from './options.ts'
import { type McpServer, createMcpServer } from './server.ts'
import { badConfig } from '../../client/api/failures.ts'
import { loadPart } from '../../client/api/load-part.ts'
import { isRecord } from '../../lib/shape.ts'
import { OffstageError } from '../../protocol/error.ts'
import { type McpConnection, readServerInfo, type ServerInfo } from './connection.ts'
import { ModernConnection, sendModern } from './modern.ts'
import { type Fields, type Incoming, LEGACY, MODERN, RPC, type RpcError } from './wire.ts'

/** Implements `connectMcp`. */
export async function connect(options: McpOptions): Promise<McpServer> {
  checkOptions(options)
  const limit = createConnectLimit()
  try {
    return await connectWithin(options, limit)
  } finally {
    limit.end()
  }
}

async function connectWithin(options: McpOptions, limit: ConnectLimit): Promise<McpServer> {
  const { signal, elicitation } = options
  const http = createHttpTransport(options, limit.duringLogIn)
  const connectSignal = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
  if (connectSignal.aborted) throw stopped(connectSignal)
  const connection = await openServer(http, elicitation !== undefined, connectSignal)
  const address = new URL(options.url, globalThis.document?.baseURI)
  const server = await closeOnFailure(
    connectSignal,
    () => connection.close(),
    () =>
      createMcpServer(connection, options, {
        address: address.origin + address.pathname,
        connecting: connectSignal,
      }),
  )
  signal?.addEventListener('abort', () => void server.close(), { once: true })
  return server
}

/** Runs `work`. If it fails or the signal aborts, closes the session. */
async function closeOnFailure<Result>(
  signal: AbortSignal,
  close: () => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const stop = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(stopped(signal)), { once: true })
    })
    return await Promise.race([work(), stop])
  } catch (thrown) {
    await close()
    throw thrown
  }
}

const KINDS: { readonly [Name in keyof Required<McpOptions>]: string } = {
  url: 'string object',
  headers: 'object',
  token: 'function',
  auth: 'object',
  trusted: 'boolean',
  prefix: 'string',
  include: 'array function',
  maxResultBytes: 'number',
  timeoutMs: 'number',
  elicitation: 'ask_user function',
  resourceTools: 'boolean',
  pins: 'object',
  onDefinitionChange: 'function',
  onDiagnostic: 'function',
  fetch: 'function',
  signal: 'object',
}

/** Throws `invalid-config` for an unknown option or one of the wrong type. */
function checkOptions(options: object): void {
  if (typeof options !== 'object' || options === null) throw badConfig('connectMcp needs options.')
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name as keyof McpOptions] : undefined
    if (!kind)
      throw badConfig(`connectMcp has no ${name}. It has ${Object.keys(KINDS).join(', ')}.`)
    if (value !== undefined && !kind.split(' ').includes(kindOf(value)))
      throw badConfig(`${name} of connectMcp has the wrong type.`)
  }
}

function kindOf(value: unknown): string {
  if (value === 'ask_user') return 'ask_user'
  if (typeof value === 'number') return value > 0 ? 'number' : 'not above 0'
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}

/** Result of asking for the modern revision. */
type ProbeResult =
  | { readonly type: 'modern'; readonly info: ServerInfo }
  /** The server may support a handshake. `why`: the error to report if the handshake also fails. */
  | { readonly type: 'legacy'; readonly why?: OffstageError }

/**
 * Finds out which revision a server supports, and connects. Requests 2026-07-28 first, then tries the handshake
 * (2026-07-28, streamable HTTP, "Backward Compatibility").
 */
async function openServer(
  http: HttpTransport,
  canElicit: boolean,
  signal: AbortSignal,
): Promise<McpConnection> {
  const probed = await probe(http, canElicit, signal)
  if (probed.type === 'modern') return new ModernConnection(http, probed.info, canElicit)
  try {
    const { openLegacy } = await loadPart(() => import('./legacy.ts'))
    return await openLegacy(http, canElicit, signal)
  } catch (thrown) {
    const isRefused = OffstageError.is(thrown) && /auth|denied/.test(thrown.code)
    throw probed.why && !signal.aborted && !isRefused ? probed.why : thrown
  }
}

async function probe(
  http: HttpTransport,
  canElicit: boolean,
  signal: AbortSignal,
): Promise<ProbeResult> {
  try {
    const request = { method: 'server/discover', params: {}, signal }
    const { id, status, messages } = await sendModern(http, canElicit, request)
    for await (const message of messages) {
      const probed = readProbe(http.source, message, { id, status })
      if (probed) return probed
    }
    return { type: 'legacy' }
  } catch (thrown) {
    if (!OffstageError.is(thrown) || signal.aborted) throw thrown
    // An older server's CORS rules refuse the newer headers, so the server looks unreachable.
    if (thrown.code === 'network') return { type: 'legacy', why: thrown }
    if (thrown.code === 'bad-response') return { type: 'legacy' }
    throw thrown
  }
}

function readProbe(
  source: string,
  message: Incoming,
  { id, status }: { readonly id: string; readonly status: number },
): ProbeResult | null {
  if (message.type === 'result' && message.id === id) return readDiscovery(message.result)
  if (message.type === 'error' && (message.id === id || status >= 400))
    return readRefusal(source, message.error)
  return null
}

function readDiscovery(result: Fields): ProbeResult {
  const { supportedVersions, capabilities, instructions, _meta: meta } = result
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN))
    return { type: 'legacy' }
  const serverInfo = isRecord(meta) ? meta['io.modelcontextprotocol/serverInfo'] : undefined
  return {
    type: 'modern',
    info: readServerInfo(serverInfo, {
      protocolVersion: MODERN,
      capabilities,
      instructions,
    }),
  }
}

/** Reads a refusal. A refusal by a modern server is final; any other refusal comes from an older server. */
function readRefusal(source: string, error: RpcError): ProbeResult {
  const { code, data } = error
  if (code === RPC.headerMismatch || code === RPC.missingCapability) throw refusedBy(source, error)
  if (code !== RPC.unsupportedVersion) return { type: 'legacy' }
  const supported: readonly unknown[] =
    isRecord(data) && Array.isArray(data.supported) ? data.supported : []
  if (!supported.some((version) => LEGACY.includes(String(version))))
    throw unsupported(`${source} speaks no supported revision of MCP.`)
  return { type: 'legacy' }
}
