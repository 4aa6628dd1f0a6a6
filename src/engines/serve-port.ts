import type { EngineContext, EngineDefinition } from './engine-definition.ts'
import { engineError } from './engine-error.ts'
import type { FromEngine, ToEngine } from './port-messages.ts'

interface Task {
  readonly stop: AbortController
  /** Number of batches that may still be sent. */
  credit: number
  /** Set while the task waits for credit. */
  wake: (() => void) | null
}

/** Serves an engine on one port. Returns a function that aborts the tasks and closes the port. */
export function servePort(definition: EngineDefinition, port: MessagePort): () => void {
  const server = new PortServer(definition, port)
  port.addEventListener('message', ({ data }: MessageEvent<ToEngine>) => server.take(data))
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

  take(message: ToEngine): void {
    switch (message.type) {
      case 'stream':
        return void this.#run(message, (task) => this.#stream(message, task))
      case 'prepare':
        return void this.#run({ ...message, credit: 0 }, async (task) => {
          await this.#definition.prepare?.(message.config, this.#context(message.id, task))
        })
      case 'credit':
        return grant(this.#tasks.get(message.id), message.credit)
      case 'abort':
        return stop(this.#tasks.get(message.id))
      case 'ping':
        return this.#post({ type: 'pong' })
      default:
        message satisfies never
    }
  }

  close(): void {
    for (const task of this.#tasks.values()) stop(task)
    this.#port.close()
  }

  async #run(
    { id, credit }: { readonly id: number; readonly credit: number },
    work: (task: Task) => Promise<void>,
  ): Promise<void> {
    const task: Task = { stop: new AbortController(), credit, wake: null }
    this.#tasks.set(id, task)
    try {
      await work(task)
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
      if (task.credit <= 0) await moreCredit(task)
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

function moreCredit(task: Task): Promise<void> {
  return new Promise((resolve) => {
    task.wake = resolve
  })
}

function grant(task: Task | undefined, credit: number): void {
  if (!task) return
  task.credit += credit
  task.wake?.()
  task.wake = null
}

function stop(task: Task | undefined): void {
  task?.stop.abort()
  task?.wake?.()
}
