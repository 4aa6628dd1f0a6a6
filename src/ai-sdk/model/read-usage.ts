import type { Usage } from '../../protocol/message.ts'
import { defined } from '../../providers/core/defined.ts'
import { asCount, asRecord, asText } from '../../providers/core/read-json.ts'

/** Usage counts of a `finish` part: flat in specification 2, grouped in later ones. */
export function readUsage(value: unknown): Usage {
  const usage = asRecord(value) ?? {}
  const input = asRecord(usage['inputTokens'])
  const output = asRecord(usage['outputTokens'])
  return defined({
    inputTokens: asCount(input ? input['total'] : usage['inputTokens']),
    outputTokens: asCount(output ? output['total'] : usage['outputTokens']),
    cachedInputTokens: asCount(input ? input['cacheRead'] : usage['cachedInputTokens']),
    cacheWriteTokens: asCount(input?.['cacheWrite']),
    reasoningTokens: asCount(output ? output['reasoning'] : usage['reasoningTokens']),
  })
}

/** Why the model stopped: a string in specification 2, an object with `unified` and `raw` in later ones. */
export function readFinishReason(value: unknown): {
  readonly unified: string
  readonly raw?: string
} {
  const reason = asRecord(value)
  const unified = asText(reason ? reason['unified'] : value) ?? 'unknown'
  const raw = asText(reason?.['raw'])
  return { unified, ...(raw !== undefined && { raw }) }
}
