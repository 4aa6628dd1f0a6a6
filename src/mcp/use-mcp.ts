import type { Agent } from '../client/agent.ts'
import type { CompositeTool, Tool } from '../client/tool.ts'
import { describeThrown } from '../protocol/error.ts'
import type { McpDiagnostic } from './diagnostic.ts'
import type { McpServer } from './server.ts'

export interface UseMcpOptions {
  /** Unregisters them when aborted. */
  readonly signal?: AbortSignal
  /** Notified of a tool whose name another tool of the agent has: it is left out, and nothing is replaced. */
  readonly onDiagnostic?: (diagnostic: McpDiagnostic) => void
}

/**
 * Registers a server's tools with an agent, and follows their changes: each counts from the next step on. Returns its
 * undo; closing the server is the app's.
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
    const wanted = new Set(server.tools)
    for (const [tool, undo] of registered)
      if (!wanted.has(tool)) {
        registered.delete(tool)
        undo()
      }
    for (const tool of wanted) if (!registered.has(tool)) add(tool)
  }

  if (signal?.aborted) return () => undefined
  update()
  const unsubscribe = server.subscribe(update)
  const stop = (): void => {
    unsubscribe()
    for (const undo of registered.values()) undo()
    registered.clear()
  }
  signal?.addEventListener('abort', stop, { once: true })
  return stop
}
