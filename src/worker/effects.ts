import { sleepUnlessAborted } from '../lib/sleep.ts'
import { type ClaimBook, storedClaimBook } from './store/claims.ts'
import { openTabPort, type OpenTabPort } from './ownership/tab-channel.ts'
import { randomId } from '../lib/random-id.ts'

/** Side effects of the loop, injected so that tests can stop, replay and kill it. */
export interface Effects {
  /** Wall clock, milliseconds since 1970. */
  now(): number
  /** Milliseconds on a clock that is unaffected by changes of the wall clock. */
  monotonic(): number
  /** Resolves early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  newId(prefix: string): string
  /** A random number from 0 to 1. */
  random(): number
  /** Locks shared by all contexts that may drive the same conversations. Undefined without Web Locks. */
  readonly locks: LockManager | undefined
  /** Opens a named channel to the other contexts that may drive the same conversations. */
  readonly openTabPort: OpenTabPort
  readonly claims: ClaimBook
}

export const realEffects: Effects = {
  get locks() {
    return globalThis.navigator?.locks
  },
  openTabPort,
  claims: storedClaimBook(),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  newId: (prefix) => prefix + randomId(),
  // A timer for a longer time, such as Infinity, would end at once.
  sleep: (ms, signal) => sleepUnlessAborted(Math.min(ms, 2 ** 31 - 1), signal),
}
