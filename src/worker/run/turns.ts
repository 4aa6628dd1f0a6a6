/** Most calls that run in parallel. */
const SIDE_BY_SIDE = 4

interface Waiter {
  readonly isParallel: boolean
  go(): void
}

/** Runs calls in the order of their arrival: one alone, or several parallel ones at once. */
export class Turns {
  readonly #waiting: Waiter[] = []
  #running = 0
  #isAlone = false

  /** `hasWaited`: whether the call had to wait for others to run first. */
  async take<T>(isParallel: boolean, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    let hasWaited = false
    await new Promise<void>((go) => {
      this.#waiting.push({ isParallel, go })
      this.#next()
      hasWaited = this.#waiting.some((waiter) => waiter.go === go)
    })
    try {
      return await work(hasWaited)
    } finally {
      this.#running -= 1
      this.#isAlone = false
      this.#next()
    }
  }

  #next(): void {
    for (;;) {
      const first = this.#waiting[0]
      if (!first || this.#isAlone || this.#running >= (first.isParallel ? SIDE_BY_SIDE : 1)) return
      this.#waiting.shift()
      this.#running += 1
      this.#isAlone = !first.isParallel
      first.go()
    }
  }
}
