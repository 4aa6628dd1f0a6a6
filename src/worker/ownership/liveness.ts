import type { Effects } from '../effects.ts'
import type { LeaseMessages, LockRole } from './lease-messages.ts'
import type { TabChannel } from './tab-channel.ts'
import { withStop } from './with-stop.ts'

/** Time for a holder to answer. Milliseconds. */
export const ANSWER_MS = 1000
/** A holder that is silent for this long counts as frozen. Milliseconds. */
export const SILENCE_MS = 10_000
/** Pause between pings to a holder that answers. Milliseconds. */
export const PING_MS = 2000

export interface LockRef {
  readonly conversationId: string
  readonly role: LockRole
}

/**
 * Pings lock holders, because the browser doesn't tell a working one from a frozen one. Silence is counted in
 * unanswered pings, not on a clock: a tab that was asleep itself pings again before it decides.
 */
export class Liveness {
  readonly #channel: TabChannel<LeaseMessages>
  readonly #effects: Pick<Effects, 'sleep'>
  readonly #isHolding: (ref: LockRef) => boolean

  constructor(
    channel: TabChannel<LeaseMessages>,
    effects: Pick<Effects, 'sleep'>,
    isHolding: (ref: LockRef) => boolean,
  ) {
    this.#channel = channel
    this.#effects = effects
    this.#isHolding = isHolding
    channel.on('lease-ask', (ref) => {
      if (isHolding(ref)) channel.post('lease-alive', ref)
    })
  }

  /** True as soon as the lock's holder answers; false when it doesn't answer in time, or the signal aborts. */
  isAlive(ref: LockRef, signal: AbortSignal): Promise<boolean> {
    // A channel doesn't reach its own tab.
    if (this.#isHolding(ref)) return Promise.resolve(true)
    return withStop([signal], async (stop) => {
      let isAnswered = false
      const remove = this.#channel.on('lease-alive', ({ conversationId, role }) => {
        if (conversationId !== ref.conversationId || role !== ref.role) return
        isAnswered = true
        stop.abort()
      })
      this.#channel.post('lease-ask', ref)
      await this.#effects.sleep(ANSWER_MS, stop.signal)
      remove()
      return isAnswered
    })
  }

  /** Resolves when the lock's holder has been silent for too long, or the signal aborts. */
  async whenSilent(ref: LockRef, signal: AbortSignal): Promise<void> {
    let silence = 0
    while (silence < SILENCE_MS && !signal.aborted) {
      if (await this.isAlive(ref, signal)) {
        silence = 0
        await this.#effects.sleep(PING_MS, signal)
      } else silence += ANSWER_MS
    }
  }
}
