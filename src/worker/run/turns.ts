/** Calls that run side by side at most. */
const SIDE_BY_SIDE = 4

interface Waiter {
  readonly isParallel: boolean
  go(): void
}

/** Lets calls run in the order in which they come: one alone, or several that may run beside others. */
export class Turns {
  readonly #waiting: Waiter[] = []
  #running = 0
  #isAlone = false

  /** `work` is told whether others ran since it was asked for. */
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
