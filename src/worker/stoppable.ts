import { whenAborted } from '../lib/abort.ts'
import { callsOf } from '../protocol/call.ts'
import { OffstageError } from '../protocol/error.ts'
import { type PageApi, PAGE_CALLS } from '../protocol/page-calls.ts'

/** Wraps the page's calls. When the signal aborts, calls marked `stops` in `PAGE_CALLS` reject with `aborted`. */
export function stoppablePage(page: PageApi, signal: AbortSignal): PageApi {
  const stopped = async (): Promise<never> => {
    await whenAborted(signal)
    throw new OffstageError('aborted', 'The run was stopped.')
  }
  return callsOf(PAGE_CALLS, (name) =>
    PAGE_CALLS[name].stops
      ? (argument) => Promise.race([page[name](argument), stopped()])
      : page[name],
  )
}
