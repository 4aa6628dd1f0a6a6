import { monotonicMs } from '../lib/monotonic-ms.ts'
import type { ProgressNote } from './line.ts'

/** Between two notes of one call that goes on and on: nobody sees more. Milliseconds. */
const GAP_MS = 50
/** So many may come at once. */
const BURST = 10

export interface PacedProgress {
  note(value: ProgressNote): void
  /** Tells the newest note that waits. */
  end(): void
}

/** Tells of progress at most twenty times a second, a few at once aside: the newest of what came meanwhile. */
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
