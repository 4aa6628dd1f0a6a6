import { monotonicMs } from '../lib/monotonic-ms.ts'
import type { ProgressNote } from './line.ts'

/** Shortest average gap between two notes of a call: nobody can see more. Milliseconds. */
const GAP_MS = 50
/** Notes that may be reported at once. */
const BURST = 10

export interface PacedProgress {
  note(value: ProgressNote): void
  /** Reports the newest note that is still waiting. */
  end(): void
}

/**
 * Reports progress at most twenty times a second, apart from a burst at the beginning. Skips all but the newest note of
 * each gap.
 */
export function paceProgress(tell: (value: ProgressNote) => void): PacedProgress {
  let [credit, countedAt] = [BURST, monotonicMs()]
  let waiting: ProgressNote | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const tellNow = (): void => {
    clearTimeout(timer)
    timer = undefined
    const value = waiting
    waiting = undefined
    if (!value) return
    credit = Math.max(credit - 1, 0)
    tell(value)
  }
  return {
    note(value) {
      const now = monotonicMs()
      credit = Math.min(credit + (now - countedAt) / GAP_MS, BURST)
      countedAt = now
      waiting = value
      if (credit >= 1) tellNow()
      else timer ??= setTimeout(tellNow, GAP_MS)
    },
    end: tellNow,
  }
}
