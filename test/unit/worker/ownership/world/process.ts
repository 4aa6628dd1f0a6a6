import type { Clock } from './clock.ts'

/** Something that runs in a tab of an origin, and can be frozen or gone. */
export class Process {
  readonly name: string
  readonly isOpaque: boolean
  readonly #clock: Clock
  #state: 'works' | 'frozen' | 'gone' = 'works'
  readonly #late: (() => void)[] = []

  constructor(name: string, clock: Clock, { isOpaque = false } = {}) {
    this.name = name
    this.isOpaque = isOpaque
    this.#clock = clock
  }

  get isAlive(): boolean {
    return this.#state !== 'gone'
  }

  get isWorking(): boolean {
    return this.#state === 'works'
  }

  crash(): void {
    this.#state = 'gone'
    this.#late.length = 0
  }

  freeze(): void {
    if (this.#state === 'works') this.#state = 'frozen'
  }

  /** Delivers the messages that arrived while frozen one by one, `paceMs` apart. */
  thaw(paceMs = 0): void {
    if (this.#state !== 'frozen') return
    this.#state = 'works'
    for (const [index, late] of this.#late.splice(0).entries()) this.task(index * paceMs, late)
  }

  /** Runs in this tab: later when it is frozen, never when it is gone. Returns what cancels it. */
  task(ms: number, run: () => void): () => void {
    return this.#clock.after(ms, () => {
      if (this.#state === 'frozen') this.#late.push(run)
      else if (this.#state === 'works') run()
    })
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = (): void => {
        signal?.removeEventListener('abort', done)
        resolve()
      }
      signal?.addEventListener('abort', done)
      this.task(ms, done)
    })
  }
}
