import { PARENT_ENDED } from '../protocol/run.ts'
import type { Run } from './run.ts'

/** Handles of a run's child runs. Every iterator starts at the first and never throws. */
export class RunChildren {
  readonly #runs: Run[] = []
  readonly #load: () => Promise<readonly Run[]>
  #isLoading = false
  #hasLoaded = false
  #isClosed = false
  #wake = (): void => undefined
  #changed = this.#nextChange()

  /**
   * `over` resolves when the parent run has ended and no more child runs can start. `load` reads the child runs that
   * ended before this page had the run. The first iterator calls it, once.
   */
  constructor(over: Promise<unknown>, load: () => Promise<readonly Run[]>) {
    this.#load = load
    void over.then(() => {
      this.#isClosed = true
      this.#change()
    })
  }

  add(run: Run): void {
    if (this.#runs.some(({ runId }) => runId === run.runId)) return
    this.#runs.push(run)
    this.#change()
  }

  /** Aborts the child runs, because their parent is ending. */
  stop(): void {
    for (const run of this.#runs) run.abort(PARENT_ENDED)
  }

  readonly iterate = (): AsyncIterator<Run, undefined> => {
    void this.#loadOnce()
    let at = 0
    let isDetached = false
    return {
      next: async () => {
        while (!isDetached) {
          const value = this.#runs[at]
          if (value) {
            at += 1
            return { value, done: false }
          }
          if (this.#isClosed && !this.#isLoading) break
          await this.#changed
        }
        return { value: undefined, done: true }
      },
      return: () => {
        isDetached = true
        this.#change()
        return Promise.resolve({ value: undefined, done: true })
      },
    }
  }

  async #loadOnce(): Promise<void> {
    if (this.#hasLoaded) return
    this.#hasLoaded = this.#isLoading = true
    const runs = await this.#load().catch(() => [])
    this.#isLoading = false
    for (const run of runs) this.add(run)
    this.#change()
  }

  #change(): void {
    this.#wake()
    this.#changed = this.#nextChange()
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }
}
