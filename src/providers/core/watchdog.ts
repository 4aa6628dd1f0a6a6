/** Longest wait between two looks at the clock; a look that comes late tells of a frozen tab. */
const TICK_MS = 5_000
/** A timer later than this was held back: the tab was frozen or the machine asleep. */
const LATE_MS = 1_000

export interface Watchdog {
  /** Something was received, or waiting begins. Costs no timer. */
  sign(): void
  /** Nobody waits for the other side now: silence doesn't count until the next `sign`. */
  rest(): void
  /** From now on silence may last this long. */
  allow(limitMs: number): void
  stop(): void
}

/**
 * Calls `onSilence` once when nothing was received for the allowed time. Time in
 * which this thread itself could not run does not count: after a thaw the wait starts anew, because
 * what has arrived meanwhile is still to be read. A limit that is zero, negative or infinite never ends.
 */
export function startWatchdog(limitMs: number, onSilence: (limitMs: number) => void): Watchdog {
  let limit = limitMs
  let lastSign = performance.now()
  let resting = false
  let due = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function arm(): void {
    clearTimeout(timer)
    if (!(limit > 0) || limit === Infinity) return
    const left = Math.min(lastSign + limit - performance.now(), limit, TICK_MS)
    due = performance.now() + left
    timer = setTimeout(look, left)
  }

  function look(): void {
    const now = performance.now()
    if (resting || now - due > LATE_MS) lastSign = now
    if (now - lastSign >= limit) onSilence(limit)
    else arm()
  }

  arm()
  return {
    sign() {
      resting = false
      lastSign = performance.now()
    },
    rest() {
      resting = true
    },
    allow(limitMs) {
      limit = limitMs
      lastSign = performance.now()
      arm()
    },
    stop() {
      clearTimeout(timer)
    },
  }
}
