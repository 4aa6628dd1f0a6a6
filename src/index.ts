import type { Agent } from './client/api/agent.ts'
import { createAgent as create } from './client/api/create-agent.ts'
import type { AgentOptions } from './client/api/options.ts'

export * from './client/api/entry.ts'

/**
 * Creates an agent; only `model` is required. Starts nothing: the worker starts with the first run, or when stored
 * conversations are first read. Throws an `OffstageError` for invalid options. Later errors are reported as outcomes of
 * runs, or reject promises.
 *
 * @example
 * const agent = createAgent({
 *   model: { provider: 'ollama', model: 'qwen3:4b' },
 *   instructions: 'You help customers of a shop.',
 *   tools: [addToCart],
 * })
 * const { text } = await agent.run('Two blue mugs, please').result
 */
export function createAgent(options: AgentOptions): Agent {
  return create(options, () => import('./client/inline/inline-worker.ts'))
}
