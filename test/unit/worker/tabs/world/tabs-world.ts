import { memoryClaimBook } from '../../../../../src/worker/store/claims.ts'
import { createMemoryStore } from '../../../../../src/worker/store/memory-store.ts'
import type { Store } from '../../../../../src/worker/store/store.ts'
import { Clock, randomOf } from '../../ownership/world/clock.ts'
import { LockManagerOfOrigin } from '../../ownership/world/lock-manager.ts'
import { Network } from '../../ownership/world/network.ts'
import { type Device, PageTab, type PageTabOptions } from './page-tab.ts'
import type { Turn } from './slow-model.ts'

export interface TabsWorldOptions {
  /** False: no Web Locks, as on a plain HTTP address. */
  readonly locks?: boolean
  readonly turns?: readonly Turn[]
  readonly seed?: number
}

const real = { setTimeout, clearTimeout, now: performance.now.bind(performance) }

/** Tabs of one origin with one store, in virtual time: pages and workers, apart from the wire between the two. */
export class TabsWorld {
  readonly options: TabsWorldOptions
  readonly clock = new Clock()
  readonly locks = new LockManagerOfOrigin(this.clock)
  readonly network: Network
  readonly claims = memoryClaimBook()
  readonly store: Store = createMemoryStore('store')
  readonly tabs: PageTab[] = []
  /** Messages on the channel, by type. */
  readonly posted = new Map<string, number>()
  #turns: readonly Turn[]

  constructor(options: TabsWorldOptions = {}) {
    this.options = options
    this.#turns = options.turns ?? [{ text: 'All done.' }]
    this.network = new Network(this.clock, randomOf(options.seed ?? 1))
    // The stream's timer is the process's own.
    Object.assign(globalThis, {
      // Open connections of other tests have timers, too, whose functions take arguments, and which don't count.
      setTimeout: (run: () => void, ms = 0, ...given: unknown[]) =>
        given.length > 0
          ? real.setTimeout(run, ms, ...given)
          : Object.assign(this.clock.after(ms, run), { unref: () => undefined }),
      // Other code in the process may clear timers that it set earlier.
      clearTimeout: (timer?: unknown) =>
        typeof timer === 'function' ? void timer() : real.clearTimeout(timer as never),
    })
    performance.now = () => this.clock.now
    // Plain HTTP has no `crypto.subtle`. Hashing would also take time that this world's clock doesn't count.
    Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true })
  }

  static leave(): void {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout })
    performance.now = real.now
    Reflect.deleteProperty(crypto, 'subtle')
  }

  get turns(): readonly Turn[] {
    return this.#turns
  }

  tab(name: string, options: PageTabOptions = {}): PageTab {
    const tab = new PageTab(name, this, options)
    this.tabs.push(tab)
    return tab
  }

  /** Another browser, whose tabs share the store with others. */
  device(): Device {
    return {
      locks: new LockManagerOfOrigin(this.clock),
      network: new Network(this.clock, randomOf(this.options.seed ?? 1)),
      claims: memoryClaimBook(),
    }
  }

  run(ms: number): Promise<void> {
    return this.clock.run(ms)
  }

  settled<T>(promise: Promise<T>, withinMs = 30_000): Promise<T> {
    return this.clock.settled(promise, withinMs)
  }

  async until(isDone: () => boolean, withinMs = 30_000): Promise<void> {
    for (let waited = 0; !isDone(); waited += 5) {
      if (waited > withinMs) throw new Error('This world does not come to that.')
      await this.clock.run(5)
    }
  }

  /** Forgets all messages posted so far. */
  forgetPosted(): void {
    this.posted.clear()
  }
}
