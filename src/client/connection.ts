import { expose, transfer, wrap } from 'comlink'
import type {
  PageApi,
  PageHello,
  PageNotice,
  WorkerApi,
  WorkerHello,
  WorkerNotice,
} from '../protocol/api.ts'
import { PROTOCOL_VERSION } from '../protocol/api.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import { withRevivedErrors } from '../protocol/wire-errors.ts'
import { disposed, toOffstageError } from './failures.ts'
import { newId, pageId } from './ids.ts'
import type { WorkerLike } from './spawn-worker.ts'

const HANDSHAKE_MS = 10_000

export interface ConnectionHost {
  readonly page: PageApi
  /** Aborted when nobody needs the worker any more, before it has answered. */
  readonly signal: AbortSignal
  onNotice(notice: WorkerNotice): void
}

/** One worker that answered. */
export interface Connection {
  readonly worker: WorkerApi
  /**
   * Calls back when the worker has died, by a lock that it holds meanwhile; never, where locks are
   * missing. Returns what ends the watch.
   */
  watchLife(onDeath: () => void): () => void
  close(): void
}

/**
 * Starts a worker and shakes hands. Rejects with `worker-load-failed` when it can't be started or
 * doesn't answer in time, with `protocol-mismatch` when it speaks another version, and with `disposed`.
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
    const api = withRevivedErrors(wrap<WorkerApi>(worker as Worker) as unknown as WorkerApi)
    const hello: PageHello = {
      protocolVersion: PROTOCOL_VERSION,
      pageId: pageId(),
      pagePort: pages.port2,
      eventPort: events.port2,
    }
    const { protocolVersion } = await inTime(
      worker,
      api.connect(transfer(hello, [hello.pagePort, hello.eventPort])),
      host.signal,
    )
    if (protocolVersion !== PROTOCOL_VERSION) throw mismatch(protocolVersion)
    return {
      worker: api,
      watchLife: (onDeath) => watchLife(api, events.port1, onDeath),
      close,
    }
  } catch (thrown) {
    close()
    throw toOffstageError(thrown)
  }
}

/** A lock of its own for each watch: none is held while nothing is open, so that the page can be cached. */
function watchLife(worker: WorkerApi, port: MessagePort, onDeath: () => void): () => void {
  const name = `offstage-${newId()}`
  const ended = new AbortController()
  const { signal } = ended
  const watch = async (): Promise<void> => {
    // Where the page may not ask for locks, the heartbeat has to do.
    if (!(await worker.holdLock(name)) || signal.aborted) return
    await globalThis.navigator?.locks?.request(name, { signal }, () => {
      if (!signal.aborted) onDeath()
    })
  }
  watch().catch(() => {})
  return () => {
    ended.abort()
    port.postMessage({ type: 'release-lock', name } satisfies PageNotice)
  }
}

/** The worker's answer, unless it fails to load, stays silent or isn't needed any more. */
function inTime(
  worker: WorkerLike,
  answer: Promise<WorkerHello>,
  signal: AbortSignal,
): Promise<WorkerHello> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(disposed())
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    const onError = (event: Event): void =>
      reject(loadFailure((event as ErrorEvent).message || 'its file could not be loaded'))
    const timer = setTimeout(() => reject(loadFailure('it did not answer')), HANDSHAKE_MS)
    worker.addEventListener('error', onError)
    void answer.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
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
