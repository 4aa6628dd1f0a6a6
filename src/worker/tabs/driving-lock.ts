import type { Effects } from '../effects.ts'

/** Wait for messages that a tab sent before it was gone. Milliseconds. */
const LATE_MS = 300

/**
 * Name of the lock that a tab holds while it drives a run, even a waiting one without a lease. If another tab gets the
 * lock, this one is gone.
 */
export function drivingLock(tabId: string, conversationId: string): string {
  return `offstage-drives:${tabId}:${conversationId}`
}

/**
 * Calls back once a tab no longer holds its driving lock. Abort the returned controller to stop watching. Without Web
 * Locks, never calls back.
 */
export function watchDriver(
  effects: Pick<Effects, 'locks' | 'sleep'>,
  lock: string,
  onGone: () => void,
): AbortController {
  const stop = new AbortController()
  const { signal } = stop
  const free = async (): Promise<void> => {
    void effects.sleep(LATE_MS, signal).then(() => signal.aborted || onGone())
  }
  effects.locks?.request(lock, { signal }, free).catch(() => undefined)
  return stop
}
