import type { ModelConfig } from './options.ts'

/** A copy that later changes to the object that was passed, or to its headers, don't reach. */
export function copyConfig(config: ModelConfig): ModelConfig {
  const { headers } = config
  return { ...config, ...(typeof headers === 'object' && { headers: { ...headers } }) }
}
