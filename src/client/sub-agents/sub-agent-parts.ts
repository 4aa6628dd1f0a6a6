import type { Agent } from '../api/agent.ts'
import type { AgentCore } from '../api/agent-core.ts'
import type { RunStarter } from '../runs/agent-runs.ts'
import type { SubAgentOptions } from '../api/options.ts'

/** An agent that other agents use as a tool. */
export interface SubAgent {
  readonly agent: Agent
  readonly core: AgentCore
  readonly start: RunStarter
  readonly options: SubAgentOptions
}
