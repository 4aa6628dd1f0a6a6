import { monotonicMs } from '../lib/monotonic-ms.ts'

/** Shortest and longest gap between calls of `run`. It grows while requests keep coming. Milliseconds. */
const SHORTEST = 1000
const LONGEST = 60_000

/**
 * Calls `run` at once, then throttles it with a gap that grows while requests keep coming: a server may send
 * thousands of notifications a second. Does nothing after the signal aborts.
 */
export function paced(run: () => void, signal: AbortSignal): () => void {
  let gap = SHORTEST
  let last = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  const now = (): void => {
    last = monotonicMs()
    run()
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  return () => {
    if (timer !== undefined || signal.aborted) return
    const since = monotonicMs() - last
    if (since >= 4 * gap) gap = SHORTEST
    if (since >= gap) return now()
    timer = setTimeout(() => {
      timer = undefined
      gap = Math.min(2 * gap, LONGEST)
      now()
    }, gap - since)
  }
}
