import type { Agent } from './client/api/agent.ts'
import { createAgent as create } from './client/api/create-agent.ts'
import type { AgentOptions } from './client/api/options.ts'

export * from './client/api/entry.ts'

/**
 * Like `createAgent` of `offstage`, but without an inline worker. If the worker's file can't be loaded, there is no
 * fallback.
 */
export function createAgent(options: AgentOptions): Agent {
  return create(options)
}
