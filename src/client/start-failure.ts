import type { OffstageError } from '../protocol/error.ts'
import type { WorkerLike } from './spawn-worker.ts'

/**
 * A failed start, with the facts known at once. Created when the start begins, thrown when it fails. Callers of the
 * package never see it: its cause is diagnosed first.
 */
export class StartFailure extends Error {
  declare worker?: WorkerLike
  /** The worker's address. Absent if a function of the app made the worker asynchronously. */
  declare url?: string | URL
  /** The worker reported that it has begun. */
  declare hasBegun?: boolean
  /** The worker's protocol version, if it differs from the page's. An error if the worker refused the page's version. */
  declare otherVersion?: number | OffstageError
  /** The error thrown while the worker was made. */
  declare thrown?: unknown
  /** The worker's `error` event, which rarely has details. */
  declare event?: Event
  /** Whether the file is clearly no Offstage worker. Absent if unchecked. */
  declare isNoOffstageWorker?: boolean
}
