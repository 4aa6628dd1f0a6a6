/** Stores the users' counts. Implement it with Redis (`INCRBY`), an SQL upsert or a Durable Object. */
export interface RelayCounter {
  /**
   * Adds to a count, which begins at 0, and returns the sum. Must be atomic: concurrent calls get different sums. The count
   * may be deleted after `expiresAt`, a Unix time in milliseconds. `amount` is negative if less was used than reserved.
   */
  add(key: string, amount: number, expiresAt: number): number | Promise<number>
}

/** Number of new counts between two removals of expired ones. */
const SWEEP_EVERY = 1000

/**
 * The default counter, in this process's memory. A restart resets it. Processes, isolates and serverless instances count
 * separately: n of them allow n times as much.
 */
export function memoryCounter(): RelayCounter {
  const counts = new Map<string, { sum: number; readonly expiresAt: number }>()
  let sweepAt = SWEEP_EVERY
  return {
    add(key, amount, expiresAt) {
      const count = counts.get(key) ?? { sum: 0, expiresAt }
      count.sum += amount
      counts.set(key, count)
      if (counts.size >= sweepAt) {
        const now = Date.now()
        for (const [each, { expiresAt: end }] of counts) if (end < now) counts.delete(each)
        sweepAt = counts.size + SWEEP_EVERY
      }
      return count.sum
    },
  }
}
