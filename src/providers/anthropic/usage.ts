import type { Usage } from '../../protocol/message.ts'
import { asCount, asRecord } from '../core/read-json.ts'

const fields: readonly (readonly [keyof Usage, string])[] = [
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['cachedInputTokens', 'cache_read_input_tokens'],
  ['cacheWriteTokens', 'cache_creation_input_tokens'],
]

/**
 * The counts so far with those of one more event. They are cumulative, so the later ones count; a zero
 * where there was a number is what proxies send for "unknown".
 */
export function addUsage(usage: Usage | undefined, source: unknown): Usage | undefined {
  const record = asRecord(source)
  if (!record) return usage
  const known: { -readonly [Name in keyof Usage]: Usage[Name] } = { ...usage }
  for (const [name, field] of fields) {
    const count = asCount(record[field])
    if (count !== undefined && !(count === 0 && known[name])) known[name] = count
  }
  return Object.keys(known).length === 0 ? undefined : known
}
