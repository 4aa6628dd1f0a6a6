import type { Agent } from './client/agent.ts'
import { createAgent as create } from './client/create-agent.ts'
import type { AgentOptions } from './client/options.ts'

export * from './client/entry.ts'

/** As in `offstage`; where the worker's file can't be loaded, no inline worker takes its place. */
export function createAgent(options: AgentOptions): Agent {
  return create(options)
}
