import { monotonicMs } from '../lib/monotonic-ms.ts'

/** Between two calls that come one after the other. It grows as long as they do. Milliseconds. */
const SHORTEST = 1000
const LONGEST = 60_000

/**
 * Calls `run` at once, and then at most once in a time that grows while it is asked for again and again: what others
 * tell may come thousands of times a second. Nothing after the signal aborted.
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
