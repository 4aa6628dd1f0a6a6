import type { EngineContext, EngineDefinition } from '../engine-definition.ts'
import { createMailbox } from '../../lib/mailbox.ts'
import { ModelSlot, throttleProgress } from '../model-slot.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/message.ts'
import { withRaw } from '../../providers/core/raw-parts.ts'
import { asRecord } from '../../providers/core/read-json.ts'
import { endChat, mapChatChunk, startChat } from '../../providers/openai/map-chunk.ts'
import { type ChatRules, compatible } from '../../providers/openai/presets.ts'
import { chatBody } from '../../providers/openai/to-request.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import type { JsonObject } from '../../protocol/json.ts'

const ID = 'wllama'
const CONTEXT_WINDOW = 4096

/** llama.cpp accepts a user message after a tool message. A named tool choice is sent as `required`. */
const rules: ChatRules = { ...compatible, userAfterTool: true, namedToolChoice: false }

/** llama.cpp as an engine. The module is imported when the first model is loaded. */
export function wllamaDefinition(
  options: WllamaEngineOptions,
  importModule: () => Promise<WllamaModule>,
): EngineDefinition {
  const slot = new ModelSlot<WllamaInstance>({
    keyOf: (config) => JSON.stringify([config.model, contextSize(config, options)]),
    load: (config, context) => load({ options, importModule, config, context }),
    unload: (instance) => instance.exit(),
    // The WebAssembly module crashed, most often for lack of memory.
    isFatal: (thrown) => asRecord(thrown)?.['name'] === 'RuntimeError',
  })
  return {
    id: ID,
    prepare: (config, context) => slot.prepare(config, context),
    stream: (request, config, context) =>
      slot.turn(config, context, (instance) => complete(instance, { request, config, context })),
    dispose: () => slot.dispose(),
  }
}

type ChatEvent =
  | { readonly type: 'chunk'; readonly chunk: unknown }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly error: unknown }

async function* complete(
  instance: WllamaInstance,
  turn: {
    readonly request: ModelRequest
    readonly config: ModelConfigData
    readonly context: EngineContext
  },
): AsyncGenerator<readonly StreamPart[]> {
  const { request, config, context } = turn
  const state = startChat(ID, request)
  const chunks = createMailbox<ChatEvent>()
  const stopController = new AbortController()
  const completion = instance
    .createChatCompletion({
      ...chatBody(request, config, { providerId: ID, rules }),
      stream: true,
      abortSignal: AbortSignal.any([context.signal, stopController.signal]),
      onData: (chunk) => chunks.post({ type: 'chunk', chunk }),
    })
    .then(
      () => chunks.post({ type: 'end' }),
      (error: unknown) => chunks.post({ type: 'failed', error }),
    )
  try {
    for (;;) {
      const event = await chunks.next()
      if (event.type === 'failed') throw event.error
      if (event.type === 'end') break
      yield withRaw(request, event.chunk, mapChatChunk(state, event.chunk))
    }
    yield endChat(state, { done: true })
  } finally {
    // Waits until llama.cpp has stopped, so that the next turn can begin.
    stopController.abort()
    await completion
  }
}

async function load({
  options,
  importModule,
  config,
  context,
}: {
  readonly options: WllamaEngineOptions
  readonly importModule: () => Promise<WllamaModule>
  readonly config: ModelConfigData
  readonly context: EngineContext
}): Promise<WllamaInstance> {
  const source = sourceOf(config.model, options)
  const { Wllama } = await importModule()
  // Throws an error that names a blocking Content-Security-Policy. wllama itself would wait for its module forever.
  await WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))
  const instance = new (Wllama as WllamaClass)(
    { default: options.wasmUrl },
    { suppressNativeLog: true, logger: silent },
  )
  const params = { ...options.load, n_ctx: contextSize(config, options) }
  const report = throttleProgress(context.progress)
  try {
    if (typeof source === 'string') {
      await instance.loadModelFromUrl(source, {
        ...params,
        signal: context.signal,
        // Some servers don't send the length.
        progressCallback: ({ loaded, total }) => report({ loaded, ...(total > 0 && { total }) }),
      })
    } else {
      await instance.loadModel('size' in source ? [source] : [...source], params)
    }
    context.signal.throwIfAborted()
    return instance
  } catch (thrown) {
    await instance.exit().catch(() => undefined)
    throw thrown
  }
}

function contextSize({ contextWindow }: ModelConfigData, { load }: WllamaEngineOptions): number {
  const configured = load['n_ctx']
  return contextWindow ?? (typeof configured === 'number' ? configured : CONTEXT_WINDOW)
}

function sourceOf(model: string, { models }: WllamaEngineOptions): WllamaSource {
  const source = Object.hasOwn(models, model) ? models[model] : undefined
  if (source !== undefined) return source
  if (/^(https?|blob|data):/.test(model)) return model
  const names = Object.keys(models).join(', ') || 'none'
  throw new OffstageError(
    'model-not-found',
    `wllama() knows no model '${model}' (models: ${names}). Name one of them, or give the address of a .gguf file.`,
  )
}

/** Discards log messages: errors are thrown in any case, and other messages would only fill the page's console. */
const silent = {
  debug: () => undefined,
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** The import of `@wllama/wllama`. */
export interface WllamaModule {
  /** The engine's class. wllama has its type; `WllamaClass` declares the part that Offstage uses. */
  readonly Wllama: unknown
}

/** The part of wllama 3.8 that Offstage uses. */
type WllamaClass = new (
  paths: { readonly default: string },
  config: { readonly suppressNativeLog: boolean; readonly logger: WllamaLogger },
) => WllamaInstance

interface WllamaInstance {
  loadModel(blobs: Blob[], params: object): Promise<void>
  loadModelFromUrl(
    url: string,
    params: {
      readonly signal: AbortSignal
      readonly progressCallback: (progress: { loaded: number; total: number }) => void
    },
  ): Promise<void>
  /**
   * Passes Chat Completions chunks to `onData`, and resolves after the last. wllama's async iterator is avoided:
   * leaving it early causes an unhandled rejection.
   */
  createChatCompletion(options: {
    readonly stream: true
    readonly abortSignal: AbortSignal
    readonly onData: (chunk: unknown) => void
  }): Promise<unknown>
  exit(): Promise<void>
}

interface WllamaLogger {
  debug(...args: unknown[]): void
  log(...args: unknown[]): void
  warn(...args: unknown[]): void
  error(...args: unknown[]): void
}

/** Location of a GGUF model: an address (the first part's, if split), or its file or files. */
export type WllamaSource = string | Blob | readonly Blob[]

/** Options for the engine's worker: plain data with absolute addresses. */
export interface WllamaEngineOptions {
  readonly wasmUrl: string
  readonly models: { readonly [name: string]: WllamaSource }
  readonly load: JsonObject
}
