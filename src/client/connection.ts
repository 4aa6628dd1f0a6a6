import { expose, transfer, wrap } from 'comlink'
import type { PageApi, PageHello, WorkerApi, WorkerHello, WorkerNotice } from '../protocol/api.ts'
import { PROTOCOL_VERSION } from '../protocol/api.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import { toOffstageError } from './failures.ts'
import { monotonicMs } from './clock.ts'
import { newId } from './ids.ts'
import { pageRegistry } from './page-registry.ts'
import type { WorkerLike } from './spawn-worker.ts'

const HANDSHAKE_MS = 10_000

export interface ConnectionHost {
  readonly page: PageApi
  onNotice(notice: WorkerNotice): void
}

/** One worker that answered. */
export interface Connection {
  readonly worker: WorkerApi
  /** A time of the worker's monotonic clock on the page's, at most the handshake's duration too late. */
  toPageTime(workerMs: number): number
  /** Calls back when the worker's life lock comes free: it is dead. Never, where locks are missing. */
  onLockFree(callback: () => void): void
  close(): void
}

/**
 * Starts a worker and shakes hands. Rejects with `worker-load-failed` when it can't be started or
 * doesn't answer in time, and with `protocol-mismatch` when it speaks another version.
 */
export async function connectWorker(
  spawn: () => WorkerLike,
  host: ConnectionHost,
): Promise<Connection> {
  let worker: WorkerLike
  try {
    worker = spawn()
  } catch (thrown) {
    throw loadFailure(describeThrown(thrown), thrown)
  }
  const pages = new MessageChannel()
  const events = new MessageChannel()
  const closing = new AbortController()
  const close = (): void => {
    closing.abort()
    pages.port1.close()
    events.port1.close()
    worker.terminate?.()
  }
  try {
    expose(host.page, pages.port1)
    events.port1.addEventListener('message', ({ data }) => {
      if (!closing.signal.aborted) host.onNotice(data as WorkerNotice)
    })
    events.port1.start()
    const api = wrap<WorkerApi>(worker as Worker)
    const hello: PageHello = {
      protocolVersion: PROTOCOL_VERSION,
      pageId: pageRegistry().pageId,
      lifeLock: `offstage-${newId()}`,
      pagePort: pages.port2,
      eventPort: events.port2,
    }
    const { protocolVersion, holdsLock, clock } = await inTime(
      worker,
      api.connect(transfer(hello, [hello.pagePort, hello.eventPort])),
    )
    if (protocolVersion !== PROTOCOL_VERSION) throw mismatch(protocolVersion)
    // Not by `timeOrigin`: in some browsers it moves with the wall clock.
    const ahead = monotonicMs() - clock
    endWhenSetAside(worker, closing.signal)
    return {
      worker: api,
      toPageTime: (workerMs) => workerMs + ahead,
      onLockFree(callback) {
        // Where the page may not ask for locks, the heartbeat has to do.
        if (holdsLock)
          globalThis.navigator?.locks?.request(hello.lifeLock, callback).catch(() => {})
      },
      close,
    }
  } catch (thrown) {
    close()
    throw toOffstageError(thrown)
  }
}

/**
 * WebKit sets a page that is left aside, for going back, and with it the page's worker and the worker's
 * locks: the next page would wait for them. A page that comes back finds its worker lost, and starts another.
 */
function endWhenSetAside(worker: WorkerLike, signal: AbortSignal): void {
  const end = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) worker.terminate?.()
  }
  globalThis.addEventListener?.('pagehide', end, { signal })
}

/** The worker's answer, unless it fails to load or stays silent. */
function inTime(worker: WorkerLike, answer: Promise<WorkerHello>): Promise<WorkerHello> {
  return new Promise((resolve, reject) => {
    const onError = (event: Event): void =>
      reject(loadFailure((event as ErrorEvent).message || 'its file could not be loaded'))
    const timer = setTimeout(() => reject(loadFailure('it did not answer')), HANDSHAKE_MS)
    worker.addEventListener('error', onError)
    void answer.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      worker.removeEventListener('error', onError)
    })
  })
}

function loadFailure(what: string, cause?: unknown): OffstageError {
  return new OffstageError(
    'worker-load-failed',
    `The worker did not start: ${what}. Check that its file is served as JavaScript and that the page's CSP allows it (worker-src). With Vite's dev server put offstage into optimizeDeps.exclude; elsewhere pass the worker option, a function that returns new Worker(…).`,
    { cause },
  )
}

function mismatch(version: number): OffstageError {
  return new OffstageError(
    'protocol-mismatch',
    `The worker speaks version ${version} and the page ${PROTOCOL_VERSION}: they come from different releases of offstage. Reload without the cache, or deploy both files together.`,
  )
}
