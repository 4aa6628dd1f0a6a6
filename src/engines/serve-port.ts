import type { ModelConfigData } from '../protocol/model.ts'
import type { EngineContext, EngineDefinition } from './engine-definition.ts'
import { engineError } from './engine-error.ts'
import type { FromEngine, ToEngine } from './port-messages.ts'

interface Task {
  readonly stop: AbortController
  /** Batches that may be sent. */
  credit: number
  /** Set while the task waits for credit. */
  wake: (() => void) | null
}

/** Serves one line to an engine. Returns its end: tasks are aborted, the port is closed. */
export function servePort(definition: EngineDefinition, port: MessagePort): () => void {
  const tasks = new Map<number, Task>()
  const post = (message: FromEngine): void => port.postMessage(message)

  function contextOf(id: number, { stop }: Task): EngineContext {
    return {
      signal: stop.signal,
      progress: (progress) => post({ type: 'progress', id, progress }),
    }
  }

  async function run(
    { id, credit }: { readonly id: number; readonly credit: number },
    work: (task: Task) => Promise<void>,
  ): Promise<void> {
    const task: Task = { stop: new AbortController(), credit, wake: null }
    tasks.set(id, task)
    try {
      await work(task)
      post({ type: 'end', id })
    } catch (thrown) {
      post({ type: 'end', id, error: engineError(thrown) })
    } finally {
      tasks.delete(id)
    }
  }

  function stream({ id, request, config, credit }: Extract<ToEngine, { type: 'stream' }>): void {
    void run({ id, credit }, async (task) => {
      const { signal } = task.stop
      for await (const parts of definition.stream(request, config, contextOf(id, task))) {
        if (signal.aborted) return
        if (parts.length === 0) continue
        post({ type: 'parts', id, parts })
        task.credit -= 1
        if (task.credit <= 0) await moreCredit(task)
        if (signal.aborted) return
      }
    })
  }

  function prepare(id: number, config: ModelConfigData): void {
    void run({ id, credit: 0 }, async (task) => {
      await definition.prepare?.(config, contextOf(id, task))
    })
  }

  port.addEventListener('message', ({ data }: MessageEvent<ToEngine>) => {
    switch (data.type) {
      case 'stream':
        return stream(data)
      case 'prepare':
        return prepare(data.id, data.config)
      case 'credit':
        return grant(tasks.get(data.id), data.credit)
      case 'abort':
        return stop(tasks.get(data.id))
      case 'ping':
        return post({ type: 'pong' })
      default:
        data satisfies never
    }
  })
  port.start()
  return () => {
    for (const task of tasks.values()) stop(task)
    port.close()
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
