import type { ErrorData } from '../../protocol/error.ts'
import type { RequestConfig } from '../provider.ts'
import type { ChatRules } from './presets.ts'

/** What endpoints have refused of a request, so that they don't get it again. */
export interface RefusedFields {
  /** The rules with what was learned of this endpoint and model. */
  apply(rules: ChatRules, config: RequestConfig): ChatRules
  /** Whether the error names a field that can be left out or has another name. */
  learn(rules: ChatRules, config: RequestConfig, error: ErrorData): boolean
}

/**
 * Behind one provider id there may be any server. One that refuses `stream_options`, or knows only the
 * other name of the token limit, names it in its error; the request is sent again without.
 */
export function createRefusedFields(): RefusedFields {
  const learned = new Map<string, Partial<ChatRules>>()
  const keyOf = ({ baseURL, model }: RequestConfig): string => JSON.stringify([baseURL, model])
  const apply: RefusedFields['apply'] = (rules, config) => ({
    ...rules,
    ...learned.get(keyOf(config)),
  })
  return {
    apply,
    learn(rules, config, error) {
      if (error.code !== 'bad-request') return false
      const current = apply(rules, config)
      const change = changeFor(current, error.message)
      if (!change) return false
      learned.set(keyOf(config), { ...learned.get(keyOf(config)), ...change })
      return true
    },
  }
}

function changeFor(rules: ChatRules, message: string): Partial<ChatRules> | undefined {
  if (rules.asksUsage && /stream_options|include_usage/.test(message)) return { asksUsage: false }
  if (!new RegExp(`\\b${rules.tokenField}\\b`).test(message)) return undefined
  // A value that is too high names the field as well.
  if (!/unsupported|unrecognized|unknown|not support|extra|unexpected/i.test(message))
    return undefined
  return { tokenField: rules.tokenField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' }
}
