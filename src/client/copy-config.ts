import type { ModelConfig } from './options.ts'

/** Copies a configuration, so that later changes to the object or its headers have no effect. */
export function copyConfig(config: ModelConfig): ModelConfig {
  const { headers } = config
  return { ...config, ...(typeof headers === 'object' && { headers: { ...headers } }) }
}
