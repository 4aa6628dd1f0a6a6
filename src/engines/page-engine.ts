import type { Engine } from '../protocol/engine.ts'
import type { EngineDefinition } from './engine-definition.ts'
import { servePort } from './serve-port.ts'

/**
 * An engine on the page itself, for models that only the page can reach. Computing here blocks the page: run engines
 * that compute in a worker (`workerEngine`).
 */
export function pageEngine(
  definition: EngineDefinition,
  { toolMode }: Pick<Engine, 'toolMode'> = {},
): Engine {
  const lines = new Map<string, () => void>()
  return {
    id: definition.id,
    ...(toolMode && { toolMode }),
    async open({ agentId }) {
      const { port1, port2 } = new MessageChannel()
      lines.get(agentId)?.()
      lines.set(agentId, servePort(definition, port1))
      return { port: port2, instance: 'page', watch: 'none' }
    },
    release(agentId) {
      lines.get(agentId)?.()
      if (lines.delete(agentId) && lines.size === 0) void definition.dispose?.()
    },
  }
}
