import type { EngineContext, EngineDefinition } from '../engine-definition.ts'
import { ModelSlot, throttleProgress } from '../model-slot.ts'
import { withSingleSystemMessage } from '../single-system-message.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/message.ts'
import { withRaw } from '../../providers/core/raw-parts.ts'
import { asList, asRecord, asText } from '../../providers/core/read-json.ts'
import { endChat, mapChatChunk, startChat } from '../../providers/openai/map-chunk.ts'
import { type ChatRules, compatible } from '../../providers/openai/presets.ts'
import { chatBody } from '../../providers/openai/to-request.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'

const ID = 'webllm'

const rules: ChatRules = { ...compatible, requestsUsage: true }

/** WebLLM as an engine. The module is imported when the first model is loaded. */
export function webllmDefinition(
  options: WebLLMEngineOptions,
  importModule: () => Promise<WebLLMModule>,
): EngineDefinition {
  const slot = new ModelSlot<MLCEngineInstance>({
    keyOf: (config) => JSON.stringify([config.model, chatOptions(config, options)]),
    load: (config, context) => load({ options, importModule, config, context }),
    unload: (engine) => engine.unload(),
    // WebLLM unloads the model after it has lost the GPU device.
    isFatal: (thrown) => /^(DeviceLost|ModelNotLoaded)Error$/.test(nameOf(thrown) ?? ''),
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

/** Joins text parts, because WebLLM refuses a second text part in a message with an image. */
function withOneText(message: unknown): unknown {
  const content = asRecord(message)?.['content']
  if (!Array.isArray(content)) return message
  const texts = content.flatMap((part) => asText(asRecord(part)?.['text']) ?? [])
  const otherParts = content.filter((part) => asRecord(part)?.['type'] !== 'text')
  return {
    ...asRecord(message),
    content: [{ type: 'text', text: texts.join('\n\n') }, ...otherParts],
  }
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
  const onAbort = (): void => void engine.unload().catch(() => undefined)
  signal.addEventListener('abort', onAbort)
  try {
    signal.throwIfAborted()
    await engine.reload(config.model, chatOptions(config, options))
    signal.throwIfAborted()
    return engine
  } catch (thrown) {
    if (signal.aborted) throw new OffstageError('aborted', 'Loading the model was aborted.')
    throw loadError(thrown)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function chatOptions(
  { contextWindow }: ModelConfigData,
  options: WebLLMEngineOptions,
): JsonObject | undefined {
  if (contextWindow === undefined) return options.chatOptions
  return { ...options.chatOptions, context_window_size: contextWindow }
}

/** Converts WebLLM's error for an unknown model. WebLLM's message already says how to fix the problem. */
function loadError(thrown: unknown): unknown {
  if (nameOf(thrown) !== 'ModelNotFoundError') return thrown
  return new OffstageError('model-not-found', describeThrown(thrown), { cause: thrown })
}

function nameOf(thrown: unknown): string | undefined {
  return asText(asRecord(thrown)?.['name'])
}

// Beginning of a block, as `formatAction` and the instructions write it: the opener on a separate line.
const opener = '<ACTION>\n'

/** Tool names that a block can use as tags. Other names appear under an alias. */
const legalName = /^(?!action$)[\p{L}_][\p{L}\p{N}_.-]*$/iu

/**
 * WebLLM's `response_format` for ACTION blocks. Text outside a block is free. Inside, only closed calls of these tools
 * and the block's closing tag are allowed; a call's content is free. Undefined if a tool's name isn't a valid XML name.
 * Also undefined if a call may contain an element with the tool's name, because its closing tag would end the call
 * early. Format: XGrammar's structural tags (https://xgrammar.mlc.ai/docs/).
 */
function constrainAction(tools: readonly ToolDefinition[]): JsonObject | undefined {
  if (tools.length === 0 || !tools.every(isPlain)) return undefined
  const calls = {
    type: 'tags_with_separator',
    separator: '\n',
    at_least_one: true,
    tags: tools.flatMap(({ name }) => [
      tag(`<${name}>`, { type: 'any_text' }, `</${name}>`),
      tag(`<${name}`, { type: 'const_string', value: '/' }, '>'),
    ]),
  }
  const format = {
    type: 'triggered_tags',
    triggers: [opener],
    tags: [tag(opener, calls, '\n</ACTION>')],
  }
  return { type: 'structural_tag', structural_tag: { type: 'structural_tag', format } }
}

function tag(begin: string, content: JsonObject, end: string): JsonObject {
  return { type: 'tag', begin, content, end }
}

function isPlain({ name, inputSchema }: ToolDefinition): boolean {
  const isOwnElement = name === 'item' || JSON.stringify(inputSchema).includes(`"${name}":`)
  return legalName.test(name) && !isOwnElement
}

/** Requests constrained output from each engine until that engine refuses the constraint. */
class ConstrainedChat {
  readonly #unconstrained = new WeakSet<MLCEngineInstance>()

  /**
   * Streams the chunks of one answer. If an engine refuses the constraint before its first chunk, repeats the request
   * without the constraint. Later requests to that engine have no constraint. Other errors are rethrown.
   */
  async *chunks(
    engine: MLCEngineInstance,
    request: WebLLMRequest,
    constraint: JsonObject | undefined,
  ): AsyncGenerator<unknown> {
    if (constraint && !this.#unconstrained.has(engine)) {
      let hasStarted = false
      try {
        const constrained = { ...request, response_format: constraint }
        for await (const chunk of await engine.chat.completions.create(constrained)) {
          hasStarted = true
          yield chunk
        }
        return
      } catch (thrown) {
        if (hasStarted || !isRefusal(thrown)) throw thrown
        this.#unconstrained.add(engine)
      }
    }
    yield* await engine.chat.completions.create(request)
  }
}

/** Recognizes a refusal by `response_format` in WebLLM's error name or message. XGrammar's errors are wrapped. */
function isRefusal(thrown: unknown): boolean {
  const { name, message } = asRecord(thrown) ?? {}
  return /response.?format|structural.?tag|grammar/i.test(
    `${asText(name) ?? ''} ${asText(message) ?? ''}`,
  )
}

/** The import of `@mlc-ai/web-llm`. */
export interface WebLLMModule {
  /** The engine's class. WebLLM has its type; `MLCEngineClass` declares the part that Offstage uses. */
  readonly MLCEngine: unknown
}

/** The part of WebLLM 0.2 that Offstage uses (https://webllm.mlc.ai/docs/user/api_reference.html). */
type MLCEngineClass = new (config: {
  readonly appConfig?: object
  readonly initProgressCallback: (report: { progress: number; text: string }) => void
  readonly logLevel: 'WARN'
}) => MLCEngineInstance

interface WebLLMRequest {
  readonly stream: true
  readonly messages: readonly unknown[]
  /** WebLLM's `ResponseFormat`. */
  readonly response_format?: object
}

interface MLCEngineInstance {
  readonly chat: {
    readonly completions: {
      /** Streams Chat Completions chunks. */
      create(request: WebLLMRequest): Promise<AsyncIterable<unknown>>
    }
  }
  reload(modelId: string, chatOptions?: object): Promise<void>
  /** Also aborts a `reload` in progress. */
  unload(): Promise<void>
  /** Ends the current answer with the finish reason `abort`. */
  interruptGenerate(): Promise<void> | void
}

/** Options for the engine's worker, as plain data. */
export interface WebLLMEngineOptions {
  readonly appConfig?: JsonObject
  readonly chatOptions?: JsonObject
}
