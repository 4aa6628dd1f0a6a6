import type { Effects } from '../effects.ts'
import type { LeaseMessages } from './lease-messages.ts'
import { ANSWER_MS, SILENCE_MS, type Liveness } from './liveness.ts'
import { orAbort, requestLock, type HeldLock, type Locks } from './locks.ts'
import type { TabChannel } from './tab-channel.ts'
import { withStop } from './with-stop.ts'

/** A page that is being left releases its locks within this time. Milliseconds. */
const UNLOAD_MS = 300
/** Pause before a silent holder is asked again. Milliseconds. */
export const RETRY_MS = 50
/** Tries for a lock whose requests the browser aborts, as it does when a page enters the back/forward cache. */
const MAX_ATTEMPTS = 10

/** Dependencies that all leases of a store share. */
export interface LeaseDeps {
  readonly scope: string
  readonly locks: Locks
  readonly channel: TabChannel<LeaseMessages>
  readonly liveness: Liveness
  readonly effects: Pick<Effects, 'sleep' | 'monotonic' | 'newId'>
}

/** The lease of one conversation, as this worker sees it. */
export class Lease {
  readonly conversationId: string
  readonly #deps: LeaseDeps
  readonly #onLost: (conversationId: string) => void
  readonly #whenHeld = new Set<() => void>()
  #lock: HeldLock | null = null
  #acquiring: Promise<boolean> | null = null
  #reservation: 'none' | 'open' | 'used' = 'none'
  /** Lock that was released here, and is reserved for the tab that asked for it. */
  #reserved: HeldLock | null = null

  constructor(conversationId: string, deps: LeaseDeps, onLost: (conversationId: string) => void) {
    this.conversationId = conversationId
    this.#deps = deps
    this.#onLost = onLost
  }

  get lockName(): string {
    return `offstage:${this.#deps.scope}:${this.conversationId}`
  }

  get isHeld(): boolean {
    return this.#lock !== null
  }

  acquire(): Promise<boolean> {
    if (this.#lock !== null) return Promise.resolve(true)
    this.#acquiring ??= this.#compete().finally(() => {
      this.#acquiring = null
    })
    return this.#acquiring
  }

  /** Takes the lease from its holder. False if another tab took it right after. */
  async steal(): Promise<boolean> {
    const lock = await requestLock(this.#deps.locks, this.lockName, { steal: true })
    return lock !== null && this.keep(lock)
  }

  /** Makes a granted lock this worker's lease. False if it is lost already. */
  keep(lock: HeldLock): boolean {
    if (lock.isLost) return false
    this.#lock = lock
    lock.onLost = () => {
      if (this.#lock !== lock) return
      this.#lock = null
      this.#onLost(this.conversationId)
    }
    const { conversationId } = this
    this.#deps.channel.post('lease-acquired', { conversationId })
    for (const resolve of this.#whenHeld) resolve()
    return true
  }

  /** Calls back once the lease is held, however it was acquired. Returns a function that removes the callback. */
  whenHeld(callback: () => void): () => void {
    this.#whenHeld.add(callback)
    return () => void this.#whenHeld.delete(callback)
  }

  release(): void {
    const lock = this.#lock
    this.#lock = null
    if (lock === null) return
    if (this.#reservation === 'none') return lock.release()
    this.#reservation = 'used'
    this.#reserved = lock
  }

  /** Reserves the lock for the requesting tab, from its release on. False if it isn't held, or already reserved. */
  reserve(): boolean {
    if (this.#lock === null || this.#reservation !== 'none') return false
    this.#reservation = 'open'
    return true
  }

  /** Whether a reserved lock is ready for the other tab to steal. */
  get isReady(): boolean {
    return this.#reservation === 'used' && this.#reserved?.isLost === false
  }

  /** Resolves when the other tab has the reserved lock, or the signal aborts. */
  whenTaken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isReady || signal.aborted) return resolve()
      if (this.#reserved) this.#reserved.onLost = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  endReservation(): void {
    this.#reservation = 'none'
    this.#reserved?.release()
    this.#reserved = null
  }

  async #compete(): Promise<boolean> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const outcome = await this.#attempt()
      if (outcome === 'held') return true
      if (outcome === 'elsewhere') return false
      if (outcome === 'silent') return this.steal()
      await this.#deps.effects.sleep(RETRY_MS)
    }
    return false
  }

  async #attempt(): Promise<'held' | 'elsewhere' | 'silent' | 'broken-off'> {
    const { locks, effects } = this.#deps
    const begun = effects.monotonic()
    const stop = new AbortController()
    // Stays queued the whole time, so that it keeps its place.
    const granted = requestLock(locks, this.lockName, { signal: stop.signal })
    const answer = await this.#untilAnswered(granted)
    const lock = await orAbort(granted, stop)
    // A lock granted to a frozen tab may have been stolen since. Waits for that news to arrive.
    if (effects.monotonic() - begun > SILENCE_MS) await effects.sleep(RETRY_MS)
    if (this.#lock !== null) {
      lock?.release()
      return 'held'
    }
    if (lock === null) return answer
    return this.keep(lock) ? 'held' : 'elsewhere'
  }

  /** Waits until the lock is granted or refused, its holder answers, or has been silent for too long. */
  #untilAnswered(granted: Promise<unknown>): Promise<'elsewhere' | 'silent' | 'broken-off'> {
    const { liveness, effects } = this.#deps
    const ref = { conversationId: this.conversationId, role: 'lease' } as const
    return withStop([], async (wait) => {
      const { signal } = wait
      const stop = (): void => wait.abort()
      granted.then(stop, stop)
      await effects.sleep(UNLOAD_MS, signal)
      for (let silence = 0; silence < SILENCE_MS; silence += ANSWER_MS) {
        if (signal.aborted) return 'broken-off'
        if (await liveness.isAlive(ref, signal)) return 'elsewhere'
        await effects.sleep(RETRY_MS, signal)
      }
      return 'silent'
    })
  }
}
