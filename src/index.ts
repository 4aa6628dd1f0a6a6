import type { Agent } from './client/agent.ts'
import { createAgent as create } from './client/create-agent.ts'
import type { AgentOptions } from './client/options.ts'

export * from './client/entry.ts'

/** Throws an `OffstageError` for bad configuration; everything later is an outcome or a rejection. */
export function createAgent(options: AgentOptions): Agent {
  return create(options, () => import('./inline/inline-worker.ts'))
}
