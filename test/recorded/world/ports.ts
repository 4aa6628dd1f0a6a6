import type { World } from './world.ts'

/** A message port whose messages are delivered by a world. */
class WorldPort extends EventTarget {
  readonly #world: World
  #other: WorldPort | null = null
  #isStarted = false
  #isClosed = false
  #early: unknown[] = []
  #onmessage: ((event: MessageEvent) => void) | null = null

  constructor(world: World) {
    super()
    this.#world = world
  }

  static pair(world: World): { readonly port1: WorldPort; readonly port2: WorldPort } {
    const [port1, port2] = [new WorldPort(world), new WorldPort(world)]
    port1.#other = port2
    port2.#other = port1
    return { port1, port2 }
  }

  set onmessage(listener: ((event: MessageEvent) => void) | null) {
    this.#onmessage = listener
    this.start()
  }

  get onmessage(): ((event: MessageEvent) => void) | null {
    return this.#onmessage
  }

  postMessage(message: unknown, transfer: readonly unknown[] = []): void {
    const other = this.#other
    if (this.#isClosed || other === null) return
    const copy = copied(message, transfer)
    this.#world.post(() => other.#take(copy))
  }

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    for (const message of this.#early) this.#world.post(() => this.#take(message))
    this.#early = []
  }

  close(): void {
    this.#isClosed = true
    if (this.#other) this.#other.#isClosed = true
  }

  #take(data: unknown): void {
    if (this.#isClosed) return
    if (!this.#isStarted) {
      this.#early.push(data)
      return
    }
    const event = new MessageEvent('message', { data })
    this.#onmessage?.(event)
    this.dispatchEvent(event)
  }
}

export const portPair = WorldPort.pair

/** A structured clone, in which the ports are the ports themselves. */
function copied(message: unknown, transfer: readonly unknown[]): unknown {
  const ports = transfer.filter((each): each is WorldPort => each instanceof WorldPort)
  if (ports.length === 0) return structuredClone(message)
  const mark = 'world-port:'
  const swap = (value: unknown, change: (leaf: unknown) => unknown): unknown => {
    const changed = change(value)
    if (changed !== value || typeof value !== 'object' || value === null) return changed
    if (Array.isArray(value)) return value.map((each) => swap(each, change))
    if (Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, swap(each, change)]))
  }
  const out = swap(message, (leaf) =>
    leaf instanceof WorldPort ? `${mark}${ports.indexOf(leaf)}` : leaf,
  )
  return swap(structuredClone(out), (leaf) =>
    typeof leaf === 'string' && leaf.startsWith(mark)
      ? ports[Number(leaf.slice(mark.length))]
      : leaf,
  )
}
