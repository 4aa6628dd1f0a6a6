import { randomId } from './random-id.ts'

/** The outside world of the loop: injected, so that tests can stop, replay and kill it. */
export interface Effects {
  /** Wall clock, milliseconds since 1970. */
  now(): number
  /** A clock that no jump of the wall clock moves. Milliseconds. */
  monotonic(): number
  /** Resolves early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  newId(prefix: string): string
  /** 0 to 1. */
  random(): number
  /** Shared by everything that may drive the same conversations. Undefined where there are none. */
  readonly locks: LockManager | undefined
}

export const realEffects: Effects = {
  get locks() {
    return globalThis.navigator?.locks
  },
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  newId: (prefix) => prefix + randomId(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener('abort', done)
    }),
}
