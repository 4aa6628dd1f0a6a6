import type { Usage } from '../../protocol/message.ts'
import { asCount, asRecord, asText, type JsonRecord } from '../../providers/core/read-json.ts'

/** Counts of a `finish`: flat in specification 2, in groups since. */
export function readUsage(value: unknown): Usage {
  const usage = asRecord(value) ?? {}
  const input = asRecord(usage['inputTokens'])
  const output = asRecord(usage['outputTokens'])
  return counts({
    inputTokens: input ? input['total'] : usage['inputTokens'],
    outputTokens: output ? output['total'] : usage['outputTokens'],
    cachedInputTokens: input ? input['cacheRead'] : usage['cachedInputTokens'],
    cacheWriteTokens: input?.['cacheWrite'],
    reasoningTokens: output ? output['reasoning'] : usage['reasoningTokens'],
  })
}

/** Why the model stopped: a word in specification 2, two since. */
export function readFinishReason(value: unknown): {
  readonly unified: string
  readonly raw?: string
} {
  const reason = asRecord(value)
  const unified = asText(reason ? reason['unified'] : value) ?? 'unknown'
  const raw = asText(reason?.['raw'])
  return { unified, ...(raw !== undefined && { raw }) }
}

function counts(fields: JsonRecord): Usage {
  const known = Object.entries(fields).flatMap(([name, value]) => {
    const count = asCount(value)
    return count === undefined ? [] : [[name, count] as const]
  })
  return Object.fromEntries(known)
}
