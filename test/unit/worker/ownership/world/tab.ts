import { LEASE_MESSAGES, type LeaseMessages } from '../../../../../src/worker/ownership/lease.ts'
import { createLeases, type Leases } from '../../../../../src/worker/ownership/leases.ts'
import {
  createTabChannel,
  type TabChannel,
} from '../../../../../src/worker/ownership/tab-channel.ts'
import { whenAborted } from '../../../../../src/lib/abort.ts'
import type { Clock } from './clock.ts'
import type { LockManagerOfOrigin } from './lock-manager.ts'
import type { Network } from './network.ts'
import { Process } from './process.ts'

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

/** Everything that tabs share. */
export interface Origin {
  readonly options: WorldOptions
  readonly clock: Clock
  readonly locks: LockManagerOfOrigin
  readonly network: Network
  /** Whether there is an unfinished run. */
  isRunOpen: boolean
  /** Newest epoch in the store. */
  epoch: number
}

/** A tab's worker, and its view of the lease. */
export class Tab extends Process {
  readonly leases: Leases
  readonly channel: TabChannel<LeaseMessages>
  /** Whether the tab has the run's tools. */
  isCapable = true
  /** The tab's answer to a handover request. Null: it never decides. */
  handsOver: boolean | null = false
  /** Number of notifications that the lease was lost. */
  losses = 0
  /** Whether the tab holds the lease, judging only by its notifications. */
  believes = false
  /** The latest epoch that this tab got from the store. */
  epoch = 0
  readonly #world: Origin

  constructor(name: string, world: Origin, { isOpaque = false } = {}) {
    super(name, world.clock, { isOpaque })
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
        sleep: (ms, signal) => this.sleep(ms, signal),
      },
      observer: {
        onLost: () => {
          this.losses++
          this.believes = false
        },
        onAnnounced: () => undefined,
        isDriving: () => false,
        onHandoverRequested: () => this.#decide(),
      },
    })
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
        whenNeeded: whenAborted,
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

  /** Releases the lease before it closes. */
  async close(): Promise<void> {
    this.believes = false
    await this.leases.close()
    this.crash()
  }

  override crash(): void {
    super.crash()
    this.believes = false
    this.#world.locks.terminate(this)
  }

  #took(): void {
    // The lease may have been lost while the answer was on its way.
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
}
