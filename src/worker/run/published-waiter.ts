import type { RunContext } from './run-context.ts'
import type { Waiter } from '../store/storage-retry.ts'

/** Makes a run's commits wait for the storage until the signal aborts, and notifies the page of the wait. */
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
