import type { Agent } from './agent.ts'
import type { AgentCore } from './agent-core.ts'
import type { RunStarter } from './start-run.ts'
import type { SubAgentOptions } from './sub-agent-options.ts'

/** An agent that is a tool of others. */
export interface SubAgent {
  readonly agent: Agent
  readonly core: AgentCore
  readonly start: RunStarter
  readonly options: SubAgentOptions
}
