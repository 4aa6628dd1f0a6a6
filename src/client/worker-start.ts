import type { PageNotice, WorkerNotice } from '../protocol/notices.ts'
import type { PageApi } from '../protocol/page-calls.ts'
import type { WorkerApi } from '../protocol/worker-calls.ts'
import type { WorkerAddress, WorkerLike } from './spawn-worker.ts'
import type { StartFailure } from './start-failure.ts'

/** Loads the code that makes the worker without a file. */
export type InlineWorker = () => Promise<{ createInlineWorker(): Promise<Worker> }>

/** Source of the worker. Default: the package's own worker file. */
export interface WorkerSource {
  readonly worker?: () => WorkerLike | Promise<WorkerLike>
  readonly workerUrl?: WorkerAddress
  /** Fallback of the default worker if its file can't be loaded. */
  inline?: InlineWorker | undefined
}

export interface ConnectionHost {
  readonly page: PageApi
  /** Aborted when nobody needs the worker any more, before it has answered. */
  readonly signal: AbortSignal
  onNotice(notice: WorkerNotice): void
}

/** Makes a worker, and records its address. */
export type Spawn = (start: StartFailure) => WorkerLike | Promise<WorkerLike>

/** Connection to a worker that has answered. */
export interface Connection {
  readonly worker: WorkerApi
  /** Converts a time of the worker's monotonic clock to the page's, at most the handshake's duration too late. */
  toPageTime(workerMs: number): number
  /**
   * Calls `onDeath` when the worker has died, as shown by a lock that it holds; never without support for locks.
   * Returns a function that ends the watch.
   */
  watchLife(onDeath: () => void): () => void
  /** Sends a notice that has no answer. Throws for data that can't be cloned. */
  notify(notice: PageNotice): void
  close(): void
}
