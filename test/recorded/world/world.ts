/** Wall-clock time at which a world starts. */
export const BEGINNING = Date.UTC(2026, 0, 1)

/** Milliseconds after which a world that hasn't reached its goal counts as stuck. */
const LONGEST_MS = 30 * 60_000

/** Number of idle turns after which the world stops waiting. */
const IDLE_TURNS = 200

const turn = setImmediate

interface Timer {
  readonly at: number
  readonly fire: () => void
  readonly every?: number
}

/**
 * Time, chance and messages of page and worker, in one process and in one order: every message is
 * delivered before the clock moves, and the clock moves to the next timer. So a run takes no real time,
 * and takes the same course each time.
 */
export class World {
  /** Milliseconds since it began. */
  now = 0
  #ids = 0
  #timerIds = 0
  readonly #timers = new Map<number, Timer>()
  readonly #messages: (() => void)[] = []

  post(deliver: () => void): void {
    this.#messages.push(deliver)
  }

  setTimer(fire: () => void, ms = 0, every?: number): number {
    const id = ++this.#timerIds
    this.#timers.set(id, { at: this.now + delay(ms), fire, ...(every !== undefined && { every }) })
    return id
  }

  clearTimer(id: number): void {
    this.#timers.delete(id)
  }

  /** Zeros and a count: whatever alphabet an id is written in, it is unique and can be recognised. */
  fillRandom(bytes: Uint8Array): void {
    const count = ++this.#ids
    bytes.fill(0)
    for (let digit = 1, left = count; digit <= 3; digit++, left = Math.floor(left / 36)) {
      bytes[bytes.length - digit] = left % 36
    }
  }

  /** Lets the world go on until the condition holds. */
  async until(isDone: () => boolean): Promise<void> {
    let idle = 0
    for (;;) {
      // Runs every promise's continuation first.
      await new Promise<void>((resolve) => turn(resolve))
      if (isDone()) return
      if (this.#step()) idle = 0
      else if (++idle > IDLE_TURNS) throw new Error('Nothing happens any more in this world.')
      if (this.now > LONGEST_MS) throw new Error('This world does not come to its goal.')
    }
  }

  #step(): boolean {
    const deliver = this.#messages.shift()
    if (deliver) {
      deliver()
      return true
    }
    const next = [...this.#timers].reduce<[number, Timer] | null>(
      (first, timer) => (first === null || timer[1].at < first[1].at ? timer : first),
      null,
    )
    if (next === null) return false
    const [id, timer] = next
    this.#timers.delete(id)
    this.now = timer.at
    if (timer.every !== undefined) {
      this.#timers.set(id, { ...timer, at: this.now + delay(timer.every) })
    }
    timer.fire()
    return true
  }
}

function delay(ms: number): number {
  return Math.max(1, Math.ceil(Number(ms) || 0))
}
