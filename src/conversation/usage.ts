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
  return sumUsage(total, { ...step, modelCalls: 1 })
}

/** A failed attempt counts as a model call if the model is known to have worked for it. */
export function addCost(total: RunUsage, usage: Usage): RunUsage {
  return Object.keys(usage).length === 0 ? total : addUsage(total, usage)
}

export function sumUsage(total: RunUsage, more: RunUsage): RunUsage {
  const sum: { -readonly [K in keyof RunUsage]: RunUsage[K] } = {
    modelCalls: total.modelCalls + more.modelCalls,
  }
  for (const field of FIELDS) {
    const a = total[field]
    const b = more[field]
    if (a !== undefined || b !== undefined) sum[field] = (a ?? 0) + (b ?? 0)
  }
  if (total.estimated || more.estimated) sum.estimated = true
  return sum
}
