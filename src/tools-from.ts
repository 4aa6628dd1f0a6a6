import type { Agent } from './client/api/agent.ts'
import type { JsonObject } from './protocol/json.ts'
import {
  agentFromConfig as create,
  type AgentConfig,
  type ConfigParts,
} from './connect/tools-from/agent-from-config.ts'

export {
  agentCallable,
  type AgentCallable,
  type CallableOptions,
} from './connect/tools-from/callable.ts'
export { toolsFrom } from './connect/tools-from/tools-from.ts'
export type { ToolsFromOptions } from './connect/tools-from/methods.ts'
export type {
  AgentConfig,
  BlackboardConfig,
  CompositeToolConfig,
  ConfigParts,
  KeptMemoryConfig,
  MemoryConfig,
  SkillConfig,
  SubAgentConfig,
  SubAgentParts,
} from './connect/tools-from/agent-from-config.ts'

/**
 * Creates an agent or a team of agents from a plain JSON configuration. `parts` has the functions and objects that JSON
 * can't contain. Throws `invalid-config`. The message names the mistake and its place, which is also in `details.path`.
 */
export function agentFromConfig(config: AgentConfig | JsonObject, parts?: ConfigParts): Agent {
  return create(config, parts, () => import('./client/inline/inline-worker.ts'))
}
