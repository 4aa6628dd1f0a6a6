import type { EngineContext, EngineDefinition } from '../engines/engine-definition.ts'
import { ModelSlot } from '../engines/model-slot.ts'
import { withSingleSystemMessage } from '../engines/single-system-message.ts'
import { throttleProgress } from '../engines/throttle-progress.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/stream-part.ts'
import { withRaw } from '../providers/core/raw-parts.ts'
import { asList, asRecord, asText } from '../providers/core/read-json.ts'
import { endChat, mapChatChunk, startChat } from '../providers/openai/map-chunk.ts'
import { compatible, type ChatRules } from '../providers/openai/presets.ts'
import { chatBody } from '../providers/openai/to-request.ts'
import type { ModelRequest } from '../providers/provider.ts'
import { constrainAction } from './constrain-action.ts'
import { ConstrainedChat } from './constrained-chat.ts'
import type { WebLLMEngineOptions } from './options.ts'
import type { MLCEngineClass, MLCEngineInstance, WebLLMModule } from './webllm-module.ts'

const ID = 'webllm'

const rules: ChatRules = { ...compatible, asksUsage: true }

/** WebLLM as an engine. The module is imported when the first model is loaded. */
export function webllmDefinition(
  options: WebLLMEngineOptions,
  importModule: () => Promise<WebLLMModule>,
): EngineDefinition {
  const slot = new ModelSlot<MLCEngineInstance>({
    keyOf: (config) => JSON.stringify([config.model, chatOptions(config, options)]),
    load: (config, context) => load({ options, importModule, config, context }),
    unload: (engine) => engine.unload(),
    isFatal: (thrown) => nameOf(thrown) === 'DeviceLostError',
  })
  const chat = new ConstrainedChat()
  return {
    id: ID,
    prepare: (config, context) => slot.prepare(config, context),
    stream: (request, config, context) =>
      slot.turn(config, context, (engine) => complete(engine, { request, config, context, chat })),
    dispose: () => slot.dispose(),
  }
}

async function* complete(
  engine: MLCEngineInstance,
  turn: {
    readonly request: ModelRequest
    readonly config: ModelConfigData
    readonly context: EngineContext
    readonly chat: ConstrainedChat
  },
): AsyncGenerator<readonly StreamPart[]> {
  const { signal } = turn.context
  // WebLLM's own `tools` support only two models and one prompt, so the instructions describe the tools instead.
  const request: ModelRequest = { ...withSingleSystemMessage(turn.request), toolMode: 'action' }
  const interrupt = (): void => void engine.interruptGenerate()
  signal.addEventListener('abort', interrupt)
  try {
    const body = chatBody(request, turn.config, { providerId: ID, rules })
    const chunks = turn.chat.chunks(
      engine,
      { ...body, messages: asList(body['messages']).map(withOneText), stream: true },
      'response_format' in body ? undefined : constrainAction(request.tools),
    )
    const state = startChat(ID, request)
    for await (const chunk of chunks) yield withRaw(request, chunk, mapChatChunk(state, chunk))
    yield endChat(state, { done: false })
  } finally {
    signal.removeEventListener('abort', interrupt)
  }
}

/** Joins text parts: WebLLM refuses a second one beside an image. */
function withOneText(message: unknown): unknown {
  const content = asRecord(message)?.['content']
  if (!Array.isArray(content)) return message
  const texts = content.flatMap((part) => asText(asRecord(part)?.['text']) ?? [])
  const others = content.filter((part) => asRecord(part)?.['type'] !== 'text')
  return { ...asRecord(message), content: [{ type: 'text', text: texts.join('\n\n') }, ...others] }
}

async function load({
  options,
  importModule,
  config,
  context,
}: {
  readonly options: WebLLMEngineOptions
  readonly importModule: () => Promise<WebLLMModule>
  readonly config: ModelConfigData
  readonly context: EngineContext
}): Promise<MLCEngineInstance> {
  const { signal } = context
  const { MLCEngine } = await importModule()
  const report = throttleProgress(context.progress)
  const engine = new (MLCEngine as MLCEngineClass)({
    ...(options.appConfig && { appConfig: options.appConfig }),
    initProgressCallback: ({ progress, text }) => report({ loaded: progress, total: 1, text }),
    logLevel: 'WARN',
  })
  const stop = (): void => void engine.unload().catch(() => undefined)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    await engine.reload(config.model, chatOptions(config, options))
    signal.throwIfAborted()
    return engine
  } catch (thrown) {
    if (signal.aborted) throw new OffstageError('aborted', 'Loading the model was aborted.')
    throw loadError(thrown)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function chatOptions(
  { contextWindow }: ModelConfigData,
  options: WebLLMEngineOptions,
): JsonObject | undefined {
  if (contextWindow === undefined) return options.chatOptions
  return { ...options.chatOptions, context_window_size: contextWindow }
}

/** Converts WebLLM's error for an unknown model. Its message already says what to do. */
function loadError(thrown: unknown): unknown {
  if (nameOf(thrown) !== 'ModelNotFoundError') return thrown
  return new OffstageError('model-not-found', describeThrown(thrown), { cause: thrown })
}

function nameOf(thrown: unknown): string | undefined {
  return asText(asRecord(thrown)?.['name'])
}
