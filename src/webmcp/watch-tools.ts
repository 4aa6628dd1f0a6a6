import { reportThrown } from '../client/failures.ts'
import type { Consumable } from './model-context.ts'

/** How often tools are looked for where no event says that they changed. Milliseconds. */
const POLL_MS = 2000
/** Where there is one: Chromium 156 has none of frames that are removed. Milliseconds. */
const SLOW_POLL_MS = 10_000

export interface ToolWatch {
  readonly isStopped: boolean
  /** Reads what is there now; at most one reading waits behind the one that is under way. Never rejects. */
  now(): Promise<void>
  stop(): void
}

/** Calls `read` whenever the page's tools may have changed. */
export function watchTools(context: Consumable, read: () => Promise<void>): ToolWatch {
  const stopped = new AbortController()
  const { signal } = stopped
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const once = (): Promise<void> =>
    read()
      .catch(reportThrown)
      .finally(() => (running = undefined))
  const now = (): Promise<void> => {
    if (signal.aborted) return Promise.resolve()
    if (!running) return (running = once())
    next ??= running.then(() => {
      next = undefined
      return signal.aborted ? undefined : (running = once())
    })
    return next
  }

  const onChange = (): void => void now()
  const hasEvent = 'ontoolchange' in context && context.addEventListener !== undefined
  if (hasEvent) context.addEventListener?.('toolchange', onChange, { signal })
  const timer: number | { unref?(): void } = setInterval(
    onChange,
    hasEvent ? SLOW_POLL_MS : POLL_MS,
  )
  // Under Node, it keeps no process alive.
  if (typeof timer === 'object') timer.unref?.()
  signal.addEventListener('abort', () => clearInterval(timer as number))
  return {
    get isStopped() {
      return signal.aborted
    },
    now,
    stop: () => stopped.abort(),
  }
}
