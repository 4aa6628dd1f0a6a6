import type { Effects } from '../effects.ts'

/** What the tab said before it was gone may still be on its way. Milliseconds. */
const LATE_MS = 300

/**
 * The lock that a tab holds while it drives a run, also one that waits, whose lease is free: when it is granted to
 * another tab, this one is gone.
 */
export function drivingLock(tabId: string, conversationId: string): string {
  return `offstage-drives:${tabId}:${conversationId}`
}

/**
 * Calls back once a tab doesn't hold such a lock any more. Aborting what is returned ends the watch. Without Web Locks
 * nothing is noticed.
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
