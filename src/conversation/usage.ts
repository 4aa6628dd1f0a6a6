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

/**
 * Upper limit for counts and sums, because a server can report any number. JSON stores numbers up to this one exactly.
 */
const MOST = Number.MAX_SAFE_INTEGER

/** Keeps only the valid counts of what a provider reported. */
export function countedUsage(reported: Usage): Usage {
  const counts = FIELDS.flatMap((field) => {
    const count: unknown = reported[field]
    return typeof count === 'number' && count >= 0 ? [[field, Math.min(count, MOST)] as const] : []
  })
  return { ...Object.fromEntries(counts), ...(reported.estimated && { estimated: true }) }
}

/** Adds the usage of one model call. A count that is undefined in both stays undefined. */
export function addUsage(total: RunUsage, step: Usage): RunUsage {
  return sumUsage(total, { ...step, modelCalls: 1 })
}

/** Adds the usage of a failed attempt. The attempt counts as a model call only if its usage is known. */
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
