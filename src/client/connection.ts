import { expose, transfer, wrap } from 'comlink'
import type { PageHello } from '../protocol/handshake.ts'
import type { PageNotice, WorkerNotice } from '../protocol/notices.ts'
import { type WorkerApi, WORKER_CALLS } from '../protocol/worker-calls.ts'
import { PROTOCOL_VERSION, WORKER_BEGUN } from '../protocol/handshake.ts'
import { asked } from '../protocol/wire.ts'
import { onLifeLockFree } from '../lib/life-lock.ts'
import { monotonicMs } from '../lib/monotonic-ms.ts'
import { disposed, toOffstageError } from './failures.ts'
import { randomId } from '../lib/random-id.ts'
import { loadDiagnosis } from './load-diagnosis.ts'
import { pageRegistry } from './page-registry.ts'
import { sleep } from '../lib/sleep.ts'
import type { WorkerLike } from './spawn-worker.ts'
import { StartFailure } from './start-failure.ts'
import type { Connection, ConnectionHost, Spawn } from './worker-start.ts'

/** How long a worker may take to begin after an error in its file. Milliseconds. */
const REPORTED_MS = 1000
/** How long a worker may be silent before its start is diagnosed. Milliseconds. */
const SILENCE_MS = 10_000

/**
 * Starts a worker and shakes hands. Rejects with a `StartFailure` if it can't be started, doesn't answer or speaks
 * another version. Rejects with `disposed` when aborted.
 */
export async function connectWorker(spawn: Spawn, host: ConnectionHost): Promise<Connection> {
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
    }
    const { api, protocolVersion, clock } = await inTime(start, host.signal, async (fail) => {
      const worker = await makeWorker(spawn, start, fail)
      // The start was given up before the worker existed.
      if (isClosed) worker.terminate?.()
      const api = asked(WORKER_CALLS, wrap(worker as Worker))
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
    // `timeOrigin` would not do: in some browsers it moves with the wall clock.
    const ahead = monotonicMs() - clock
    return {
      worker: api,
      toPageTime: (workerMs) => workerMs + ahead,
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
  // If the page may not use locks, only the heartbeat detects a dead worker.
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
      // An error while the file runs need not keep the worker from starting.
      const grace = sleep((event as ErrorEvent).message ? REPORTED_MS : 0)
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

/** Resolves to the answer. Rejects when the worker fails to load, is given up, or is no longer needed. */
function inTime<Answer>(
  start: StartFailure,
  signal: AbortSignal,
  ask: (fail: () => void) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController()
  return new Promise<Answer>((resolve, reject) => {
    if (signal.aborted) throw disposed()
    signal.addEventListener('abort', () => reject(disposed()), over)
    const fail = (): void => reject(start)
    const waitLonger = async (): Promise<void> => {
      if (!over.signal.aborted) await (await loadDiagnosis(start)).untilGivenUp(start)
    }
    void sleep(SILENCE_MS).then(waitLonger).then(fail, fail)
    ask(fail).then(resolve, reject)
  }).finally(() => over.abort())
}
