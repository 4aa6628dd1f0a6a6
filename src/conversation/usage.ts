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

/** Sums that say no more by being greater, and that JSON keeps: a server can report anything. */
const MOST = Number.MAX_SAFE_INTEGER

/** What a provider reported, as far as these are counts. */
export function countedUsage(reported: Usage): Usage {
  const counts = FIELDS.flatMap((field) => {
    const count: unknown = reported[field]
    return typeof count === 'number' && count >= 0 ? [[field, Math.min(count, MOST)] as const] : []
  })
  return { ...Object.fromEntries(counts), ...(reported.estimated && { estimated: true }) }
}

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
    if (a !== undefined || b !== undefined) sum[field] = Math.min((a ?? 0) + (b ?? 0), MOST)
  }
  if (total.estimated || more.estimated) sum.estimated = true
  return sum
}
