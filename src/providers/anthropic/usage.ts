import type { Usage } from '../../protocol/message.ts'
import { asCount, asList, asRecord, type JsonRecord } from '../core/read-json.ts'

type CountName = Exclude<keyof Usage, 'estimated'>

const fields: readonly (readonly [CountName, string])[] = [
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['cachedInputTokens', 'cache_read_input_tokens'],
  ['cacheWriteTokens', 'cache_creation_input_tokens'],
  ['reasoningTokens', 'thinking_tokens'],
]

/**
 * The counts so far with those of one more event. They are cumulative, so the later ones count; a zero
 * where there was a number is what proxies send for "unknown".
 */
export function addUsage(usage: Usage | undefined, source: unknown): Usage | undefined {
  const given = asRecord(source)
  if (!given) return usage
  const record = { ...given, ...asRecord(given['output_tokens_details']) }
  const known: { -readonly [Name in CountName]?: number } = { ...usage }
  for (const [name, field] of fields) {
    const count = sumOfIterations(record, field) ?? asCount(record[field])
    if (count !== undefined && !(count === 0 && known[name])) known[name] = count
  }
  return Object.keys(known).length === 0 ? undefined : known
}

/**
 * What several samplings came to (https://platform.claude.com/docs/en/build-with-claude/compaction): the
 * counts beside the list leave out those of compactions and of advisors.
 */
function sumOfIterations(usage: JsonRecord, field: string): number | undefined {
  const counts = asList(usage['iterations']).flatMap(
    (entry) => asCount(asRecord(entry)?.[field]) ?? [],
  )
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count)
}
