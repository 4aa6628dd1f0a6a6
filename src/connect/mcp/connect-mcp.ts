import { loadPart } from '../../client/api/load-part.ts'
import type {
  FromMcpClientOptions,
  McpClientLike,
  McpDiagnostic,
  McpFetch,
  McpOptions,
  McpKeyStore,
} from './options.ts'
import type { McpServer } from './server.ts'
import type { McpDiagnosis } from './doctor/diagnose.ts'
import type { Agent } from '../../client/api/agent.ts'
import type { CompositeTool, Tool } from '../../client/tools/tool.ts'
import { describeThrown } from '../../protocol/error.ts'

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

/**
 * Finds out why this page can't connect to an MCP server. Call it in the affected page: it sends a page's requests
 * until the cause is known. Rejects with `worker-load-failed`, and with any error that `token` throws.
 */
export async function diagnoseMcp(
  url: string | URL,
  options: { readonly token?: string | McpOptions['token']; readonly fetch?: McpFetch } = {},
): Promise<McpDiagnosis> {
  const { diagnose } = await loadPart(() => import('./doctor/diagnose.ts'))
  return diagnose(url, options)
}

/**
 * Completes a log-in on the page at `auth.redirectUrl`. In a popup, passes the answer to the page that opened it and
 * closes the window. After a redirect, pass the store of `auth`, which then holds the tokens for `connectMcp`. Rejects
 * with `mcp-auth-failed` if the answer matches no log-in that began here.
 */
export async function finishMcpAuth(options: { readonly store?: McpKeyStore } = {}): Promise<void> {
  const { finish } = await loadPart(() => import('./auth/finish.ts'))
  await finish(options.store)
}

/** Options of `useMcp`: when to unregister the tools, and where to report refused ones. */
export interface UseMcpOptions {
  /** Unregisters the tools when aborted. */
  readonly signal?: AbortSignal
  /** Called with each tool that is left out because the agent already has a tool of the same name. */
  readonly onDiagnostic?: (diagnostic: McpDiagnostic) => void
}

/**
 * Registers a server's tools with an agent. Changes apply from the next step on. Returns a function that unregisters
 * the tools; it doesn't close the server.
 */
export function useMcp(
  agent: Pick<Agent, 'registerTool'>,
  server: Pick<McpServer, 'tools' | 'subscribe' | 'source'>,
  { signal, onDiagnostic }: UseMcpOptions = {},
): () => void {
  const registered = new Map<Tool | CompositeTool, () => void>()
  const refused = new Set<Tool | CompositeTool>()

  function add(tool: Tool | CompositeTool): void {
    try {
      registered.set(tool, agent.registerTool(tool))
      refused.delete(tool)
    } catch (thrown) {
      if (refused.has(tool)) return
      refused.add(tool)
      onDiagnostic?.({
        type: 'name-clash',
        tool: tool.name,
        message: `The tool ${tool.name} of ${server.source} is not registered: ${describeThrown(thrown)}`,
      })
    }
  }

  function update(): void {
    const current = new Set(server.tools)
    for (const [tool, unregister] of registered)
      if (!current.has(tool)) {
        registered.delete(tool)
        unregister()
      }
    for (const tool of current) if (!registered.has(tool)) add(tool)
  }

  if (signal?.aborted) return () => undefined
  update()
  const unsubscribe = server.subscribe(update)
  const stop = (): void => {
    unsubscribe()
    for (const unregister of registered.values()) unregister()
    registered.clear()
  }
  signal?.addEventListener('abort', stop, { once: true })
  return stop
}
