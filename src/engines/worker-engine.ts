import type { Engine, EngineLine, EngineOpening } from '../protocol/engine.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { EngineCommand, EngineReply } from './serve-port.ts'

/** Time limit for loading the engine's file and its first answer, in milliseconds. */
const READY_MS = 30_000
/** Time limit for freeing the engine's resources, in milliseconds. */
const DISPOSE_MS = 2_000

/** The required part of a worker: a `Worker`, or anything that passes messages like one. */
export interface EngineWorker {
  postMessage(message: unknown, transfer: Transferable[]): void
  addEventListener(type: string, listener: (event: Event) => void): void
  removeEventListener(type: string, listener: (event: Event) => void): void
  terminate?(): void
}

/** Options of `workerEngine`: the provider id that selects the engine, and how to create the worker. */
export interface WorkerEngineOptions {
  /** The provider id that selects the engine. */
  readonly id: string
  /** Creates the worker, whose file calls `serveEngine`. Called when the engine is first opened. */
  readonly worker: () => EngineWorker
  /** Options for the function passed to `serveEngine`, as plain data. Read each time the engine is opened. */
  readonly options?: () => unknown
  /** Set for an engine without native tools: its models always run in ACTION mode. */
  readonly toolMode?: 'action'
}

interface RunningWorker {
  readonly worker: EngineWorker
  readonly instance: string
}

/** Creates an engine in a separate worker. All agents with the same engine object share the worker. */
export function workerEngine({ id, worker, options, toolMode }: WorkerEngineOptions): Engine {
  const clients = new Set<string>()
  let running: RunningWorker | undefined
  let openings = 0

  function ensureWorker(lost: string | undefined): RunningWorker {
    if (running && running.instance === lost) {
      running.worker.terminate?.()
      running = undefined
    }
    return (running ??= { worker: spawn(worker), instance: newInstance(id) })
  }

  async function open({ agentId, lost }: EngineOpening): Promise<EngineLine> {
    const current = ensureWorker(lost)
    const { instance } = current
    const { port1, port2 } = new MessageChannel()
    const opening = ++openings
    clients.add(agentId)
    try {
      send(current.worker, {
        type: 'offstage-engine-open',
        opening,
        client: agentId,
        instance,
        port: port2,
        options: options?.(),
      })
      const { holdsLock } = await waitUntilReady(current.worker, opening)
      return { port: port1, instance, watch: holdsLock ? 'lock' : 'ping' }
    } catch (thrown) {
      port1.close()
      // The next opening starts another worker.
      if (running === current) running = undefined
      current.worker.terminate?.()
      throw thrown
    }
  }

  return {
    id,
    ...(toolMode && { toolMode }),
    open,
    release(agentId) {
      if (!clients.delete(agentId) || !running) return
      if (clients.size > 0) {
        send(running.worker, { type: 'offstage-engine-release', client: agentId })
        return
      }
      void endWorker(running.worker)
      running = undefined
    },
  }
}

function spawn(worker: () => EngineWorker): EngineWorker {
  try {
    return worker()
  } catch (thrown) {
    throw loadFailure(describeThrown(thrown), 'worker-option')
  }
}

function send(worker: EngineWorker, command: EngineCommand): void {
  worker.postMessage(command, 'port' in command ? [command.port] : [])
}

/** Waits for the worker's answer to an opening. Rejects with `worker-load-failed`. */
function waitUntilReady(
  worker: EngineWorker,
  opening: number,
): Promise<Extract<EngineReply, { opening: number }>> {
  return new Promise((resolve, reject) => {
    const fail = (problem: string, reason: Reason): void => {
      stop()
      reject(loadFailure(problem, reason))
    }
    const onMessage = (event: Event): void => {
      const reply = (event as MessageEvent<EngineReply | null>).data
      if (reply?.type !== 'offstage-engine-ready' || reply.opening !== opening) return
      stop()
      resolve(reply)
    }
    const onError = (event: Event): void => {
      const { message } = event as ErrorEvent
      fail(message || 'its file could not be loaded', message ? 'syntax' : 'unknown')
    }
    const timer = setTimeout(
      () => fail(`it did not answer within ${READY_MS / 1000} s`, 'no-answer'),
      READY_MS,
    )
    function stop(): void {
      clearTimeout(timer)
      worker.removeEventListener('message', onMessage)
      worker.removeEventListener('error', onError)
    }
    worker.addEventListener('message', onMessage)
    worker.addEventListener('error', onError)
  })
}

/** Lets the engine free its resources, then terminates its worker. */
async function endWorker(worker: EngineWorker): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DISPOSE_MS)
    worker.addEventListener('message', (event) => {
      const reply = (event as MessageEvent<EngineReply | null>).data
      if (reply?.type !== 'offstage-engine-disposed') return
      clearTimeout(timer)
      resolve()
    })
    send(worker, { type: 'offstage-engine-dispose' })
  })
  worker.terminate?.()
}

function newInstance(id: string): string {
  return `offstage-engine-${id}-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`
}

/** Failure reasons (`details.reason`), a subset of those of the agent's own worker. */
type Reason = 'worker-option' | 'syntax' | 'no-answer' | 'unknown'

function loadFailure(problem: string, reason: Reason): OffstageError {
  return new OffstageError(
    'worker-load-failed',
    `The engine's worker did not start: ${problem}. Check that its file is served as JavaScript, that it calls serveEngine() (serveWllama(), serveWebLLM()) at its top, and that the page's CSP allows it (worker-src).`,
    { details: { reason }, retryable: reason === 'no-answer' },
  )
}
