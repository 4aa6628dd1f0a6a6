import type { PageNotice, WorkerNotice } from '../../protocol/notices.ts'
import type { PageApi } from '../../protocol/page-calls.ts'
import type { WorkerApi } from '../../protocol/worker-calls.ts'
import type { WorkerAddress, WorkerLike } from './spawn-worker.ts'
import type { OffstageError } from '../../protocol/error.ts'

/**
 * A failed start, with the facts known at once. Created when the start begins, and thrown if it fails. Apps get an
 * error with the diagnosed cause instead.
 */
export class StartFailure extends Error {
  declare worker?: WorkerLike
  /** The worker's address. Absent if a function of the app made the worker asynchronously. */
  declare url?: string | URL
  /** True once the worker has reported that it has begun. */
  declare hasBegun?: boolean
  /** The worker's protocol version if it isn't the page's. An error if the worker refused the page's version. */
  declare otherVersion?: number | OffstageError
  /** The error thrown while the worker was made. */
  declare thrown?: unknown
  /** The worker's `error` event, which rarely has details. */
  declare event?: Event
  /** True if the file is clearly no Offstage worker. Absent if unchecked. */
  declare isNoOffstageWorker?: boolean
}

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
  /** Aborted if the worker is no longer needed before it has answered. */
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
   * Calls `onDeath` when the worker has died, which frees a lock that it holds. Never called without Web Locks. Returns
   * a function that ends the watch.
   */
  watchLife(onDeath: () => void): () => void
  /** Sends a notice, which has no answer. Throws for data that can't be cloned. */
  notify(notice: PageNotice): void
  close(): void
}
