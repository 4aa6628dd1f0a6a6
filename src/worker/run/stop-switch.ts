import type { PageApi } from '../../protocol/page-calls.ts'
import { stoppablePage } from '../stoppable.ts'
import type { Stop } from './run-context.ts'

/** Stops a run, or only its current step. After a cut step, `renew` makes a new signal. */
export class StopSwitch {
  readonly #page: PageApi
  #abort = new AbortController()
  /** The page. Pending requests to it stop when the signal aborts. */
  page: PageApi
  stopped: Stop | null = null

  constructor(page: PageApi) {
    this.#page = page
    this.page = stoppablePage(page, this.signal)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The first stop wins, except that stopping the run overrides cutting its step. */
  halt(stop: Stop): void {
    if (this.stopped === null || this.stopped.type === 'cut') this.stopped = stop
    this.#abort.abort(this.stopped)
  }

  /** Makes a new signal after a cut step, unless the run was stopped meanwhile. */
  renew(): void {
    if (this.stopped?.type !== 'cut') return
    this.stopped = null
    this.#abort = new AbortController()
    this.page = stoppablePage(this.#page, this.signal)
  }
}
