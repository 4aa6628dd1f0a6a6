import { workerEngine, type EngineWorker } from '../worker-engine.ts'
import type { Engine } from '../../protocol/engine.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'

/** Options of `webllm`: the worker to run in, and settings for WebLLM itself. */
export interface WebLLMOptions {
  /** Makes the engine's worker, whose file calls `serveWebLLM()`. */
  readonly worker: () => EngineWorker
  /** WebLLM's `AppConfig`, for your own models. Default: WebLLM's list of prebuilt models. */
  readonly appConfig?: JsonObject
  /** WebLLM's `ChatOptions`. If the configuration has `contextWindow`, it overrides `context_window_size`. */
  readonly chatOptions?: JsonObject
}

/**
 * WebLLM (WebGPU) in its own worker: `createAgent({ engines: [webllm({ … })], model: { provider: 'webllm', model:
 * 'Qwen3-4B-q4f16_1-MLC' } })`. Models always run in ACTION mode. Nothing is loaded before `agent.prepare()` or a run.
 */
export function webllm({ worker, ...options }: WebLLMOptions): Engine {
  if (typeof worker !== 'function') {
    throw new OffstageError(
      'invalid-config',
      'webllm() needs worker, a function that returns new Worker(…).',
    )
  }
  return workerEngine({ id: 'webllm', worker, options: () => options, toolMode: 'action' })
}

export type { EngineWorker } from '../worker-engine.ts'
