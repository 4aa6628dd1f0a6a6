import type { ErrorData } from '../../protocol/error.ts'
import type { RequestConfig } from '../provider.ts'

/** Which endpoints and models have refused strict tools, so that they don't get them again. */
export interface RefusedStrict {
  /** The configuration, without what was refused. */
  apply(config: RequestConfig): RequestConfig
  /** Whether the error is about the tools' schemas, which were strict. */
  learn(config: RequestConfig, error: ErrorData): boolean
}

export function createRefusedStrict(): RefusedStrict {
  const refused = new Set<string>()
  const keyOf = ({ baseURL, model }: RequestConfig): string => JSON.stringify([baseURL, model])
  return {
    apply(config) {
      if (!refused.has(keyOf(config))) return config
      const { strictTools: _, ...rest } = config
      return rest
    },
    learn(config, { code, message }) {
      if (!config.strictTools || code !== 'bad-request' || refused.has(keyOf(config))) return false
      if (!/\bstrict\b|schema|grammar/i.test(message)) return false
      refused.add(keyOf(config))
      return true
    },
  }
}
