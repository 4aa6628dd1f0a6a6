import { loadPart } from '../client/load-part.ts'
import type { FromMcpClientOptions, McpClientLike } from './client-like.ts'
import type { McpServer } from './server.ts'

/**
 * The tools of a connected client of the official SDK (`@modelcontextprotocol/client`, or `/sdk`). What the server asks goes
 * to that client's own handlers. Changes of the list are followed when you call `refresh()`. Closing the server closes the client.
 */
export async function fromMcpClient(
  client: McpClientLike,
  options: FromMcpClientOptions,
): Promise<McpServer> {
  const { serveClient } = await loadPart(() => import('./client-line.ts'))
  return serveClient(client, options)
}
