import { OffstageError, toErrorData, type ErrorCode, type ErrorData } from '../protocol/error.ts'
import type { ParkReason } from '../protocol/run.ts'
import type { Effects } from './effects.ts'

/** How often a commit that failed for unknown reasons is tried again before it counts. Milliseconds. */
const QUICK_DELAYS = [50, 250, 1000]

/** Between two tries of a commit that waits: twice as long each time. Milliseconds. */
const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 30_000

export interface Waiter {
  /** Aborted when waiting has become pointless: what is not committed is given up. */
  readonly signal: AbortSignal
  /** Whether it waits for this at all. Default: for everything. */
  waitsFor?(reason: ParkReason): boolean
  onPark(reason: ParkReason): void
  onContinue(): void
}

/**
 * How the commits of a conversation meet a storage that is full, blocked or failing. Within a run they
 * wait, in order, until it takes them: the result of a call that has run is kept in memory meanwhile,
 * and nothing after it is begun. Without a run they are refused.
 */
export class Patience {
  readonly #effects: Effects
  #waiter: Waiter | null = null
  #waitsFor: ErrorData | null = null
  #retry = new AbortController()

  constructor(effects: Effects) {
    this.#effects = effects
  }

  /** Why a commit waits; null while none does. */
  get waitsFor(): ErrorData | null {
    return this.#waitsFor
  }

  /** Commits wait for this waiter from now on. */
  set waiter(waiter: Waiter | null) {
    this.#waiter = waiter
  }

  /** There may be room now: what waits is tried again at once. */
  retry(): void {
    this.#retry.abort()
    this.#retry = new AbortController()
  }

  /** Does it until the storage takes it. `waits` false: refused as soon as the storage refuses. */
  async persist<T>(work: () => Promise<T>, waits = true): Promise<T> {
    const before = this.#waitsFor
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          const done = await work()
          if (this.#waitsFor !== before) this.#waiter?.onContinue()
          return done
        } catch (thrown) {
          const error = toErrorData(thrown)
          const reason = parkReason(error.code)
          if (reason === null) throw thrown
          await this.#pause({ attempt, reason, error }, waits)
        }
      }
    } finally {
      this.#waitsFor = before
    }
  }

  async #pause(
    failure: { readonly attempt: number; readonly reason: ParkReason; readonly error: ErrorData },
    waits: boolean,
  ): Promise<void> {
    const { attempt, reason, error } = failure
    const quick = QUICK_DELAYS[attempt]
    if (reason === 'storage-failed' && quick !== undefined && !this.#waiter?.signal.aborted) {
      return this.#effects.sleep(quick)
    }
    const waiter = waits ? this.#waiter : null
    const isAwaited = waiter?.waitsFor?.(reason) ?? true
    if (waiter === null || !isAwaited || waiter.signal.aborted) throw OffstageError.fromData(error)
    if (this.#waitsFor === null) {
      this.#waitsFor = error
      waiter.onPark(reason)
    }
    const delay = Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS)
    await this.#effects.sleep(delay, AbortSignal.any([this.#retry.signal, waiter.signal]))
    if (waiter.signal.aborted) throw OffstageError.fromData(error)
  }
}

/** What a storage may recover from by itself, or with a person's help. */
function parkReason(code: ErrorCode): ParkReason | null {
  switch (code) {
    case 'storage-full':
    case 'storage-blocked':
    case 'storage-newer':
    case 'storage-failed':
      return code
    default:
      return null
  }
}
