import { sleepUnlessAborted } from '../lib/sleep.ts'
import { type ClaimBook, storedClaimBook } from './store/claim-book.ts'
import { openTabPort, type OpenTabPort } from './ownership/tab-channel.ts'
import { randomId } from '../lib/random-id.ts'

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
  /** Opens the channel of a name, which reaches the others that may drive the same conversations. */
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
  sleep: sleepUnlessAborted,
}
