import type { Agent } from '../client/agent.ts'
import type { CompositeTool, Tool } from '../client/tool.ts'
import { describeThrown } from '../protocol/error.ts'
import type { McpDiagnostic } from './diagnostic.ts'
import type { McpServer } from './server.ts'

export interface UseMcpOptions {
  /** Unregisters the tools when aborted. */
  readonly signal?: AbortSignal
  /** Reports a tool that is left out because the agent already has a tool with its name. */
  readonly onDiagnostic?: (diagnostic: McpDiagnostic) => void
}

/**
 * Registers a server's tools with an agent. Changes apply from the next step on. Returns a function that unregisters
 * the tools; the app closes the server.
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
