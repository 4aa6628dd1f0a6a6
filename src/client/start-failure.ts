import type { OffstageError } from '../protocol/error.ts'
import type { WorkerLike } from './spawn-worker.ts'

/**
 * A start that failed, with what shows of it by itself. Made when the start begins, thrown when it fails.
 * No caller of the package sees it: its cause is looked for first.
 */
export class StartFailure extends Error {
  declare worker?: WorkerLike
  /** The address that the worker was made for. Absent: a function of the app made it, and not at once. */
  declare url?: string | URL
  /** The worker said that it begins. */
  declare hasBegun?: boolean
  /** The worker's version of the protocol, which isn't the page's, or the error by which it refused the page's. */
  declare otherVersion?: number | OffstageError
  /** Making the worker threw this. */
  declare thrown?: unknown
  /** The worker's `error` event, which rarely says more than that there was one. */
  declare event?: Event
  /** Whether its file was seen to be no worker of Offstage; absent: nobody has looked. */
  declare isNoOffstageWorker?: boolean
}
