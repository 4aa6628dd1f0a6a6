/** Longest wait between two checks of the clock; a late check means that the tab was frozen. */
const TICK_MS = 5_000
/** A timer later than this was held back: the tab was frozen or the machine asleep. */
const LATE_MS = 1_000

export interface Watchdog {
  /** Starts the wait anew: something was received, or waiting begins. Costs no timer. */
  reset(): void
  /** Time doesn't count until the next `reset`: nothing is expected from the other side. */
  pause(): void
  /** Sets the longest wait from now on. */
  setLimit(limitMs: number): void
  stop(): void
}

/**
 * Calls `onTimeout` once when nothing was received for the allowed time. Time in
 * which this thread could not run does not count: when it runs again the wait starts anew, because
 * what has arrived meanwhile is still to be read. A limit that is zero, negative or infinite never ends.
 */
export function startWatchdog(limitMs: number, onTimeout: (limitMs: number) => void): Watchdog {
  let limit = limitMs
  let lastActivity = performance.now()
  let isPaused = false
  let due = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function arm(): void {
    clearTimeout(timer)
    if (!(limit > 0) || limit === Infinity) return
    const left = Math.min(lastActivity + limit - performance.now(), limit, TICK_MS)
    due = performance.now() + left
    timer = setTimeout(check, left)
  }

  function check(): void {
    const now = performance.now()
    if (isPaused || now - due > LATE_MS) lastActivity = now
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
