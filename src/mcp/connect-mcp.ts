import { loadPart } from '../client/load-part.ts'
import type { McpOptions } from './options.ts'
import type { McpServer } from './server.ts'

/**
 * Connects to an MCP server over streamable HTTP: revision 2026-07-28, or an older one with a handshake. Loads its
 * code on the first call. Rejects with `invalid-config`, `network`, `timeout`, `authentication`, `permission-denied`,
 * `bad-response`, `response-too-large`, `aborted`, `mcp-error` (the server refused), `mcp-unsupported` (no common
 * revision or transport) and `mcp-auth-failed`.
 */
export async function connectMcp(options: McpOptions): Promise<McpServer> {
  const { connect } = await loadPart(() => import('./connect.ts'))
  return connect(options)
}
