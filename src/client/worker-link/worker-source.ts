import { expose, transfer, wrap } from 'comlink'
import { partAddress, spawnWorker, spawnWorkerAt, type WorkerLike } from './spawn-worker.ts'
import {
  type Connection,
  type ConnectionHost,
  type Spawn,
  StartFailure,
  type WorkerSource,
} from './worker-start.ts'
import { startTrusted, withAddress } from './trusted-worker.ts'
import {
  type PageHello,
  PROTOCOL_VERSION,
  WORKER_BEGUN,
  WORKER_CALLS,
  type WorkerApi,
} from '../../protocol/worker-calls.ts'
import type { PageNotice, WorkerNotice } from '../../protocol/notices.ts'
import { wrapRemoteCalls } from '../../protocol/call.ts'
import { onLifeLockFree } from '../../lib/life-lock.ts'
import { monotonicMs } from '../../lib/monotonic-ms.ts'
import { disposedError, toOffstageError } from '../api/failures.ts'
import { randomId } from '../../lib/random-id.ts'
import { pageRegistry } from '../page-life/page-registry.ts'
import { sleep } from '../../lib/sleep.ts'
import { loadPart } from '../api/load-part.ts'
import type * as diagnosis from '../start-diagnosis/start-diagnosis.ts'

/**
 * Loads the diagnosis, which is needed only when a worker doesn't start. If loading fails, the error reports `thrown`,
 * without a diagnosis.
 */
const loadDiagnosis = ({ thrown }: StartFailure): Promise<typeof diagnosis> =>
  loadPart(() => import('../start-diagnosis/start-diagnosis.ts'), thrown)

/** How long a worker may still take to begin after an error event. Milliseconds. */
const ERROR_GRACE_MS = 1000
/** How long a worker may be silent before its start is diagnosed. Milliseconds. */
const SILENCE_MS = 10_000

/**
 * Starts a worker and connects to it. Rejects with a `StartFailure` if the worker can't be started, doesn't answer or
 * has another protocol version. Rejects with `disposed` when aborted.
 */
async function connectWorker(spawn: Spawn, host: ConnectionHost): Promise<Connection> {
  const start = new StartFailure()
  const pages = new MessageChannel()
  const events = new MessageChannel()
  const notify = (notice: PageNotice): void => events.port1.postMessage(notice)
  let isClosed = false
  const close = (): void => {
    isClosed = true
    pages.port1.close()
    events.port1.close()
    start.worker?.terminate?.()
  }
  try {
    expose(host.page, pages.port1)
    events.port1.onmessage = ({ data }) => {
      if (!isClosed) host.onNotice(data as WorkerNotice)
    }
    const hello: PageHello = {
      protocolVersion: PROTOCOL_VERSION,
      pageId: pageRegistry().pageId,
      pagePort: pages.port2,
      eventPort: events.port2,
      part: partAddress(),
    }
    const { api, protocolVersion, clock } = await inTime(start, host.signal, async (fail) => {
      const worker = await makeWorker(spawn, start, fail)
      // Terminates a worker that was created only after its start was given up.
      if (isClosed) worker.terminate?.()
      const api = wrapRemoteCalls(WORKER_CALLS, wrap(worker as Worker))
      const connecting = api.connect(transfer(hello, [pages.port2, events.port2]))
      const answer = await connecting.catch((thrown: unknown) => {
        const error = toOffstageError(thrown)
        if (error.code !== 'protocol-mismatch') throw thrown
        start.otherVersion = error
        throw start
      })
      return { api, ...answer }
    })
    if (protocolVersion !== PROTOCOL_VERSION) {
      start.otherVersion = protocolVersion
      throw start
    }
    // Doesn't use `timeOrigin`, which moves with the system clock in some browsers.
    const offsetMs = monotonicMs() - clock
    return {
      worker: api,
      toPageTime: (workerMs) => workerMs + offsetMs,
      watchLife: (onDeath) => watchLife(api, notify, onDeath),
      notify,
      close,
    }
  } catch (thrown) {
    close()
    throw thrown
  }
}

/**
 * Uses a new lock for each watch. No lock is held while nothing is open, so that the page can enter the back/forward
 * cache.
 */
function watchLife(
  worker: WorkerApi,
  notify: Connection['notify'],
  onDeath: () => void,
): () => void {
  const name = `offstage-${randomId()}`
  const ended = new AbortController()
  const { signal } = ended
  // If the page isn't allowed to use locks, doesn't watch: only the heartbeat then detects a dead worker.
  const watch = (isHeld: boolean): void => {
    if (isHeld && !signal.aborted) onLifeLockFree(name, onDeath, signal)
  }
  worker.holdLock({ name }).then(watch, () => {})
  return () => {
    ended.abort()
    notify({ type: 'release-lock', name })
  }
}

/** Makes the worker, and records its errors and its first message. */
async function makeWorker(
  spawn: Spawn,
  start: StartFailure,
  fail: () => void,
): Promise<WorkerLike> {
  try {
    const worker = (start.worker = await spawn(start))
    if (!worker.postMessage) throw new TypeError('There is no postMessage().')
    worker.addEventListener('error', (event) => {
      start.event = event
      // Waits a while: the worker may start despite an error in its file.
      const grace = sleep((event as ErrorEvent).message ? ERROR_GRACE_MS : 0)
      void grace.then(() => start.hasBegun || fail())
    })
    worker.addEventListener('message', (event) => {
      if ((event as MessageEvent).data === WORKER_BEGUN) start.hasBegun = true
    })
    return worker
  } catch (thrown) {
    start.thrown = thrown
    throw start
  }
}

/** Resolves to the answer. Rejects if the worker fails to load, takes too long, or is no longer needed. */
function inTime<Answer>(
  start: StartFailure,
  signal: AbortSignal,
  connect: (fail: () => void) => Promise<Answer>,
): Promise<Answer> {
  const ended = new AbortController()
  return new Promise<Answer>((resolve, reject) => {
    if (signal.aborted) throw disposedError()
    signal.addEventListener('abort', () => reject(disposedError()), ended)
    const fail = (): void => reject(start)
    const waitLonger = async (): Promise<void> => {
      if (!ended.signal.aborted) await (await loadDiagnosis(start)).untilGivenUp(start)
    }
    void sleep(SILENCE_MS).then(waitLonger).then(fail, fail)
    connect(fail).then(resolve, reject)
  }).finally(() => ended.abort())
}

/**
 * Starts the worker that the options name. If the default file can't be loaded, or is of another release even after a
 * reload, the inline worker starts instead. Never falls back to the main thread.
 */
export async function connectSource(
  source: WorkerSource,
  host: ConnectionHost,
): Promise<Connection> {
  // Listens from the beginning: only this event reveals that a policy refused the worker.
  const violations: SecurityPolicyViolationEvent[] = []
  const ended = new AbortController()
  const note = (event: SecurityPolicyViolationEvent): void => void violations.push(event)
  globalThis.document?.addEventListener('securitypolicyviolation', note, ended)
  try {
    return await connectFile(source, host)
  } catch (failure) {
    if (!(failure instanceof StartFailure)) throw failure
    const { inline, worker, workerUrl } = source
    const inlineStart =
      inline && !worker && !workerUrl
        ? connectWorker(async () => (await inline()).createInlineWorker(), host)
        : Promise.reject(failure)
    // The inline worker doesn't wait for the diagnosis, and starts even if the diagnosis can't be loaded.
    const diagnosis = loadDiagnosis(failure).then(({ throwStartError }) =>
      throwStartError(failure, inlineStart, { source, violations, host }),
    )
    diagnosis.catch(() => {})
    return await inlineStart.catch(() => diagnosis)
  } finally {
    ended.abort()
  }
}

/**
 * Starts the worker. If its version differs, because a cache holds the file from before a deploy, reloads the file and
 * tries once more.
 */
async function connectFile(source: WorkerSource, host: ConnectionHost): Promise<Connection> {
  const spawn = spawnOf(source)
  try {
    return await connectWorker(spawn, host)
  } catch (failure) {
    if (!(failure instanceof StartFailure) || failure.otherVersion === undefined) throw failure
    const diagnosis = await loadDiagnosis(failure).catch(() => null)
    if (!(await diagnosis?.reloadFile(failure, host.signal))) throw failure
    return await connectWorker(spawn, host)
  }
}

function spawnOf({ worker, workerUrl }: WorkerSource): Spawn {
  const make = workerUrl ? () => spawnWorkerAt(workerUrl) : spawnWorker
  return (start) => {
    const recordUrl = <Made>(make: () => Made): Made =>
      withAddress(make, (url) => (start.url = url))
    return worker ? recordUrl(worker) : startTrusted(() => recordUrl(make))
  }
}
