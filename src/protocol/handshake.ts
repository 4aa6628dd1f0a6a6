/** Of the language below. Page and worker of different versions refuse each other. */
export const PROTOCOL_VERSION = 15

/** The page's first words. The two ports are transferred with it. */
export interface PageHello {
  readonly protocolVersion: number
  /** Names this page load; executions carry it, so that a page knows its own. No `:` in it. */
  readonly pageId: string
  /** Carries `PAGE_CALLS` (Comlink). */
  readonly pagePort: MessagePort
  /** Carries `WorkerNotice`s and `PageNotice`s as plain messages. */
  readonly eventPort: MessagePort
}

/** The worker's first sign of life, on its global scope: its file was loaded, and begins. */
export const WORKER_BEGUN = 'offstage-begun'

/** What the worker answers. */
export interface WorkerHello {
  readonly protocolVersion: number
  /** What the worker's monotonic clock showed when it answered. Milliseconds. */
  readonly clock: number
}

/** A lock by whose coming free a death is noticed. */
export interface LockRef {
  readonly name: string
}
