import { loadPart } from '../client/load-part.ts'
import { isRecord } from '../lib/shape.ts'
import { OffstageError } from '../protocol/error.ts'
import { refusedBy, unsupported } from './failures.ts'
import type { HttpLine } from './http.ts'
import type { McpLine, ServerInfo } from './line.ts'
import { ModernLine, type RevisionOptions, sendModern } from './modern.ts'
import { readServerInfo } from './read-server-info.ts'
import { type Fields, type Incoming, LEGACY, MODERN, RPC, type RpcError } from './wire.ts'

/** Result of asking for the modern revision. */
type Probed =
  | { readonly type: 'modern'; readonly info: ServerInfo }
  /** The server may support a handshake. `why`: error to report if that fails, too. */
  | { readonly type: 'legacy'; readonly why?: OffstageError }

/**
 * Finds out which revision a server speaks, and connects. Asks for 2026-07-28 first, then tries the handshake
 * (2026-07-28, streamable HTTP, "Backward Compatibility").
 */
export async function openServer(
  http: HttpLine,
  options: RevisionOptions,
  signal: AbortSignal,
): Promise<McpLine> {
  const probed = await probe(http, options, signal)
  if (probed.type === 'modern') return new ModernLine(http, probed.info, options)
  try {
    const { openLegacy } = await loadPart(() => import('./legacy.ts'))
    return await openLegacy(http, options, signal)
  } catch (thrown) {
    throw probed.why && !signal.aborted ? probed.why : thrown
  }
}

async function probe(
  http: HttpLine,
  options: RevisionOptions,
  signal: AbortSignal,
): Promise<Probed> {
  try {
    const request = { method: 'server/discover', params: {}, signal }
    const { id, status, messages } = await sendModern(http, options, request)
    for await (const message of messages) {
      const probed = readProbe(http.source, message, { id, status })
      if (probed) return probed
    }
    return { type: 'legacy' }
  } catch (thrown) {
    if (!OffstageError.is(thrown) || signal.aborted) throw thrown
    // CORS rules of an older server refuse the newer headers, which looks like an unreachable server.
    if (thrown.code === 'network') return { type: 'legacy', why: thrown }
    if (thrown.code === 'bad-response') return { type: 'legacy' }
    throw thrown
  }
}

function readProbe(
  source: string,
  message: Incoming,
  { id, status }: { readonly id: string; readonly status: number },
): Probed | null {
  if (message.type === 'result' && message.id === id) return readDiscovery(message.result)
  if (message.type === 'error' && (message.id === id || status >= 400))
    return readRefusal(source, message.error)
  return null
}

function readDiscovery(result: Fields): Probed {
  const { supportedVersions, capabilities, instructions, _meta: meta } = result
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN))
    return { type: 'legacy' }
  const said = isRecord(meta) ? meta['io.modelcontextprotocol/serverInfo'] : undefined
  return {
    type: 'modern',
    info: readServerInfo(said, {
      protocolVersion: MODERN,
      capabilities: isRecord(capabilities) ? capabilities : {},
      instructions,
    }),
  }
}

/** Reads a refusal. A modern server's is final; any other comes from an older server. */
function readRefusal(source: string, error: RpcError): Probed {
  const { code, data } = error
  if (code === RPC.headerMismatch || code === RPC.missingCapability) throw refusedBy(source, error)
  if (code !== RPC.unsupportedVersion) return { type: 'legacy' }
  const supported: readonly unknown[] =
    isRecord(data) && Array.isArray(data.supported) ? data.supported : []
  if (!supported.some((version) => LEGACY.includes(String(version))))
    throw unsupported(`${source} speaks no revision of MCP that is supported.`)
  return { type: 'legacy' }
}
