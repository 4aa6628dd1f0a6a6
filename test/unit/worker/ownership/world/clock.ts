/** The same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Event {
  readonly at: number
  readonly order: number
  readonly fire: () => void
}

/** Virtual time: events happen in their order, and what they make of promises before the next one. */
export class Clock {
  /** Milliseconds since it began; no jump of the wall clock moves it. */
  now = 0
  #count = 0
  readonly #events = new Set<Event>()

  /** Returns what cancels it. */
  after(ms: number, fire: () => void): () => void {
    const event = { at: this.now + Math.max(0, ms), order: ++this.#count, fire }
    this.#events.add(event)
    return () => void this.#events.delete(event)
  }

  async run(ms: number): Promise<void> {
    const end = this.now + ms
    for (;;) {
      await promises()
      const next = this.#next()
      if (next === null || next.at > end) break
      this.#fire(next)
    }
    this.now = end
  }

  /** Lets time go on until the promise is settled; it has to be within `withinMs`. */
  async settled<T>(promise: Promise<T>, withinMs: number): Promise<T> {
    let isSettled = false
    const mark = (): void => void (isSettled = true)
    promise.then(mark, mark)
    const end = this.now + withinMs
    for (;;) {
      await promises()
      if (isSettled) return promise
      const next = this.#next()
      if (next === null || next.at > end) throw new Error(`Not settled within ${withinMs} ms.`)
      this.#fire(next)
    }
  }

  #fire(event: Event): void {
    this.#events.delete(event)
    this.now = event.at
    event.fire()
  }

  #next(): Event | null {
    let next: Event | null = null
    for (const event of this.#events) {
      if (
        next === null ||
        event.at < next.at ||
        (event.at === next.at && event.order < next.order)
      ) {
        next = event
      }
    }
    return next
  }
}

function promises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
