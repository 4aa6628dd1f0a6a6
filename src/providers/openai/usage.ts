import type { Usage } from '../../protocol/message.ts'
import { asCount, asRecord, type JsonRecord } from '../core/read-json.ts'

/**
 * Token counts of a chunk, or undefined. Reads OpenAI's `usage`, with DeepSeek's cache fields; Groq's
 * `x_groq.usage`; and llama.cpp's `timings`, sent if no usage was requested.
 */
export function readUsage(chunk: JsonRecord): Usage | undefined {
  const usage = asRecord(chunk['usage']) ?? asRecord(asRecord(chunk['x_groq'])?.['usage'])
  if (usage) return fromUsage(usage)
  const timings = asRecord(chunk['timings'])
  return timings && fromTimings(timings)
}

function fromUsage(usage: JsonRecord): Usage | undefined {
  const prompt = asRecord(usage['prompt_tokens_details']) ?? {}
  const completion = asRecord(usage['completion_tokens_details']) ?? {}
  return counts({
    inputTokens: asCount(usage['prompt_tokens']) ?? asCount(usage['input_tokens']),
    outputTokens: asCount(usage['completion_tokens']) ?? asCount(usage['output_tokens']),
    cachedInputTokens:
      asCount(prompt['cached_tokens']) ?? asCount(usage['prompt_cache_hit_tokens']),
    cacheWriteTokens: asCount(prompt['cache_write_tokens']),
    reasoningTokens: asCount(completion['reasoning_tokens']) ?? asCount(usage['reasoning_tokens']),
  })
}

function fromTimings(timings: JsonRecord): Usage | undefined {
  const read = asCount(timings['prompt_n'])
  const cached = asCount(timings['cache_n'])
  return counts({
    inputTokens: read === undefined ? undefined : read + (cached ?? 0),
    outputTokens: asCount(timings['predicted_n']),
    cachedInputTokens: cached,
  })
}

function counts(fields: { readonly [Name in keyof Usage]: number | undefined }): Usage | undefined {
  const known = Object.entries(fields).filter(([, count]) => count !== undefined)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as Usage)
}
