import type { Effects } from '../effects.ts'
import { RETRY_MS, type Lease } from './lease.ts'
import type { LeaseMessages } from './lease-messages.ts'
import { PING_MS, type Liveness, type LockRef } from './liveness.ts'
import { orAbort, requestLock, type HeldLock, type Locks } from './locks.ts'
import type { TabChannel } from './tab-channel.ts'
import { withStop } from './with-stop.ts'

/** Checks that an heir answers whenever its turn comes. */
export interface Succession {
  /** Whether the heir has the tools to resume the run. If not, the next heir gets the turn. */
  isCapable(): boolean
  /**
   * Whether there is a run to resume: an open one that isn't paused, or one that nobody drives. Called while the lock
   * is held and nobody else writes, so the store is up to date. If false, the lease isn't taken.
   */
  isNeeded(): boolean | Promise<boolean>
  /** Resolves when the heir may be needed although nobody has acquired the lease, or when the signal aborts. */
  whenRoused(signal: AbortSignal): Promise<void>
  readonly signal: AbortSignal
}

/** An heir that found nothing to do looks again after this time, in case it missed a message. Milliseconds. */
const STAND_BY_MS = 30_000

export interface SuccessionDeps {
  readonly scope: string
  readonly locks: Locks
  readonly channel: TabChannel<LeaseMessages>
  readonly liveness: Liveness
  readonly effects: Pick<Effects, 'sleep'>
}

/**
 * The queue of heirs of each conversation: a second lock, held by the first heir. Only the first heir waits for the
 * lease's lock and watches its holder. The others wait for the first place and watch the first heir. If the first heir
 * falls silent, the last tab to notice takes its place, and the order starts again.
 */
export class Heirs {
  readonly #deps: SuccessionDeps
  /** First places held here, by conversation. */
  readonly #places = new Map<string, HeldLock>()

  constructor(deps: SuccessionDeps) {
    this.#deps = deps
  }

  isFirst(conversationId: string): boolean {
    return this.#places.has(conversationId)
  }

  /** Resolves once the worker holds the lease; rejects with the signal's reason when that aborts first. */
  async wait(lease: Lease, succession: Succession): Promise<void> {
    const { signal } = succession
    await withStop([signal], async (stop) => {
      const remove = lease.whenHeld(() => stop.abort())
      try {
        while (!lease.isHeld && !stop.signal.aborted) {
          if (succession.isCapable()) await this.#standInLine(lease, succession, stop.signal)
          await this.#deps.effects.sleep(PING_MS, stop.signal)
        }
      } finally {
        remove()
      }
    })
    if (!lease.isHeld) signal.throwIfAborted()
  }

  async #standInLine(lease: Lease, succession: Succession, signal: AbortSignal): Promise<void> {
    const { conversationId } = lease
    const name = `offstage-heir:${this.#deps.scope}:${conversationId}`
    const place = await this.#waitFor(name, { conversationId, role: 'heir' }, signal)
    if (place === null) return
    this.#places.set(conversationId, place)
    try {
      await withStop([signal], async (turn) => {
        place.onLost = () => turn.abort()
        if (place.isLost) turn.abort()
        void this.#untilIncapable(succession, turn)
        while (!turn.signal.aborted) await this.#succeed(lease, succession, turn.signal)
      })
    } finally {
      if (this.#places.get(conversationId) === place) this.#places.delete(conversationId)
      place.release()
    }
  }

  /** Takes the lease when it is free and needed, else waits until somebody else acquires it. */
  async #succeed(lease: Lease, succession: Succession, signal: AbortSignal): Promise<void> {
    const { conversationId, lockName } = lease
    const { channel, effects } = this.#deps
    const lock = await this.#waitFor(lockName, { conversationId, role: 'lease' }, signal)
    // The browser aborts the requests of a page that it takes into its back/forward cache.
    if (lock === null) return effects.sleep(PING_MS, signal)
    await withStop([signal], async (stop) => {
      // Subscribed before the lock is released, so that the next holder is noticed.
      const remove = channel.on('lease-acquired', (acquired) => {
        if (acquired.conversationId === conversationId) stop.abort()
      })
      try {
        lock.onLost = () => stop.abort()
        const goesOn = succession.isCapable() && (await isNeeded(succession))
        // A lock granted to a frozen tab may have been stolen since. Waits for that news to arrive.
        await effects.sleep(RETRY_MS, signal)
        if (goesOn && !signal.aborted && lease.keep(lock)) return
        lock.release()
        await Promise.race([
          effects.sleep(STAND_BY_MS, stop.signal),
          succession.whenRoused(stop.signal),
        ])
      } finally {
        remove()
      }
    })
  }

  async #untilIncapable(succession: Succession, turn: AbortController): Promise<void> {
    while (!turn.signal.aborted && succession.isCapable()) {
      await this.#deps.effects.sleep(PING_MS, turn.signal)
    }
    turn.abort()
  }

  /** Waits in the lock's queue, and steals it from a holder that is silent; null when the signal aborts. */
  async #waitFor(name: string, ref: LockRef, signal: AbortSignal): Promise<HeldLock | null> {
    const { locks, liveness } = this.#deps
    return withStop([signal], async (stop) => {
      const granted = requestLock(locks, name, { signal: stop.signal })
      const silent = liveness.whenSilent(ref, stop.signal)
      const isSilent = await Promise.race([granted.then(() => false), silent.then(() => true)])
      const lock = await orAbort(granted, stop)
      if (lock !== null && signal.aborted) lock.release()
      if (signal.aborted) return null
      return lock === null && isSilent ? requestLock(locks, name, { steal: true }) : lock
    })
  }
}

/** False if the store can't be read now. The heir checks again later. */
async function isNeeded(succession: Succession): Promise<boolean> {
  try {
    return await succession.isNeeded()
  } catch {
    return false
  }
}
