import type { Agent } from './agent.ts'
import type { AgentCore } from './agent-core.ts'
import type { RunStarter } from './agent-runs.ts'
import type { SubAgentOptions } from './options.ts'

/** An agent that other agents use as a tool. */
export interface SubAgent {
  readonly agent: Agent
  readonly core: AgentCore
  readonly start: RunStarter
  readonly options: SubAgentOptions
}
