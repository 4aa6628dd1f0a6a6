/** Version of the messages between page and worker. Different versions refuse each other. */
export const PROTOCOL_VERSION = 15

/** The page's first message. The two ports are transferred with it. */
export interface PageHello {
  readonly protocolVersion: number
  /** Id of this page load, without `:`. Execution ids include it, so that a page recognizes its own. */
  readonly pageId: string
  /** Carries `PAGE_CALLS` (Comlink). */
  readonly pagePort: MessagePort
  /** Carries `WorkerNotice`s and `PageNotice`s as plain messages. */
  readonly eventPort: MessagePort
}

/** First message from the worker's global scope: its script has loaded and starts. */
export const WORKER_BEGUN = 'offstage-begun'

/** The worker's answer to `PageHello`. */
export interface WorkerHello {
  readonly protocolVersion: number
  /** The worker's monotonic clock at the time of the answer, in milliseconds. */
  readonly clock: number
}

/** A lock that becomes free when its holder dies. */
export interface LockRef {
  readonly name: string
}
