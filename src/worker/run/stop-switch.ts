import type { PageApi } from '../../protocol/page-calls.ts'
import { stoppablePage } from '../stoppable.ts'
import type { Stop } from './run-context.ts'

/** What stops a run, or the step under way: after a step that was cut short it is made anew. */
export class StopSwitch {
  readonly #page: PageApi
  #abort = new AbortController()
  /** The page, whose questions stop with the signal. */
  page: PageApi
  stopped: Stop | null = null

  constructor(page: PageApi) {
    this.#page = page
    this.page = stoppablePage(page, this.signal)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The first one counts, but that what stops the run counts more than what cuts a step. */
  halt(stop: Stop): void {
    if (this.stopped === null || this.stopped.type === 'cut') this.stopped = stop
    this.#abort.abort(this.stopped)
  }

  /** Unless the run was stopped meanwhile. */
  renew(): void {
    if (this.stopped?.type !== 'cut') return
    this.stopped = null
    this.#abort = new AbortController()
    this.page = stoppablePage(this.#page, this.signal)
  }
}
