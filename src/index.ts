import type { Agent } from './client/api/agent.ts'
import { createAgent as create } from './client/api/create-agent.ts'
import type { AgentOptions } from './client/api/options.ts'

export * from './client/api/entry.ts'

/** Throws an `OffstageError` for an invalid configuration. Later errors are run outcomes or rejections. */
export function createAgent(options: AgentOptions): Agent {
  return create(options, () => import('./inline/inline-worker.ts'))
}
