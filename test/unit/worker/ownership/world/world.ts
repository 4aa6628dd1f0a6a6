import { Clock, randomOf } from './clock.ts'
import { LockManagerOfOrigin } from './lock-manager.ts'
import { Network } from './network.ts'
import { Tab, type Origin, type WorldOptions } from './tab.ts'

/** Some tabs of one origin, in virtual time. */
export class World implements Origin {
  readonly options: WorldOptions
  readonly clock = new Clock()
  readonly locks = new LockManagerOfOrigin(this.clock)
  readonly network: Network
  readonly tabs: Tab[] = []
  /** There is a run to go on with. */
  isRunOpen = true
  /** The store's newest. */
  epoch = 0

  constructor(options: WorldOptions = {}) {
    this.options = options
    this.network = new Network(this.clock, randomOf(options.seed ?? 1))
  }

  tab(name: string, options: { readonly isOpaque?: boolean } = {}): Tab {
    const tab = new Tab(name, this, options)
    this.tabs.push(tab)
    return tab
  }

  /** Tabs that know of each other. */
  async tabsOf(...names: string[]): Promise<Tab[]> {
    const tabs = names.map((name) => this.tab(name))
    await this.run(1000)
    return tabs
  }

  run(ms: number): Promise<void> {
    return this.clock.run(ms)
  }

  settled<T>(promise: Promise<T>, withinMs: number): Promise<T> {
    return this.clock.settled(promise, withinMs)
  }

  /** The names of the living tabs that take themselves for the holder. */
  get holders(): string[] {
    return this.tabs.filter((tab) => tab.isAlive && tab.holds).map(({ name }) => name)
  }
}
