import {
  LEASE_MESSAGES,
  type LeaseMessages,
} from '../../../../../src/worker/ownership/lease-messages.ts'
import { createLeases, type Leases } from '../../../../../src/worker/ownership/leases.ts'
import {
  createTabChannel,
  type TabChannel,
} from '../../../../../src/worker/ownership/tab-channel.ts'
import type { Clock } from './clock.ts'
import type { LockManagerOfOrigin } from './lock-manager.ts'
import type { Network } from './network.ts'
import type { Process } from './process.ts'

export const TALK = 'talk'
export const SCOPE = 'durable:shop'

export interface WorldOptions {
  /** False: no Web Locks, as on a plain HTTP address. */
  readonly locks?: boolean
  /** False: no channels either. */
  readonly channel?: boolean
  /** False: nobody says which epoch the store gave. */
  readonly epochs?: boolean
  readonly seed?: number
}

/** What tabs have in common. */
export interface Origin {
  readonly options: WorldOptions
  readonly clock: Clock
  readonly locks: LockManagerOfOrigin
  readonly network: Network
  /** There is a run to go on with. */
  isRunOpen: boolean
  /** The store's newest. */
  epoch: number
}

/** A tab's worker, and what it believes. */
export class Tab implements Process {
  readonly name: string
  readonly leases: Leases
  readonly channel: TabChannel<LeaseMessages>
  readonly isOpaque: boolean
  /** Holds the run's tools. */
  isCapable = true
  /** What the tab says to a request to hand over; null: it never decides. */
  handsOver: boolean | null = false
  /** How often it was told that the lease is lost. */
  losses = 0
  /** By what it was told alone. */
  believes = false
  /** What the store gave it last. */
  epoch = 0
  readonly #world: Origin
  #state: 'works' | 'frozen' | 'gone' = 'works'
  readonly #late: (() => void)[] = []

  constructor(name: string, world: Origin, { isOpaque = false } = {}) {
    this.name = name
    this.isOpaque = isOpaque
    this.#world = world
    let ids = 0
    const openPort = (channel: string) =>
      world.options.channel === false ? undefined : world.network.open(this, channel)
    const tabId = `tab-${name}`
    this.channel = createTabChannel({ scope: SCOPE, tabId, openPort, shapes: LEASE_MESSAGES })
    this.leases = createLeases({
      scope: SCOPE,
      channel: this.channel,
      effects: {
        locks: world.options.locks === false ? undefined : world.locks.of(this),
        monotonic: () => world.clock.now,
        newId: (prefix) => `${prefix}${name}${++ids}`,
        sleep: (ms, signal) => this.#sleep(ms, signal),
      },
      observer: {
        onLost: () => {
          this.losses++
          this.believes = false
        },
        onAnnounced: () => undefined,
        onHandoverRequested: () => this.#decide(),
      },
    })
  }

  get isAlive(): boolean {
    return this.#state !== 'gone'
  }

  get isWorking(): boolean {
    return this.#state === 'works'
  }

  get holds(): boolean {
    return this.leases.holds(TALK)
  }

  async acquire(): Promise<boolean> {
    const isAcquired = await this.leases.acquire(TALK)
    if (isAcquired) this.#took()
    return isAcquired
  }

  release(): void {
    this.believes = false
    this.leases.release(TALK)
  }

  /** Resolves to true when it became the holder, to false when it gave up waiting. */
  async inherit(signal: AbortSignal = new AbortController().signal): Promise<boolean> {
    try {
      await this.leases.awaitSuccession(TALK, {
        signal,
        isCapable: () => this.isCapable,
        isNeeded: async () => this.#world.isRunOpen,
      })
      this.#took()
      return true
    } catch {
      return false
    }
  }

  async askFor(): Promise<boolean> {
    const isGiven = await this.leases.requestHandover(TALK)
    if (isGiven) this.#took()
    return isGiven
  }

  /** Says so before it goes. */
  async close(): Promise<void> {
    this.believes = false
    await this.leases.close()
    this.crash()
  }

  crash(): void {
    this.#state = 'gone'
    this.believes = false
    this.#late.length = 0
    this.#world.locks.terminate(this)
  }

  freeze(): void {
    if (this.#state === 'works') this.#state = 'frozen'
  }

  thaw(): void {
    if (this.#state !== 'frozen') return
    this.#state = 'works'
    for (const late of this.#late.splice(0)) this.task(0, late)
  }

  /** Runs in this tab: later when it is frozen, never when it is gone. */
  task(ms: number, run: () => void): void {
    this.#world.clock.after(ms, () => {
      if (this.#state === 'frozen') this.#late.push(run)
      else if (this.#state === 'works') run()
    })
  }

  #took(): void {
    // It may have been lost while the answer was on its way.
    if (!this.holds) return
    this.believes = true
    if (this.#world.options.epochs === false) return
    this.epoch = ++this.#world.epoch
    this.leases.setEpoch(TALK, this.epoch)
  }

  async #decide(): Promise<boolean> {
    if (this.handsOver === null) return new Promise(() => undefined)
    if (this.handsOver) this.release()
    return this.handsOver
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = (): void => {
        signal?.removeEventListener('abort', done)
        resolve()
      }
      signal?.addEventListener('abort', done)
      this.task(ms, done)
    })
  }
}
