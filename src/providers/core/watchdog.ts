import type { ErrorData } from '../../protocol/error.ts'
import { abortedError } from './provider-error.ts'

/**
 * The life of one request. The caller's signal or `fail` ends it, whichever is first. Then `signal` aborts, and every
 * pending promise from `guard` resolves to undefined.
 */
export interface AbortScope {
  readonly signal: AbortSignal
  failure(): ErrorData | undefined
  fail(error: ErrorData): void
  /** The promise's outcome, or undefined once the scope has ended. */
  guard<T>(promise: Promise<T>): Promise<T | undefined>
  /** Sets the only listener. Called when the scope ends, or at once if it has ended. */
  onEnd(listener: () => void): void
  /** Stops listening to the caller's signal. */
  release(): void
}

export function createAbortScope(callerSignal: AbortSignal | undefined): AbortScope {
  const controller = new AbortController()
  let failure: ErrorData | undefined
  let listener: (() => void) | undefined
  let end: () => void = () => {}
  const ended = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined)
  })

  function fail(error: ErrorData): void {
    if (failure) return
    failure = error
    controller.abort()
    end()
    listener?.()
  }

  const onAbort = (): void => {
    if (callerSignal) fail(abortedError(callerSignal))
  }
  if (callerSignal?.aborted) onAbort()
  else callerSignal?.addEventListener('abort', onAbort)

  return {
    signal: controller.signal,
    failure: () => failure,
    fail,
    guard: (promise) => Promise.race([promise, ended]),
    onEnd(onEnd) {
      listener = onEnd
      if (failure) onEnd()
    },
    release() {
      callerSignal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Longest time between two checks of the clock. */
const TICK_MS = 5_000
/** A check that is later than this means that the tab was frozen or the machine asleep. */
const LATE_MS = 1_000

export interface Watchdog {
  /** Restarts the wait. Call it when data arrives or waiting begins. Costs no timer. */
  reset(): void
  /** Stops counting time until the next `reset`. Call it while no data is expected. */
  pause(): void
  /** Changes the limit and restarts the wait. */
  setLimit(limitMs: number): void
  stop(): void
}

/**
 * Calls `onTimeout` once if no data arrives within the limit. If this thread was frozen, the wait restarts, because
 * data that arrived meanwhile is still unread. A limit that is zero, negative or infinite never ends.
 */
export function startWatchdog(limitMs: number, onTimeout: (limitMs: number) => void): Watchdog {
  let limit = limitMs
  let lastActivity = performance.now()
  let isPaused = false
  let dueAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function arm(): void {
    clearTimeout(timer)
    if (!(limit > 0) || limit === Infinity) return
    const waitMs = Math.min(lastActivity + limit - performance.now(), limit, TICK_MS)
    dueAt = performance.now() + waitMs
    timer = setTimeout(check, waitMs)
  }

  function check(): void {
    const now = performance.now()
    if (isPaused || now - dueAt > LATE_MS) lastActivity = now
    if (now - lastActivity >= limit) onTimeout(limit)
    else arm()
  }

  arm()
  return {
    reset() {
      isPaused = false
      lastActivity = performance.now()
    },
    pause() {
      isPaused = true
    },
    setLimit(limitMs) {
      limit = limitMs
      lastActivity = performance.now()
      arm()
    },
    stop() {
      clearTimeout(timer)
    },
  }
}
