/** Keeps the counts of users. One method, which a Redis (`INCRBY`), an SQL upsert or a Durable Object can be. */
export interface RelayCounter {
  /**
   * Adds to a count, which begins at 0, and returns the sum. Must be atomic: two calls at once get different sums. The count
   * may be forgotten after `expiresAt`, a Unix time in milliseconds. `amount` is below 0 where less was used than reserved.
   */
  add(key: string, amount: number, expiresAt: number): number | Promise<number>
}

/** Expired counts are removed after so many new ones. */
const SWEEP_EVERY = 1000

/**
 * The default counter: in the memory of this process, for this relay. A restart forgets it, and each of several processes,
 * isolates or serverless instances counts on its own: n of them allow n times as much.
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
