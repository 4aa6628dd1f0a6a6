import { OffstageError, toErrorData } from '../protocol/error.ts'
import { type ModelConfigData, modelName } from '../protocol/model.ts'
import { createHttpProvider } from './core/http-provider.ts'
import type {
  ChatId,
  EngineId,
  MessagesId,
  BatchProvider,
  HttpProviderDefinition,
  Provider,
  RequestConfig,
  StreamProviderDefinition,
  StreamOptions,
} from './provider.ts'
import type { StreamPart } from '../protocol/message.ts'
import { Redactor } from '../lib/redactor.ts'
import { collectSecrets } from './core/secrets.ts'

/** A provider definition with any type of state. */
export type ProviderDefinition = HttpProviderDefinition<unknown> | StreamProviderDefinition

/**
 * Checks and types a custom provider: an HTTP wire format, or any other stream. Pass the result to
 * `createProvider(config, { providers })` or `startWorker({ providers })`. Throws `invalid-config` if a part is
 * missing.
 */
export function defineProvider<State>(
  definition: HttpProviderDefinition<State> | StreamProviderDefinition,
): HttpProviderDefinition<State> | StreamProviderDefinition {
  if (typeof definition.id !== 'string' || definition.id === '') {
    throw new OffstageError('invalid-config', 'A provider needs an id.')
  }
  const isHttp = 'toRequest' in definition
  const isComplete = isHttp
    ? isFunction(definition.start) && isFunction(definition.mapChunk)
    : isFunction(definition.stream)
  if (!isComplete) {
    throw new OffstageError(
      'invalid-config',
      `The provider '${definition.id}' must have toRequest, start and mapChunk, or stream.`,
    )
  }
  return definition
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

/** Creates providers by id, built-in and custom ones alike. */
export interface ProviderRegistry {
  /**
   * Creates a provider. A key in `config` is used unchanged. Throws `unknown-provider` with a list of the known ids.
   */
  create(config: RequestConfig): Provider
}

type Load = () => Promise<HttpProviderDefinition<unknown>>

const chat = (id: ChatId) => async () => (await import('./openai/define-chat.ts')).chatProvider(id)

const messages = (id: MessagesId) => async () =>
  (await import('./anthropic/define-messages.ts')).messagesProvider(id)

/** Built-in wire formats. Each is loaded when the first provider with this format is created. */
const formats: { readonly [Id in ChatId | MessagesId]: Load } = {
  openai: chat('openai'),
  gemini: chat('gemini'),
  ollama: chat('ollama'),
  lmstudio: chat('lmstudio'),
  llamacpp: chat('llamacpp'),
  vllm: chat('vllm'),
  localai: chat('localai'),
  'openai-compatible': chat('openai-compatible'),
  anthropic: messages('anthropic'),
  minimax: messages('minimax'),
}

/** Plays scripts. Loaded on use, because apps don't play scripts for their users. */
const scripted: StreamProviderDefinition = {
  id: 'scripted',
  async *stream(...args) {
    const { scriptedProvider } = await import('./scripted.ts')
    yield* scriptedProvider.stream(...args)
  },
}

const registered: ProviderDefinition[] = []

/**
 * Registers a provider for `createProvider` and for all registries created later in this realm. In your own worker
 * file, `startWorker({ providers })` does the same for one worker. Returns a function that unregisters the provider.
 */
export function registerProvider(definition: ProviderDefinition): () => void {
  registered.push(definition)
  return () => {
    const at = registered.indexOf(definition)
    if (at !== -1) registered.splice(at, 1)
  }
}

/**
 * Creates a registry of built-in and custom providers. A custom provider replaces a built-in one with the same id. If
 * two custom providers share an id, the last wins.
 */
export function createProviderRegistry(
  custom: readonly ProviderDefinition[] = [],
): ProviderRegistry {
  const definitions = new Map(
    [scripted, ...registered, ...custom].map((definition) => [definition.id, definition] as const),
  )
  return {
    create(requestConfig) {
      const config = withoutTrailingSlash(requestConfig)
      const { provider: id } = config
      const definition = definitions.get(id)
      const provider =
        definition === undefined
          ? createHttpProvider(builtIn(config, definitions.keys()), config)
          : 'toRequest' in definition
            ? createHttpProvider(() => Promise.resolve(definition), config)
            : createStreamProvider(definition, config)
      return withKeyRedaction(provider, config)
    },
  }
}

function builtIn(config: ModelConfigData, customIds: Iterable<string>): Load {
  const { provider: id } = config
  if (!Object.hasOwn(formats, id))
    throw unknownProvider(id, [...Object.keys(formats), ...customIds])
  if (!modelName(config))
    throw new OffstageError('invalid-config', `The provider '${id}' needs a model.`)
  return formats[id as keyof typeof formats]
}

/** Removes the trailing slash, since definitions append their paths. An absolute URL without a path ends in a slash. */
function withoutTrailingSlash(config: RequestConfig): RequestConfig {
  const { baseURL } = config
  return baseURL === undefined ? config : { ...config, baseURL: baseURL.replace(/\/+$/, '') }
}

function createStreamProvider(
  definition: StreamProviderDefinition,
  config: ModelConfigData,
): BatchProvider {
  const batches: Provider['batches'] = async function* (request, options = {}) {
    try {
      let isOver = false
      for await (const item of definition.stream(request, config, options)) {
        // Ignores everything after the end.
        if (isOver) continue
        const batch = [item].flat()
        const end = batch.findIndex(({ type }) => type === 'finish' || type === 'error')
        isOver = end >= 0
        yield isOver ? batch.slice(0, end + 1) : batch
      }
    } catch (error) {
      yield [{ type: 'error', error: toErrorData(error) }]
    }
  }
  return { id: definition.id, batches }
}

/** Functions that create engines, with their package entries. */
const engineEntries: { readonly [Id in EngineId]: string } = {
  webllm: 'webllm() from offstage/webllm',
  wllama: 'wllama() from offstage/wllama',
  'prompt-api': 'promptApi() from offstage/prompt-api',
}

function unknownProvider(id: string, knownIds: readonly string[]): OffstageError {
  const entry = Object.hasOwn(engineEntries, id) ? engineEntries[id as EngineId] : undefined
  if (entry) {
    return new OffstageError(
      'unknown-provider',
      `The engine '${id}' is provided by the page: pass ${entry} in createAgent({ engines: [ … ] }).`,
    )
  }
  return new OffstageError(
    'unknown-provider',
    `There is no provider '${id}'. Known here: ${knownIds.join(', ')}. Providers of your own are registered in a custom worker.`,
  )
}

/**
 * Removes the provider's keys and header values from each part that it emits, in case a server echoes them. A key
 * spread over several parts isn't found. The server that echoes it already has the key.
 */
export function withKeyRedaction(
  provider: BatchProvider | Provider,
  config: RequestConfig,
): Provider {
  // Shared by all attempts, because a key that was replaced after a 401 is still secret.
  const redactor = new Redactor(collectSecrets(config))
  const batches: Provider['batches'] = (request, options = {}) =>
    redactBatches(provider.batches(request, learningKeys(options, redactor, config)), redactor)
  return {
    id: provider.id,
    batches,
    stream: (request, options) => flatten(batches(request, options)),
  }
}

function learningKeys(
  options: StreamOptions,
  redactor: Redactor,
  config: RequestConfig,
): StreamOptions {
  const { credentials } = options
  if (!credentials) return options
  return {
    ...options,
    async credentials(previousRejected, endpoint) {
      const received = await credentials(previousRejected, endpoint)
      redactor.add(collectSecrets({ ...config, ...received }))
      return received
    },
  }
}

async function* redactBatches(
  batches: AsyncIterable<readonly StreamPart[]>,
  redactor: Redactor,
): AsyncGenerator<readonly StreamPart[]> {
  for await (const batch of batches)
    yield redactor.isIdle ? batch : batch.map((part) => redactor.redactAll(part))
}

/** The parts of all batches, one by one. */
async function* flatten(batches: AsyncIterable<readonly StreamPart[]>): AsyncGenerator<StreamPart> {
  for await (const batch of batches) {
    // Avoids `yield*`, which wraps each array in an iterator of promises.
    for (const part of batch) yield part
  }
}
