import { workerEngine, type EngineWorker } from '../worker-engine.ts'
import type { Engine } from '../../protocol/engine.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { WllamaEngineOptions, WllamaSource } from './wllama-definition.ts'

/** Options of `wllama`: the worker and WebAssembly file to run, and the models to load. */
export interface WllamaOptions {
  /** Makes the engine's worker, whose file calls `serveWllama()`. */
  readonly worker: () => EngineWorker
  /** The address of `wllama.wasm`, from `@wllama/wllama/esm/wasm/`. */
  readonly wasmUrl: string | URL
  /** Sources of models, by the name in `model.model`. Any other name must be a URL. */
  readonly models?: { readonly [name: string]: WllamaSource }
  /**
   * Options for loading models: `n_ctx`, `n_threads`, `n_gpu_layers`, `chat_template` and other fields of wllama's
   * `LoadModelParams`. The configuration's `contextWindow` overrides `n_ctx`, which defaults to 4096.
   */
  readonly load?: JsonObject
}

/**
 * Creates an engine that runs a model in the visitor's browser: llama.cpp as WebAssembly, in its own worker. Nothing is
 * loaded before `agent.prepare()` or a run. Throws `invalid-config` unless both `worker` and `wasmUrl` are given. The
 * worker's file calls `serveWllama()` of `offstage/wllama/worker`.
 *
 * @example
 * // wllama-worker.ts imports serveWllama of offstage/wllama/worker, and calls serveWllama()
 * const wasmUrl = '/wllama.wasm' // a copy of node_modules/@wllama/wllama/esm/wasm/wllama.wasm
 * const worker = () => new Worker(new URL('./wllama-worker.ts', import.meta.url), { type: 'module' })
 * const models = { qwen: '/models/qwen3-0.6b-q8_0.gguf' }
 * createAgent({
 *   engines: [wllama({ worker, wasmUrl, models })],
 *   model: { provider: 'wllama', model: 'qwen' },
 * })
 */
export function wllama({ worker, wasmUrl, models = {}, load = {} }: WllamaOptions): Engine {
  if (typeof worker !== 'function' || !wasmUrl) {
    throw new OffstageError(
      'invalid-config',
      'wllama() needs worker, a function that returns new Worker(…), and wasmUrl, the address of wllama.wasm.',
    )
  }
  const options = (): WllamaEngineOptions => ({
    wasmUrl: absolute(wasmUrl),
    models: Object.fromEntries(
      Object.entries(models).map(([name, source]) => [
        name,
        typeof source === 'string' ? absolute(source) : source,
      ]),
    ),
    load,
  })
  return workerEngine({ id: 'wllama', worker, options })
}

function absolute(url: string | URL): string {
  return new URL(url, globalThis.document?.baseURI).href
}

export type { WllamaSource } from './wllama-definition.ts'
export type { EngineWorker } from '../worker-engine.ts'
