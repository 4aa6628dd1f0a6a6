import { portPair } from './ports.ts'
import { BEGINNING, type World } from './world.ts'

/**
 * Puts the world that is entered in the place of this process's clock, timers, chance, ports and
 * network; without one they are what they were. Imported before anything of `src/`, which keeps some of
 * them while it loads.
 */
let world: World | null = null
let answerFetch: typeof fetch | null = null

export function enter(entered: World, network: typeof fetch): void {
  world = entered
  answerFetch = network
}

export function leave(): void {
  world = null
  answerFetch = null
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
  fetch: (...args: Parameters<typeof fetch>) => (answerFetch ?? real.fetch)(...args),
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
// Newer versions of Node have locks: here every worker is an owner, and the epoch alone fences.
Object.defineProperty(globalThis, 'navigator', { configurable: true, value: undefined })
