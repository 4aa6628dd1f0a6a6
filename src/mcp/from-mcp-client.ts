import { loadPart } from '../client/load-part.ts'
import type { FromMcpClientOptions, McpClientLike } from './client-like.ts'
import type { McpServer } from './server.ts'

/**
 * Uses a connected client of the official SDK (`@modelcontextprotocol/client`, or `/sdk`). The client's own handlers
 * answer the server's requests. Call `refresh()` to update the list of tools. Closing the server closes the client.
 */
export async function fromMcpClient(
  client: McpClientLike,
  options: FromMcpClientOptions,
): Promise<McpServer> {
  const { serveClient } = await loadPart(() => import('./client-line.ts'))
  return serveClient(client, options)
}
