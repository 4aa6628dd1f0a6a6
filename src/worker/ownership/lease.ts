import type { Effects } from '../effects.ts'
import { type HeldLock, type Locks, lockOrAbort, requestLock } from './locks.ts'
import type { TabChannel, TabShapes } from './tab-channel.ts'
import { withStop } from '../stopping.ts'
import { type ShapeCheck, isBoolean, isNumber, isText, nullOr, shape } from '../../lib/shape.ts'

/**
 * The two locks of a conversation: its lease, and the first place in the queue of heirs, which may take the lease over.
 */
type LockRole = 'lease' | 'heir'

export type HandoverAnswer = 'pending' | 'granted' | 'refused'

/** Messages between holders of leases and tabs that want a lease. */
export interface LeaseMessages {
  /** Asks the holder to answer. A frozen holder doesn't answer. */
  'lease-ask': { readonly conversationId: string; readonly role: LockRole }
  'lease-alive': { readonly conversationId: string; readonly role: LockRole }
  'lease-acquired': { readonly conversationId: string }
  /** The sender made a decision about a run that may be paused in other tabs. */
  'lease-decided': { readonly conversationId: string }
  'handover-ask': { readonly conversationId: string; readonly requestId: string }
  'handover-answer': { readonly requestId: string; readonly answer: HandoverAnswer }
  /** The sender is new on the channel, or answers a new tab (`isAnswer`). */
  'lock-hello': { readonly isAnswer: boolean }
  'lock-request': {
    readonly name: string
    readonly id: string
    readonly ticket: number
    /**
     * True once the time for objections is over. The request then precedes requests that were made without knowing of
     * it.
     */
    readonly isOld: boolean
  }
  /** The request was aborted. */
  'lock-withdrawn': { readonly name: string; readonly id: string }
  'lock-state': LockState
}

/** State of a lock that is kept by messages, as its holder knows it. */
export interface LockState {
  readonly name: string
  /** Id of the request that holds the lock. */
  readonly id: string
  /** How often the lock was granted before, as far as the holder knew. */
  readonly term: number
  /** Epoch that was claimed in the store under this lock. Null if there is none yet. */
  readonly epoch: number | null
  readonly isHeld: boolean
}

const isRole: ShapeCheck = (value) => value === 'lease' || value === 'heir'
const isAnswer: ShapeCheck = (value) =>
  value === 'pending' || value === 'granted' || value === 'refused'
const isCount: ShapeCheck = (value) => Number.isSafeInteger(value) && Number(value) >= 0

export const LEASE_MESSAGES: TabShapes<LeaseMessages> = {
  'lease-ask': shape({ conversationId: isText, role: isRole }),
  'lease-alive': shape({ conversationId: isText, role: isRole }),
  'lease-acquired': shape({ conversationId: isText }),
  'lease-decided': shape({ conversationId: isText }),
  'handover-ask': shape({ conversationId: isText, requestId: isText }),
  'handover-answer': shape({ requestId: isText, answer: isAnswer }),
  'lock-hello': shape({ isAnswer: isBoolean }),
  'lock-request': shape({ name: isText, id: isText, ticket: isCount, isOld: isBoolean }),
  'lock-withdrawn': shape({ name: isText, id: isText }),
  'lock-state': shape({
    name: isText,
    id: isText,
    term: isCount,
    epoch: nullOr(isNumber),
    isHeld: isBoolean,
  }),
}

/** Time for a holder to answer. Milliseconds. */
export const ANSWER_MS = 1000
/** A holder that is silent for this long counts as frozen. Milliseconds. */
export const SILENCE_MS = 10_000
/** Pause between pings to a holder that answers. Milliseconds. */
const PING_MS = 2000

interface LockRef {
  readonly conversationId: string
  readonly role: LockRole
}

/**
 * Pings lock holders, because the browser can't tell a frozen holder from a working one. Silence is counted in
 * unanswered pings, not on a clock: a tab that was frozen itself pings again before it decides.
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

/** Callbacks of an heir, called when its turn comes. */
export interface Succession {
  /** Whether the heir has the tools to resume the run. If not, the next heir gets the turn. */
  isCapable(): boolean
  /**
   * Whether there is a run to resume: an open run that needn't wait, or one that waits for child runs and isn't driven.
   * Called while the lock is held and nobody else writes, so the store is up to date. If false, the lease isn't taken.
   */
  isNeeded(): boolean | Promise<boolean>
  /** Resolves when the heir may be needed although no other tab has acquired the lease, or when the signal aborts. */
  whenNeeded(signal: AbortSignal): Promise<void>
  readonly signal: AbortSignal
}

/** Pause before the first heir checks again for a run to resume, in case it missed a message. Milliseconds. */
const STAND_BY_MS = 30_000

/** Dependencies that all leases of a store share. */
export interface LeaseDeps {
  readonly scope: string
  readonly locks: Locks
  readonly channel: TabChannel<LeaseMessages>
  readonly liveness: Liveness
  readonly effects: Pick<Effects, 'sleep' | 'monotonic' | 'newId'>
}

/**
 * The queue of heirs of each conversation, made of a second lock that the first heir holds. Only the first heir waits
 * for the lease and watches its holder. The others wait for the first place and watch the first heir. If the first heir
 * falls silent, the last tab to notice takes its place, and the order starts again.
 */
export class Heirs {
  readonly #deps: LeaseDeps
  /** Locks of first places held here, by conversation. */
  readonly #heirLocks = new Map<string, HeldLock>()

  constructor(deps: LeaseDeps) {
    this.#deps = deps
  }

  isFirst(conversationId: string): boolean {
    return this.#heirLocks.has(conversationId)
  }

  /** Resolves once the worker holds the lease. Rejects with the signal's reason if the signal aborts first. */
  async wait(lease: Lease, succession: Succession): Promise<void> {
    const { signal } = succession
    await withStop([signal], async (stop) => {
      const remove = lease.whenHeld(() => stop.abort())
      try {
        while (!lease.isHeld && !stop.signal.aborted) {
          if (succession.isCapable()) await this.#queueAsHeir(lease, succession, stop.signal)
          await this.#deps.effects.sleep(PING_MS, stop.signal)
        }
      } finally {
        remove()
      }
    })
    if (!lease.isHeld) signal.throwIfAborted()
  }

  async #queueAsHeir(lease: Lease, succession: Succession, signal: AbortSignal): Promise<void> {
    const { conversationId } = lease
    const name = `offstage-heir:${this.#deps.scope}:${conversationId}`
    const heirLock = await this.#acquireLock(name, { conversationId, role: 'heir' }, signal)
    if (heirLock === null) return
    this.#heirLocks.set(conversationId, heirLock)
    try {
      await withStop([signal], async (turn) => {
        heirLock.onLost = () => turn.abort()
        if (heirLock.isLost) turn.abort()
        void this.#stopWhenIncapable(succession, turn)
        while (!turn.signal.aborted) await this.#takeLease(lease, succession, turn.signal)
      })
    } finally {
      if (this.#heirLocks.get(conversationId) === heirLock) this.#heirLocks.delete(conversationId)
      heirLock.release()
    }
  }

  /** Takes the lease when it is free and needed. If it isn't needed, waits until it may be. */
  async #takeLease(lease: Lease, succession: Succession, signal: AbortSignal): Promise<void> {
    const { conversationId, lockName } = lease
    const { channel, effects } = this.#deps
    const lock = await this.#acquireLock(lockName, { conversationId, role: 'lease' }, signal)
    // The browser aborts requests of a page that enters its back/forward cache. The loop tries again.
    if (lock === null) return effects.sleep(PING_MS, signal)
    await withStop([signal], async (stop) => {
      // Subscribed before the lock is released, so that the next holder is noticed.
      const remove = channel.on('lease-acquired', (acquired) => {
        if (acquired.conversationId === conversationId) stop.abort()
      })
      try {
        lock.onLost = () => stop.abort()
        const mayKeep = succession.isCapable() && (await isNeeded(succession))
        // The lock may have been stolen while this tab was frozen. Waits for the event that reports that.
        await effects.sleep(RETRY_MS, signal)
        if (mayKeep && !signal.aborted && lease.adopt(lock)) return
        lock.release()
        await Promise.race([
          effects.sleep(STAND_BY_MS, stop.signal),
          succession.whenNeeded(stop.signal),
        ])
      } finally {
        remove()
      }
    })
  }

  async #stopWhenIncapable(succession: Succession, turn: AbortController): Promise<void> {
    while (!turn.signal.aborted && succession.isCapable()) {
      await this.#deps.effects.sleep(PING_MS, turn.signal)
    }
    turn.abort()
  }

  /** Waits in the lock's queue, or steals the lock from a silent holder. Null when the signal aborts. */
  async #acquireLock(name: string, ref: LockRef, signal: AbortSignal): Promise<HeldLock | null> {
    const { locks, liveness } = this.#deps
    return withStop([signal], async (stop) => {
      const granted = requestLock(locks, name, { signal: stop.signal })
      const silent = liveness.whenSilent(ref, stop.signal)
      const isSilent = await Promise.race([granted.then(() => false), silent.then(() => true)])
      const lock = await lockOrAbort(granted, stop)
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

/** A page that unloads releases its locks within this time. Milliseconds. */
const UNLOAD_MS = 300
/** Pause before a silent holder is asked again. Milliseconds. */
const RETRY_MS = 50
/** Limit of requests for a lock. The browser may abort them, as it does when a page enters the back/forward cache. */
const MAX_ATTEMPTS = 10

/** The lease of one conversation, as this worker sees it. */
export class Lease {
  readonly conversationId: string
  readonly #deps: LeaseDeps
  readonly #onLost: (conversationId: string) => void
  readonly #heldCallbacks = new Set<() => void>()
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
    this.#acquiring ??= this.#tryAcquire().finally(() => {
      this.#acquiring = null
    })
    return this.#acquiring
  }

  /** Takes the lease from its holder. False if another tab took it again at once. */
  async steal(): Promise<boolean> {
    const lock = await requestLock(this.#deps.locks, this.lockName, { steal: true })
    return lock !== null && this.adopt(lock)
  }

  /** Makes a granted lock this worker's lease. False if it is lost already. */
  adopt(lock: HeldLock): boolean {
    if (lock.isLost) return false
    this.#lock = lock
    lock.onLost = () => {
      if (this.#lock !== lock) return
      this.#lock = null
      this.#onLost(this.conversationId)
    }
    const { conversationId } = this
    this.#deps.channel.post('lease-acquired', { conversationId })
    for (const resolve of this.#heldCallbacks) resolve()
    return true
  }

  /** Calls back once the lease is held, however it was acquired. Returns a function that removes the callback. */
  whenHeld(callback: () => void): () => void {
    this.#heldCallbacks.add(callback)
    return () => void this.#heldCallbacks.delete(callback)
  }

  release(): void {
    const lock = this.#lock
    this.#lock = null
    if (lock === null) return
    if (this.#reservation === 'none') return lock.release()
    this.#reservation = 'used'
    this.#reserved = lock
  }

  /** Reserves the lock for the requesting tab once it is released here. False if it isn't held, or already reserved. */
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

  async #tryAcquire(): Promise<boolean> {
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
    const startedAt = effects.monotonic()
    const stop = new AbortController()
    // The request stays queued the whole time, so that it keeps its place.
    const granted = requestLock(locks, this.lockName, { signal: stop.signal })
    const answer = await this.#waitForAnswer(granted)
    const lock = await lockOrAbort(granted, stop)
    // The lock may have been stolen while this tab was frozen. Waits for the event that reports that.
    if (effects.monotonic() - startedAt > SILENCE_MS) await effects.sleep(RETRY_MS)
    if (this.#lock !== null) {
      lock?.release()
      return 'held'
    }
    if (lock === null) return answer
    return this.adopt(lock) ? 'held' : 'elsewhere'
  }

  /** Waits until the lock is granted or refused, or its holder answers or was silent for too long. */
  #waitForAnswer(granted: Promise<unknown>): Promise<'elsewhere' | 'silent' | 'broken-off'> {
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
