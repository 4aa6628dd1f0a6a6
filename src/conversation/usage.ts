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

/** Upper limit for counts and sums, which JSON keeps exactly. A server can report anything. */
const MOST = Number.MAX_SAFE_INTEGER

/** Keeps only the valid counts of what a provider reported. */
export function countedUsage(reported: Usage): Usage {
  const counts = FIELDS.flatMap((field) => {
    const count: unknown = reported[field]
    return typeof count === 'number' && count >= 0 ? [[field, Math.min(count, MOST)] as const] : []
  })
  return { ...Object.fromEntries(counts), ...(reported.estimated && { estimated: true }) }
}

/** Adds the usage of one model call. A count that neither side knows stays undefined. */
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
