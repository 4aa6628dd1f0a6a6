import { toErrorData, type ErrorCode, type ErrorData } from '../../protocol/error.ts'
import type { ParkReason } from '../../protocol/run.ts'
import type { Effects } from '../effects.ts'
import { whenAborted } from '../../lib/abort.ts'

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
export class StorageRetry {
  /** The run that commits wait for; null: they are refused. */
  waiter: Waiter | null = null
  readonly #effects: Effects
  #waitsFor: ErrorData | null = null
  #retry = new AbortController()
  /** Aborted when a commit begins to wait. */
  #waiting = new AbortController()

  constructor(effects: Effects) {
    this.#effects = effects
  }

  /** Why a commit waits; null while none does. */
  get waitsFor(): ErrorData | null {
    return this.#waitsFor
  }

  /** The same as a reason. */
  get reason(): ParkReason | null {
    return this.#waitsFor && parkReason(this.#waitsFor.code)
  }

  /** Resolves as soon as a commit waits. */
  waiting(): Promise<void> {
    return whenAborted(this.#waiting.signal)
  }

  /** There may be room now: what waits is tried again at once. */
  retry(): void {
    this.#retry.abort()
    this.#retry = new AbortController()
  }

  /**
   * Does it until the storage takes it. `waits` false: refused as soon as the storage refuses. The work may
   * say itself when the storage has taken it: before it publishes what was written.
   */
  async persist<T>(
    work: (onTaken: () => void) => Promise<T>,
    { waits = true, waiter = this.waiter }: { waits?: boolean; waiter?: Waiter | null } = {},
  ): Promise<T> {
    let isParked = false
    const onTaken = (): void => {
      if (!isParked) return
      isParked = false
      this.#goOn()
      waiter?.onContinue()
    }
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          const done = await work(onTaken)
          onTaken()
          return done
        } catch (thrown) {
          const error = toErrorData(thrown)
          const reason = parkReason(error.code)
          if (reason === null || waiter?.signal.aborted) throw thrown
          const quick = reason === 'storage-failed' ? QUICK_DELAYS[attempt] : undefined
          if (quick === undefined) {
            if (!waits || waiter === null || waiter.waitsFor?.(reason) === false) throw thrown
            if (this.#waitsFor === null) {
              isParked = true
              this.#park(error)
              waiter.onPark(reason)
            }
          }
          await this.#pause(quick ?? FIRST_DELAY_MS * 2 ** attempt, waiter?.signal)
          if (waiter?.signal.aborted) throw thrown
        }
      }
    } finally {
      if (isParked) this.#goOn()
    }
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const signals = signal ? [this.#retry.signal, signal] : [this.#retry.signal]
    return this.#effects.sleep(Math.min(ms, LONGEST_DELAY_MS), AbortSignal.any(signals))
  }

  #park(error: ErrorData): void {
    this.#waitsFor = error
    this.#waiting.abort()
  }

  #goOn(): void {
    this.#waitsFor = null
    this.#waiting = new AbortController()
  }
}

/** What a storage may recover from by itself, or with a person's help. */
function parkReason(code: ErrorCode): ParkReason | null {
  switch (code) {
    case 'storage-full':
    case 'storage-blocked':
    case 'storage-newer':
    case 'storage-offline':
    case 'storage-failed':
      return code
    default:
      return null
  }
}
