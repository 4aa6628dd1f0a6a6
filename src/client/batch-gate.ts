import { nextTurn } from '../lib/next-turn.ts'

/**
 * Holds a tool back until the page has handled the events that came before its call: they travel on
 * another port, and a call must not overtake the text before it.
 */
export interface BatchGate {
  handled(batch: number): void
  /** Resolves when the batch was handled, after `ms`, or when the signal is aborted. */
  wait(batch: number, until: { readonly ms: number; readonly signal: AbortSignal }): Promise<void>
  /** A new worker counts anew. What waited for events of the old one waits no longer. */
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
      if (newest >= batch || signal.aborted) return
      await new Promise<void>((resolve) => {
        const pass = (): void => {
          checks.delete(check)
          clearTimeout(timer)
          // So that whoever iterates has read the batch before the tool starts.
          void nextTurn().then(resolve)
        }
        const check = (): void => {
          if (newest >= batch) pass()
        }
        const timer = setTimeout(pass, Math.min(ms + 1, 2 ** 31 - 1))
        checks.add(check)
        signal.addEventListener('abort', pass, { once: true })
      })
    },
    reset() {
      newest = Infinity
      for (const check of checks) check()
      newest = 0
    },
  }
}
