import type { PageNotice, WorkerNotice } from '../protocol/notices.ts'
import type { PageApi } from '../protocol/page-calls.ts'
import type { WorkerApi } from '../protocol/worker-calls.ts'
import type { WorkerAddress, WorkerLike } from './spawn-worker.ts'
import type { StartFailure } from './start-failure.ts'

/** Loads what makes the worker without a file. */
export type InlineWorker = () => Promise<{ createInlineWorker(): Promise<Worker> }>

/** Where the worker comes from; neither of the first two: the default one. */
export interface WorkerSource {
  readonly worker?: () => WorkerLike | Promise<WorkerLike>
  readonly workerUrl?: WorkerAddress
  /** What the default worker falls back to where its file can't be loaded. */
  inline?: InlineWorker | undefined
}

export interface ConnectionHost {
  readonly page: PageApi
  /** Aborted when nobody needs the worker any more, before it has answered. */
  readonly signal: AbortSignal
  onNotice(notice: WorkerNotice): void
}

/** Makes a worker, and notes for which address. */
export type Spawn = (start: StartFailure) => WorkerLike | Promise<WorkerLike>

/** One worker that answered. */
export interface Connection {
  readonly worker: WorkerApi
  /** A time of the worker's monotonic clock on the page's, at most the handshake's duration too late. */
  toPageTime(workerMs: number): number
  /**
   * Calls back when the worker has died, by a lock that it holds meanwhile; never, where locks are
   * missing. Returns what ends the watch.
   */
  watchLife(onDeath: () => void): () => void
  /** What is said without an answer. Throws for what can't cross. */
  notify(notice: PageNotice): void
  close(): void
}
