import { nextTurn } from '../lib/next-turn.ts'

/**
 * Delays a tool until the page has handled the events before its call. They travel on another port, and a call must not
 * overtake the text before it.
 */
export interface BatchGate {
  handled(batch: number): void
  /** Resolves to true once the batch was handled; to false after `ms`, or when the signal aborts. */
  wait(
    batch: number,
    until: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<boolean>
  /** Restarts the count for a new worker, and releases everything that waits for events of the old one. */
  reset(): void
}

export function createBatchGate(): BatchGate {
  let newest = 0
  const checks = new Set<() => void>()
  return {
    handled(batch) {
      newest = batch
      for (const check of checks) check()
    },
    async wait(batch, { ms, signal }) {
      if (newest >= batch) return true
      if (signal.aborted) return false
      return new Promise<boolean>((resolve) => {
        const pass = (isHandled: boolean): void => {
          checks.delete(check)
          clearTimeout(timer)
          // Iterators of the run's events read the batch before the tool starts.
          void nextTurn().then(() => resolve(isHandled))
        }
        const giveUp = (): void => pass(false)
        const check = (): void => {
          if (newest >= batch) pass(true)
        }
        const timer = setTimeout(giveUp, Math.min(ms + 1, 2 ** 31 - 1))
        checks.add(check)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
    reset() {
      newest = Infinity
      for (const check of checks) check()
      newest = 0
    },
  }
}
