import type { Agent } from './client/agent.ts'
import { createAgent as create } from './client/create-agent.ts'
import type { AgentOptions } from './client/options.ts'

export * from './client/entry.ts'

/** Throws an `OffstageError` for an invalid configuration. Later errors are run outcomes or rejections. */
export function createAgent(options: AgentOptions): Agent {
  return create(options, () => import('./inline/inline-worker.ts'))
}
