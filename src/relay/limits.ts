import { RelayError } from './relay-error.ts'

/** Limits of one user in one time window, such as a minute. */
export interface RelayAmounts {
  /** Counts each request, even if its body is refused. */
  readonly requests?: number
  /** Input and output together, cached input included. */
  readonly tokens?: number
}

/** Limits per time window. Windows begin at full minutes, hours and days in UTC. */
export interface RelayLimits {
  /** Default: 60 requests. */
  readonly perMinute?: RelayAmounts
  readonly perHour?: RelayAmounts
  readonly perDay?: RelayAmounts
}

const WINDOWS = { perMinute: 60_000, perHour: 3_600_000, perDay: 86_400_000 } as const

/** Replaces the reserved tokens with those actually used. Later calls do nothing. */
export type SettleTokens = (used: number) => Promise<void>

/** The limits of one user. */
export class UserLimits {
  readonly #user: string
  readonly #limits: RelayLimits
  readonly #counter: RelayCounter

  constructor(user: string, limits: RelayLimits | undefined, counter: RelayCounter) {
    this.#user = user
    const { perMinute } = limits ?? {}
    this.#limits = { ...limits, perMinute: { ...perMinute, requests: perMinute?.requests ?? 60 } }
    this.#counter = counter
  }

  get countsTokens(): boolean {
    return Object.values(this.#limits).some((amounts: RelayAmounts) => amounts.tokens !== undefined)
  }

  /** Counts a request. Throws a `RelayError` if a limit is exceeded. */
  async takeRequest(): Promise<void> {
    // Shortest window first: a request refused for the minute doesn't count for the day.
    for (const window of this.#windows('requests')) {
      const sum = await this.#counter.add(window.key, 1, window.endsAt)
      // If a limit isn't a number, no request passes.
      if (!(sum <= window.limit)) throw limitReached(window)
    }
  }

  /**
   * Counts tokens before their use, so that concurrent requests see each other. A request may begin while any tokens
   * are left, so only the last answer can exceed a limit. Throws a `RelayError` if none are left.
   */
  async reserveTokens(amount: number): Promise<SettleTokens> {
    const reservedWindows: Window[] = []
    const settle: SettleTokens = async (used) => {
      for (const { key, endsAt } of reservedWindows.splice(0))
        await this.#counter.add(key, used - amount, endsAt)
    }
    for (const window of this.#windows('tokens')) {
      const sum = await this.#counter.add(window.key, amount, window.endsAt)
      reservedWindows.push(window)
      if (sum - amount < window.limit) continue
      await settle(0)
      throw limitReached(window)
    }
    return settle
  }

  #windows(kind: keyof RelayAmounts): Window[] {
    const now = Date.now()
    return Object.entries(WINDOWS).flatMap(([name, ms]) => {
      const limit = this.#limits[name as keyof RelayLimits]?.[kind]
      if (limit === undefined) return []
      const startsAt = now - (now % ms)
      const key = `${name}:${kind}:${startsAt}:${this.#user}`
      return [{ key, limit, kind, endsAt: startsAt + ms }]
    })
  }
}

interface Window {
  readonly key: string
  readonly limit: number
  readonly kind: keyof RelayAmounts
  readonly endsAt: number
}

function limitReached({ endsAt, kind }: Window): RelayError {
  const seconds = Math.max(1, Math.ceil((endsAt - Date.now()) / 1000))
  const message = `The limit of ${kind} is reached. Try again in ${seconds} s.`
  return new RelayError('rate_limit_error', message, { headers: { 'retry-after': `${seconds}` } })
}

/** Stores the users' counts. Implement it with Redis (`INCRBY`), an SQL upsert or a Durable Object. */
export interface RelayCounter {
  /**
   * Adds to a count, which begins at 0, and returns the sum. Must be atomic: concurrent calls get different sums. The
   * count may be deleted after `expiresAt`, a Unix time in milliseconds. `amount` is negative if less was used than
   * reserved.
   */
  add(key: string, amount: number, expiresAt: number): number | Promise<number>
}

/** Number of new counts after which expired counts are removed. */
const SWEEP_EVERY = 1000

/**
 * The default counter, in this process's memory. A restart resets it. Processes, isolates and serverless instances
 * count separately: n of them allow n times as much.
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
