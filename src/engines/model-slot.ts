import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/message.ts'
import { whenAborted } from '../lib/abort.ts'
import type { EngineContext } from './engine-definition.ts'
import { engineError } from './engine-error.ts'
import { asRecord } from '../providers/core/read-json.ts'
import type { EngineProgress } from '../protocol/engine.ts'

export interface ModelLoader<Model> {
  /** Key of the loaded model. Configurations with equal keys share the model. */
  keyOf(config: ModelConfigData): string
  load(config: ModelConfigData, context: EngineContext): Promise<Model>
  unload(model: Model): Promise<void>
  /** Whether this error makes the model unusable, so that it must be reloaded. */
  isFatal(thrown: unknown): boolean
}

/**
 * Holds an engine's single model and runs one turn at a time. A browser has neither the RAM for two models nor the
 * power for two turns. An aborted request leaves the queue.
 */
export class ModelSlot<Model> {
  readonly #loader: ModelLoader<Model>
  #loaded: { readonly key: string; readonly model: Model } | null = null
  #queue: Promise<unknown> = Promise.resolve()

  constructor(loader: ModelLoader<Model>) {
    this.#loader = loader
  }

  /** Loads the model unless it is already loaded. */
  async prepare(config: ModelConfigData, context: EngineContext): Promise<void> {
    const release = await this.#waitForTurn(context.signal)
    try {
      await this.#getModel(config, context)
    } finally {
      release()
    }
  }

  /** Runs a turn on the model, loading the model first if needed. */
  async *turn(
    config: ModelConfigData,
    context: EngineContext,
    runTurn: (model: Model) => AsyncIterable<readonly StreamPart[]>,
  ): AsyncGenerator<readonly StreamPart[]> {
    const release = await this.#waitForTurn(context.signal)
    try {
      yield* runTurn(await this.#getModel(config, context))
    } catch (thrown) {
      if (!this.#loader.isFatal(thrown)) throw thrown
      await this.#unload()
      // The next turn loads the model again.
      throw OffstageError.fromData({ ...engineError(thrown), retryable: true })
    } finally {
      release()
    }
  }

  /** Unloads the model after the current turn. */
  async dispose(): Promise<void> {
    const release = await this.#waitForTurn()
    await this.#unload().finally(release)
  }

  async #getModel(config: ModelConfigData, context: EngineContext): Promise<Model> {
    const key = this.#loader.keyOf(config)
    if (this.#loaded?.key === key) return this.#loaded.model
    await this.#unload()
    const model = await this.#load(config, context)
    this.#loaded = { key, model }
    return model
  }

  /** Rejects at once on abort, so that a load that hangs doesn't block the queue. */
  async #load(config: ModelConfigData, context: EngineContext): Promise<Model> {
    const loading = this.#loader.load(config, context).catch((thrown: unknown) => {
      throw storageError(thrown)
    })
    const loaded = await Promise.race([
      loading.then((model) => ({ model })),
      whenAborted(context.signal),
    ])
    if (loaded && !context.signal.aborted) return loaded.model
    void loading.then((model) => this.#loader.unload(model)).catch(() => undefined)
    throw abortError()
  }

  async #unload(): Promise<void> {
    const loaded = this.#loaded
    this.#loaded = null
    // Unloading a broken model may also fail.
    if (loaded) await this.#loader.unload(loaded.model).catch(() => undefined)
  }

  async #waitForTurn(signal?: AbortSignal): Promise<() => void> {
    const previousTurn = this.#queue
    let release = (): void => undefined
    this.#queue = new Promise<void>((resolve) => {
      release = resolve
    })
    await Promise.race([previousTurn, ...(signal ? [whenAborted(signal)] : [])])
    if (!signal?.aborted) return release
    // Releases the next request only after the current turn.
    void previousTurn.then(release)
    throw abortError()
  }
}

function abortError(): OffstageError {
  return new OffstageError('aborted', 'The request was aborted.')
}

/**
 * Converts a browser's refusal to store a model's files to a typed error. Returns other errors unchanged. In a private
 * window, Chromium's Cache says "Unexpected internal error", which looks like a server's error. "Quota exceeded" looks
 * like an unpaid bill.
 */
function storageError(thrown: unknown): unknown {
  const name = asRecord(thrown)?.['name']
  const isFull = name === 'QuotaExceededError'
  if (!isFull && name !== 'UnknownError') return thrown
  return new OffstageError(
    isFull ? 'storage-full' : 'storage-failed',
    `The browser could not store the model's files. Use a normal window instead of a private one, free disk space, or choose a smaller model. The browser says: ${describeThrown(thrown)}`,
    { cause: thrown },
  )
}

/** Reduces a loader's frequent progress reports to one per interval. */
export function throttleProgress(
  report: (progress: EngineProgress) => void,
  intervalMs = 100,
): (progress: EngineProgress) => void {
  let last = Number.NEGATIVE_INFINITY
  return (progress) => {
    const isLast = progress.total !== undefined && progress.loaded === progress.total
    if (!isLast && performance.now() - last < intervalMs) return
    last = performance.now()
    report(progress)
  }
}
