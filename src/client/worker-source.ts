import type { Connection, ConnectionHost } from './connection.ts'
import { connectWorker } from './connection.ts'
import { toOffstageError } from './failures.ts'
import type { WorkerLike } from './spawn-worker.ts'
import { spawnWorker, spawnWorkerAt } from './spawn-worker.ts'

/** Where the worker comes from; neither field: the default one. */
export interface WorkerSource {
  readonly worker?: () => WorkerLike
  readonly workerUrl?: string | URL
}

/**
 * Starts the worker that the options name. The default one falls back to the inline worker where its
 * file can't be loaded; never to the main thread.
 */
export async function connectSource(
  { worker, workerUrl }: WorkerSource,
  host: ConnectionHost,
): Promise<Connection> {
  if (worker) return connectWorker(worker, host)
  if (workerUrl) return connectWorker(() => spawnWorkerAt(workerUrl), host)
  try {
    return await connectWorker(spawnWorker, host)
  } catch (thrown) {
    const error = toOffstageError(thrown)
    if (error.code !== 'worker-load-failed') throw error
    const connection = await connectInline(host).catch(() => {
      throw error
    })
    host.onNotice({ type: 'warning', code: 'worker-inlined', message: error.message })
    return connection
  }
}

async function connectInline(host: ConnectionHost): Promise<Connection> {
  const { createInlineWorker } = await import('../inline/inline-worker.ts')
  return connectWorker(createInlineWorker, host)
}
