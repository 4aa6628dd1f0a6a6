import type { RelayCounter } from './counter.ts'
import { RelayError } from './relay-error.ts'

/** Limits of one user in one window. */
export interface RelayAmounts {
  /** Counts each request, even if its body is refused. */
  readonly requests?: number
  /** Input and output together, cached input included. */
  readonly tokens?: number
}

/** Limits per window. Windows begin at full minutes, hours and days in UTC. */
export interface RelayLimits {
  /** Default: 60 requests. */
  readonly perMinute?: RelayAmounts
  readonly perHour?: RelayAmounts
  readonly perDay?: RelayAmounts
}

const WINDOWS = { perMinute: 60_000, perHour: 3_600_000, perDay: 86_400_000 } as const
const DEFAULTS: RelayAmounts = { requests: 60 }

/** Replaces the reserved tokens by those actually used. Later calls do nothing. */
export type SettleTokens = (used: number) => Promise<void>

/** The limits of one user. */
export class UserLimits {
  readonly #user: string
  readonly #limits: RelayLimits
  readonly #counter: RelayCounter

  constructor(user: string, limits: RelayLimits | undefined, counter: RelayCounter) {
    this.#user = user
    this.#limits = { ...limits, perMinute: { ...DEFAULTS, ...limits?.perMinute } }
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
   * Counts tokens before their use, so that concurrent requests see each other. A request may begin while any tokens are
   * left, so only the last answer can exceed a limit. Throws a `RelayError` if none are left.
   */
  async reserveTokens(amount: number): Promise<SettleTokens> {
    const taken: Window[] = []
    const settle: SettleTokens = async (used) => {
      for (const { key, endsAt } of taken.splice(0))
        await this.#counter.add(key, used - amount, endsAt)
    }
    for (const window of this.#windows('tokens')) {
      const sum = await this.#counter.add(window.key, amount, window.endsAt)
      taken.push(window)
      if (sum - amount < window.limit) continue
      await settle(0)
      throw limitReached(window)
    }
    return settle
  }

  #windows(what: keyof RelayAmounts): Window[] {
    const now = Date.now()
    return Object.entries(WINDOWS).flatMap(([name, ms]) => {
      const limit = this.#limits[name as keyof RelayLimits]?.[what]
      if (limit === undefined) return []
      const begins = now - (now % ms)
      const key = `${name}:${what}:${begins}:${this.#user}`
      return [{ key, limit, what, endsAt: begins + ms }]
    })
  }
}

interface Window {
  readonly key: string
  readonly limit: number
  readonly what: keyof RelayAmounts
  readonly endsAt: number
}

function limitReached({ endsAt, what }: Window): RelayError {
  const seconds = Math.max(1, Math.ceil((endsAt - Date.now()) / 1000))
  const message = `The limit of ${what} is reached. Try again in ${seconds} s.`
  return new RelayError('rate_limit_error', message, { headers: { 'retry-after': `${seconds}` } })
}
