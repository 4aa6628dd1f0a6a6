import { nextTurn } from '../lib/next-turn.ts'

/**
 * Holds a tool back until the page has handled the events that came before its call: they travel on
 * another port, and a call must not overtake the text before it.
 */
export interface BatchGate {
  handled(batch: number): void
  /** Resolves to true when the batch was handled; to false after `ms`, or when the signal is aborted. */
  wait(
    batch: number,
    until: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<boolean>
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
      if (newest >= batch) return true
      if (signal.aborted) return false
      return new Promise<boolean>((resolve) => {
        const pass = (isHandled: boolean): void => {
          checks.delete(check)
          clearTimeout(timer)
          // So that whoever iterates has read the batch before the tool starts.
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
