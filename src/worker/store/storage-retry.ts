import { toErrorData, type ErrorCode, type ErrorData } from '../../protocol/error.ts'
import type { PauseReason } from '../../protocol/run.ts'
import type { Effects } from '../effects.ts'
import { whenAborted } from '../../lib/abort.ts'

/**
 * Pauses before a commit that failed for unknown reasons is tried again. After the last one, the failure is final.
 * Milliseconds.
 */
const QUICK_DELAYS = [50, 250, 1000]

/** First pause between two tries of a waiting commit. Doubles each time. Milliseconds. */
const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 30_000

export interface Waiter {
  /** Aborted when waiting has become pointless. Uncommitted work is given up. */
  readonly signal: AbortSignal
  /** Whether to wait for this reason. Default: always. */
  waitsFor?(reason: PauseReason): boolean
  onPause(reason: PauseReason): void
  onContinue(): void
}

/**
 * Handles commits while the storage is full, blocked or failing. Within a run, commits wait in order until the storage
 * takes them. Meanwhile, the result of a finished call is kept in memory, and nothing after it begins. Outside a run,
 * commits fail.
 */
export class StorageRetry {
  /** The run whose commits wait. Null: commits fail instead of waiting. */
  waiter: Waiter | null = null
  readonly #effects: Effects
  #waitError: ErrorData | null = null
  #retry = new AbortController()
  /** Aborted when a commit begins to wait. */
  #waitStarted = new AbortController()

  constructor(effects: Effects) {
    this.#effects = effects
  }

  /** Why a commit waits; null while none does. */
  get waitError(): ErrorData | null {
    return this.#waitError
  }

  /** The pause reason of `waitError`. */
  get reason(): PauseReason | null {
    return this.#waitError && pauseReasonOf(this.#waitError.code)
  }

  /** Resolves as soon as a commit waits. */
  whenWaiting(): Promise<void> {
    return whenAborted(this.#waitStarted.signal)
  }

  /** Retries waiting commits at once, when the storage may work again. */
  retry(): void {
    this.#retry.abort()
    this.#retry = new AbortController()
  }

  /**
   * Retries the work until the storage takes it. `waits` false: throws instead of waiting. The work may call `onStored`
   * after its commit, before it publishes the rows.
   */
  async persist<T>(
    work: (onStored: () => void) => Promise<T>,
    { waits = true, waiter = this.waiter }: { waits?: boolean; waiter?: Waiter | null } = {},
  ): Promise<T> {
    let isPaused = false
    const onStored = (): void => {
      if (!isPaused) return
      isPaused = false
      this.#resume()
      waiter?.onContinue()
    }
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          const result = await work(onStored)
          onStored()
          return result
        } catch (thrown) {
          const error = toErrorData(thrown)
          const reason = pauseReasonOf(error.code)
          if (reason === null || waiter?.signal.aborted) throw thrown
          const quickDelay = reason === 'storage-failed' ? QUICK_DELAYS[attempt] : undefined
          if (quickDelay === undefined) {
            if (!waits || waiter === null || waiter.waitsFor?.(reason) === false) throw thrown
            if (this.#waitError === null) {
              isPaused = true
              this.#wait(error)
              waiter.onPause(reason)
            }
          }
          await this.#sleep(quickDelay ?? FIRST_DELAY_MS * 2 ** attempt, waiter?.signal)
          if (waiter?.signal.aborted) throw thrown
        }
      }
    } finally {
      if (isPaused) this.#resume()
    }
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const signals = signal ? [this.#retry.signal, signal] : [this.#retry.signal]
    return this.#effects.sleep(Math.min(ms, LONGEST_DELAY_MS), AbortSignal.any(signals))
  }

  #wait(error: ErrorData): void {
    this.#waitError = error
    this.#waitStarted.abort()
  }

  #resume(): void {
    this.#waitError = null
    this.#waitStarted = new AbortController()
  }
}

/** Pause reason for errors that may pass, by themselves or with a person's help. Null for all others. */
function pauseReasonOf(code: ErrorCode): PauseReason | null {
  switch (code) {
    case 'storage-full':
    case 'storage-blocked':
    case 'storage-newer':
    case 'storage-offline':
    case 'storage-failed':
      return code
    case 'worker-load-failed':
      return 'part-unavailable'
    default:
      return null
  }
}
