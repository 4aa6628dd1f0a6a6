import { whenAborted } from '../lib/abort.ts'
import { callsOf } from '../protocol/call.ts'
import { OffstageError } from '../protocol/error.ts'
import { type PageApi, PAGE_CALLS } from '../protocol/page-calls.ts'
import type { Effects } from './effects.ts'

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

/**
 * Runs work with its own abort controller, which aborts when a parent aborts and when the work is over. Tasks that the
 * work started but didn't await end then, too.
 */
export async function withStop<T>(
  parents: readonly AbortSignal[],
  work: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  for (const parent of parents) {
    if (parent.aborted) abort()
    parent.addEventListener('abort', abort)
  }
  try {
    return await work(stop)
  } finally {
    for (const parent of parents) parent.removeEventListener('abort', abort)
    abort()
  }
}

/** Result of the work. Undefined if it takes longer than `ms`. */
export function resultWithin<T>(
  ms: number,
  work: Promise<T>,
  { sleep }: Pick<Effects, 'sleep'>,
): Promise<T | undefined> {
  const late = (signal: AbortSignal): Promise<undefined> => sleep(ms, signal).then(() => undefined)
  return withStop([], ({ signal }) => Promise.race([work, late(signal)]))
}
