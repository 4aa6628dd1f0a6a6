import type { EngineContext, EngineDefinition } from './engine-definition.ts'
import { engineError } from './engine-error.ts'
import type { Engine, EngineProgress } from '../protocol/engine.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/message.ts'
import type { ModelRequest } from '../providers/provider.ts'

interface Task {
  readonly stop: AbortController
  /** Number of batches that may still be sent. */
  credit: number
  /** Wakes the task. Set while the task waits for credit. */
  wake: (() => void) | null
}

/** Serves an engine on one port. Returns a function that aborts the tasks and closes the port. */
export function servePort(definition: EngineDefinition, port: MessagePort): () => void {
  const server = new PortServer(definition, port)
  port.addEventListener('message', ({ data }: MessageEvent<ToEngine>) => server.handle(data))
  port.start()
  return () => server.close()
}

class PortServer {
  readonly #definition: EngineDefinition
  readonly #port: MessagePort
  readonly #tasks = new Map<number, Task>()

  constructor(definition: EngineDefinition, port: MessagePort) {
    this.#definition = definition
    this.#port = port
  }

  handle(message: ToEngine): void {
    switch (message.type) {
      case 'stream':
        return void this.#run(message, (task) => this.#stream(message, task))
      case 'prepare':
        return void this.#run({ ...message, credit: 0 }, async (task) => {
          await this.#definition.prepare?.(message.config, this.#context(message.id, task))
        })
      case 'credit':
        return grantCredit(this.#tasks.get(message.id), message.credit)
      case 'abort':
        return stopTask(this.#tasks.get(message.id))
      case 'ping':
        return this.#post({ type: 'pong' })
      default:
        message satisfies never
    }
  }

  close(): void {
    for (const task of this.#tasks.values()) stopTask(task)
    this.#port.close()
  }

  async #run(
    { id, credit }: { readonly id: number; readonly credit: number },
    run: (task: Task) => Promise<void>,
  ): Promise<void> {
    const task: Task = { stop: new AbortController(), credit, wake: null }
    this.#tasks.set(id, task)
    try {
      await run(task)
      this.#post({ type: 'end', id })
    } catch (thrown) {
      this.#post({ type: 'end', id, error: engineError(thrown) })
    } finally {
      this.#tasks.delete(id)
    }
  }

  async #stream(
    { id, request, config }: Extract<ToEngine, { type: 'stream' }>,
    task: Task,
  ): Promise<void> {
    const { signal } = task.stop
    for await (const parts of this.#definition.stream(request, config, this.#context(id, task))) {
      if (signal.aborted) return
      if (parts.length === 0) continue
      this.#post({ type: 'parts', id, parts })
      task.credit -= 1
      if (task.credit <= 0) await waitForCredit(task)
      if (signal.aborted) return
    }
  }

  #context(id: number, { stop: { signal } }: Task): EngineContext {
    return { signal, progress: (progress) => this.#post({ type: 'progress', id, progress }) }
  }

  #post(message: FromEngine): void {
    this.#port.postMessage(message)
  }
}

function waitForCredit(task: Task): Promise<void> {
  return new Promise((resolve) => {
    task.wake = resolve
  })
}

function grantCredit(task: Task | undefined, credit: number): void {
  if (!task) return
  task.credit += credit
  task.wake?.()
  task.wake = null
}

function stopTask(task: Task | undefined): void {
  task?.stop.abort()
  task?.wake?.()
}

/**
 * An engine on the page itself, for models that only the page can use. Computing here would block the page, so run
 * computing engines in a worker (`workerEngine`).
 */
export function pageEngine(
  definition: EngineDefinition,
  { toolMode }: Pick<Engine, 'toolMode'> = {},
): Engine {
  const closers = new Map<string, () => void>()
  return {
    id: definition.id,
    ...(toolMode && { toolMode }),
    async open({ agentId }) {
      const { port1, port2 } = new MessageChannel()
      closers.get(agentId)?.()
      closers.set(agentId, servePort(definition, port1))
      return { port: port2, instance: 'page', watch: 'none' }
    },
    release(agentId) {
      closers.get(agentId)?.()
      if (closers.delete(agentId) && closers.size === 0) void definition.dispose?.()
    },
  }
}

/**
 * Messages from the agent's worker to the engine. `id` identifies a task, and the engine's answers have the same id.
 * The engine may send one batch for each credit.
 */
export type ToEngine =
  | {
      readonly type: 'stream'
      readonly id: number
      readonly request: ModelRequest
      readonly config: ModelConfigData
      readonly credit: number
    }
  | { readonly type: 'credit'; readonly id: number; readonly credit: number }
  | { readonly type: 'prepare'; readonly id: number; readonly config: ModelConfigData }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'ping' }

/** Messages from the engine to the agent's worker. `end` is a task's last message. */
export type FromEngine =
  | { readonly type: 'parts'; readonly id: number; readonly parts: readonly StreamPart[] }
  | { readonly type: 'progress'; readonly id: number; readonly progress: EngineProgress }
  | { readonly type: 'end'; readonly id: number; readonly error?: ErrorData }
  | { readonly type: 'pong' }

/** Messages from the page to an engine's worker, sent through the worker itself. */
export type EngineCommand =
  | {
      readonly type: 'offstage-engine-open'
      readonly opening: number
      /** The agent's id. A new connection replaces the agent's old one. */
      readonly client: string
      readonly instance: string
      readonly port: MessagePort
      /** Options for the engine's definition, as plain data. */
      readonly options: unknown
    }
  | { readonly type: 'offstage-engine-release'; readonly client: string }
  | { readonly type: 'offstage-engine-dispose' }

/** Answers from the engine's worker to the page. All other messages from the engine bypass the page. */
export type EngineReply =
  | {
      readonly type: 'offstage-engine-ready'
      readonly opening: number
      readonly holdsLock: boolean
    }
  | { readonly type: 'offstage-engine-disposed' }
