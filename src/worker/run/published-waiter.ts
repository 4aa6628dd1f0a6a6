import type { RunContext } from './run-context.ts'
import type { Waiter } from '../store/storage-retry.ts'

/** Commits of a run wait for the storage until the signal gives them up; the page is notified of it. */
export function publishedWaiter(
  { stream, runId }: Pick<RunContext, 'stream' | 'runId'>,
  signal: AbortSignal,
): Waiter {
  return {
    signal,
    onPark: (reason) => {
      stream.delta({ type: 'storage-waits', runId, reason })
      stream.flush()
    },
    onContinue: () => stream.delta({ type: 'storage-takes', runId }),
  }
}
