import type { Agent } from './client/agent.ts'
import type { JsonObject } from './protocol/json.ts'
import {
  agentFromConfig as create,
  type AgentConfig,
  type ConfigParts,
} from './tools-from/agent-from-config.ts'

export { agentCallable, type AgentCallable, type CallableOptions } from './tools-from/callable.ts'
export { toolsFrom } from './tools-from/tools-from.ts'
export type { ToolsFromOptions } from './tools-from/choose.ts'
export type { AgentConfig, ConfigParts } from './tools-from/agent-from-config.ts'

/**
 * An agent as a configuration says, which is plain JSON; what isn't stands beside it. Throws
 * `invalid-config`, naming what is wrong with it.
 */
export function agentFromConfig(config: AgentConfig | JsonObject, parts?: ConfigParts): Agent {
  return create(config, parts, () => import('./inline/inline-worker.ts'))
}
