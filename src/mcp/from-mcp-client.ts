import { loadPart } from '../client/load-part.ts'
import type { McpClientLike } from './client-line.ts'
import type { McpToolOptions } from './options.ts'
import type { McpServer } from './server.ts'

export interface FromMcpClientOptions extends McpToolOptions {
  /** What people are shown as where the tools come from: a name, or an origin. */
  readonly source: string
}

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
