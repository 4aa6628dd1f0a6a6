import type { RunUsage, Usage } from '../protocol/message.ts'

const FIELDS = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'totalTokens',
  'costUSD',
] as const

/** One more model call's usage. A count that neither side knows stays absent. */
export function addUsage(total: RunUsage, step: Usage): RunUsage {
  const sum: { -readonly [K in keyof RunUsage]: RunUsage[K] } = {
    modelCalls: total.modelCalls + 1,
  }
  for (const field of FIELDS) {
    const a = total[field]
    const b = step[field]
    if (a !== undefined || b !== undefined) sum[field] = (a ?? 0) + (b ?? 0)
  }
  if (total.estimated || step.estimated) sum.estimated = true
  return sum
}
