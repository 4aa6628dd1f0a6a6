import { portPair } from './ports.ts'
import type { Tabs } from './tabs.ts'
import { BEGINNING, type World } from './world.ts'

/**
 * Puts the world that is entered in the place of this process's clock, timers, chance, ports and
 * network; without one they are what they were. Imported before anything of `src/`, which keeps some of
 * them while it loads.
 */
let world: World | null = null
let around: Around | null = null

export interface Around {
  readonly fetch: typeof fetch
  /** Locks and channels shared with other tabs. Null: no locks, as on a plain HTTP address. */
  readonly tabs: Tabs | null
}

export function enter(entered: World, entering: Around): void {
  world = entered
  around = entering
}

export function leave(): void {
  world = null
  around = null
}

const real = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  now: Date.now,
  monotonic: performance.now.bind(performance),
  getRandomValues: crypto.getRandomValues.bind(crypto),
  MessageChannel,
  BroadcastChannel,
  fetch,
}

type Callback = (...args: unknown[]) => void

function timer(fallback: (callback: Callback, ms?: number, ...args: unknown[]) => unknown) {
  return (callback: Callback, ms?: number, ...args: unknown[]): unknown =>
    world ? world.setTimer(() => callback(...args), ms) : fallback(callback, ms, ...args)
}

function clear(fallback: (id: NodeJS.Timeout) => void) {
  return (id: unknown): void =>
    typeof id === 'number' ? world?.clearTimer(id) : fallback(id as NodeJS.Timeout)
}

Object.assign(globalThis, {
  setTimeout: timer(real.setTimeout),
  clearTimeout: clear(real.clearTimeout),
  setInterval: (callback: Callback, ms?: number, ...args: unknown[]): unknown =>
    world
      ? world.setTimer(() => callback(...args), ms, ms)
      : real.setInterval(callback, ms, ...args),
  clearInterval: clear(real.clearInterval),
  MessageChannel: class {
    constructor() {
      return world ? portPair(world) : new real.MessageChannel()
    }
  },
  BroadcastChannel: class {
    constructor(name: string) {
      if (world && !around?.tabs) throw new DOMException('No tabs.', 'SecurityError')
      return around?.tabs?.channel(name) ?? new real.BroadcastChannel(name)
    }
  },
  fetch: (...args: Parameters<typeof fetch>) => (around?.fetch ?? real.fetch)(...args),
})
Date.now = () => (world ? BEGINNING + world.now : real.now())
performance.now = () => (world ? world.now : real.monotonic())
Object.defineProperty(crypto, 'getRandomValues', {
  configurable: true,
  value: (bytes: Uint8Array<ArrayBuffer>) => {
    if (!world) return real.getRandomValues(bytes)
    world.fillRandom(bytes)
    return bytes
  },
})
// Where there are no locks, every worker is an owner, and the epoch alone fences.
Object.defineProperty(globalThis, 'navigator', {
  configurable: true,
  get: () => (around?.tabs ? { locks: around.tabs } : undefined),
})
