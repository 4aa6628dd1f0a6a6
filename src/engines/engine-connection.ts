import type { EngineLine, EngineProgress } from '../protocol/engine.ts'
import { type ErrorData, OffstageError } from '../protocol/error.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/message.ts'
import { abortedError } from '../providers/core/provider-error.ts'
import type { ModelRequest } from '../providers/provider.ts'
import { engineLostError } from './engine-error.ts'
import { createMailbox, type Mailbox } from '../lib/mailbox.ts'
import type { FromEngine, ToEngine } from './serve-port.ts'
import { onLifeLockFree } from '../lib/life-lock.ts'

/** Maximum number of batches that an engine may send ahead of its reader. */
const WINDOW = 16

type Answer = Extract<FromEngine, { type: 'parts' | 'end' }>

interface Task {
  readonly id: number
  readonly config: ModelConfigData
  readonly answers: Mailbox<Answer>
}

export interface ConnectionOptions {
  readonly onProgress: (config: ModelConfigData, progress: EngineProgress) => void
  /** Called at most once, when the engine is dead. By then, open tasks have ended with `worker-lost`. */
  readonly onLost: () => void
  readonly pings?: PingTiming
}

/** The consumer's end of a connection to an engine. */
export class EngineConnection {
  readonly instance: string
  readonly #port: MessagePort
  readonly #watch: EngineWatch
  readonly #options: ConnectionOptions
  readonly #tasks = new Map<number, Task>()
  #lastId = 0
  #endError: ErrorData | null = null

  constructor(line: EngineLine, options: ConnectionOptions) {
    this.instance = line.instance
    this.#port = line.port
    this.#options = options
    this.#watch = watchEngine(line, {
      ping: () => this.#post({ type: 'ping' }),
      lost: () => this.#lose(),
      timing: options.pings ?? PING_TIMING,
    })
    line.port.addEventListener('message', ({ data }: MessageEvent<FromEngine>) =>
      this.#onMessage(data),
    )
    line.port.start()
  }

  /** Runs one model turn. Never rejects: the last part is the outcome. */
  async *stream(
    request: ModelRequest,
    config: ModelConfigData,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly StreamPart[]> {
    const task = this.#openTask(config)
    const { id } = task
    let receivedCount = 0
    const release = this.#abortWith(task, signal)
    this.#post({ type: 'stream', id, request, config, credit: WINDOW })
    try {
      for (;;) {
        const answer = await task.answers.next()
        if (answer.type === 'end') {
          if (answer.error) yield [{ type: 'error', error: answer.error }]
          return
        }
        yield answer.parts
        receivedCount += 1
        if (receivedCount % (WINDOW / 2) === 0)
          this.#post({ type: 'credit', id, credit: WINDOW / 2 })
      }
    } finally {
      release()
      this.#close(task)
    }
  }

  /** Loads the model. Rejects with an `OffstageError`. */
  async prepare(config: ModelConfigData, signal?: AbortSignal): Promise<void> {
    const task = this.#openTask(config)
    const release = this.#abortWith(task, signal)
    this.#post({ type: 'prepare', id: task.id, config })
    try {
      const answer = await task.answers.next()
      if (answer.type === 'end' && answer.error) throw OffstageError.fromData(answer.error)
    } finally {
      release()
      this.#close(task)
    }
  }

  /** Closes the connection. Open tasks end with `error`. */
  close(error: ErrorData): void {
    if (this.#endError) return
    this.#endError = error
    for (const id of this.#tasks.keys()) this.#post({ type: 'abort', id })
    this.#watch.stop()
    for (const { id, answers } of this.#tasks.values()) answers.post({ type: 'end', id, error })
    this.#port.close()
  }

  #openTask(config: ModelConfigData): Task {
    const task: Task = { id: ++this.#lastId, config, answers: createMailbox() }
    this.#tasks.set(task.id, task)
    this.#watch.expects(true)
    if (this.#endError) task.answers.post({ type: 'end', id: task.id, error: this.#endError })
    return task
  }

  /** Aborts a task in the engine, unless the engine has ended it. */
  #close({ id }: Task): void {
    if (!this.#tasks.delete(id)) return
    this.#post({ type: 'abort', id })
    if (this.#tasks.size === 0) this.#watch.expects(false)
  }

  #abortWith({ id, answers }: Task, signal: AbortSignal | undefined): () => void {
    if (!signal) return () => undefined
    const abort = (): void => answers.post({ type: 'end', id, error: abortedError(signal) })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    return () => signal.removeEventListener('abort', abort)
  }

  #onMessage(message: FromEngine): void {
    this.#watch.received()
    if (message.type === 'pong') return
    const task = this.#tasks.get(message.id)
    if (!task) return
    switch (message.type) {
      case 'progress':
        return this.#options.onProgress(task.config, message.progress)
      case 'parts':
        return task.answers.post(message)
      case 'end':
        task.answers.post(message)
        this.#tasks.delete(message.id)
        if (this.#tasks.size === 0) this.#watch.expects(false)
        return
      default:
        message satisfies never
    }
  }

  #lose(): void {
    this.close(engineLostError())
    this.#options.onLost()
  }

  #post(message: ToEngine): void {
    this.#port.postMessage(message)
  }
}

interface PingTiming {
  readonly intervalMs: number
  /** Number of unanswered pings after which the engine counts as dead. */
  readonly limit: number
}

/** A long limit, because a computing engine might not read its messages for a while. */
const PING_TIMING: PingTiming = { intervalMs: 10_000, limit: 6 }

interface EngineWatch {
  /** Reports a message from the engine. */
  received(): void
  /** Sets whether an answer is expected. If not, the engine isn't pinged. */
  expects(answer: boolean): void
  stop(): void
}

/** Calls back once when the engine at the other end is dead. */
function watchEngine(
  { port, instance, watch }: EngineLine,
  { ping, lost, timing }: { ping: () => void; lost: () => void; timing: PingTiming },
): EngineWatch {
  const stopped = new AbortController()
  // Counts pings instead of time: a frozen tab would mistake the time it was frozen for the engine's death.
  let unanswered = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const onEnd = (): void => {
    if (!stopped.signal.aborted) lost()
  }
  if (watch === 'lock') onLifeLockFree(instance, onEnd, stopped.signal)
  // The earliest sign of death, in browsers that fire it.
  port.addEventListener('close', onEnd, { signal: stopped.signal })

  function tick(): void {
    if (unanswered >= timing.limit) return onEnd()
    unanswered += 1
    ping()
  }

  function stopPinging(): void {
    clearInterval(timer)
    timer = undefined
    unanswered = 0
  }

  return {
    received() {
      unanswered = 0
    },
    expects(answer) {
      if (!answer) stopPinging()
      else if (watch === 'ping') timer ??= setInterval(tick, timing.intervalMs)
    },
    stop() {
      stopped.abort()
      stopPinging()
    },
  }
}
