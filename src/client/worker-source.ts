import { connectWorker } from './connection.ts'
import { spawnWorker, spawnWorkerAt } from './spawn-worker.ts'
import { loadDiagnosis } from './load-diagnosis.ts'
import { StartFailure } from './start-failure.ts'
import { startTrusted, withAddress } from './trusted-worker.ts'
import type { Connection, ConnectionHost, Spawn, WorkerSource } from './worker-start.ts'

/**
 * Starts the worker that the options name. If the default file can't be loaded, or stays at another release, the
 * inline worker starts instead. Never falls back to the main thread.
 */
export async function connectSource(
  source: WorkerSource,
  host: ConnectionHost,
): Promise<Connection> {
  // Only this event reveals a policy's refusal, and only while it happens.
  const violations: SecurityPolicyViolationEvent[] = []
  const over = new AbortController()
  const note = (event: SecurityPolicyViolationEvent): void => void violations.push(event)
  globalThis.document?.addEventListener('securitypolicyviolation', note, over)
  try {
    return await connectFile(source, host)
  } catch (failure) {
    if (!(failure instanceof StartFailure)) throw failure
    const { inline, worker, workerUrl } = source
    const second =
      inline && !worker && !workerUrl
        ? connectWorker(async () => (await inline()).createInlineWorker(), host)
        : Promise.reject(failure)
    // The inline worker doesn't wait for the diagnosis, and starts even if that can't be loaded.
    const diagnosis = loadDiagnosis(failure).then(({ report }) =>
      report(failure, second, { source, violations, host }),
    )
    diagnosis.catch(() => {})
    return await second.catch(() => diagnosis)
  } finally {
    over.abort()
  }
}

/** After a deploy, a cache may hold the old file. Reloads the file then, and starts the worker once more. */
async function connectFile(source: WorkerSource, host: ConnectionHost): Promise<Connection> {
  const spawn = spawnOf(source)
  try {
    return await connectWorker(spawn, host)
  } catch (failure) {
    if (!(failure instanceof StartFailure) || failure.otherVersion === undefined) throw failure
    const diagnosis = await loadDiagnosis(failure).catch(() => null)
    if (!(await diagnosis?.loadAnew(failure, host.signal))) throw failure
    return await connectWorker(spawn, host)
  }
}

function spawnOf({ worker, workerUrl }: WorkerSource): Spawn {
  const make = workerUrl ? () => spawnWorkerAt(workerUrl) : spawnWorker
  return (start) => {
    const noted = <Made>(make: () => Made): Made => withAddress(make, (url) => (start.url = url))
    return worker ? noted(worker) : startTrusted(() => noted(make))
  }
}
