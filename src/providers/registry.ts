import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import { messagesProviders } from './anthropic/define-messages.ts'
import { flatten } from './core/flatten.ts'
import { createHttpProvider } from './core/http-provider.ts'
import { withoutKeys } from './core/redact-parts.ts'
import type { ProviderDefinition } from './define-provider.ts'
import { chatProviders } from './openai/define-chat.ts'
import type { EngineId } from './provider-ids.ts'
import type { Provider, RequestConfig, StreamProviderDefinition } from './provider.ts'
import { scriptedProvider } from './scripted.ts'

export interface ProviderRegistry {
  /** Throws `unknown-provider`, naming those that are known. A key in `config` is used as it is. */
  create(config: RequestConfig): Provider
}

let known: readonly ProviderDefinition[] | undefined

/**
 * Made once, since definitions remember what endpoints refused, and not on import: a bundler could not
 * leave them out where they aren't used.
 */
function builtIn(): readonly ProviderDefinition[] {
  return (known ??= [...chatProviders(), ...messagesProviders(), scriptedProvider])
}

const registered: ProviderDefinition[] = []

/**
 * Makes a provider known to every registry that is created in this realm from now on, and to
 * `createProvider`. In a worker file of your own, `startWorker({ providers })` does the same for one
 * worker. Returns its undo.
 */
export function registerProvider(definition: ProviderDefinition): () => void {
  registered.push(definition)
  return () => {
    const at = registered.indexOf(definition)
    if (at !== -1) registered.splice(at, 1)
  }
}

/** The built-in providers and, before them, one's own: of one id, the last one given counts. */
export function createProviderRegistry(
  custom: readonly ProviderDefinition[] = [],
): ProviderRegistry {
  const definitions = new Map(
    [...builtIn(), ...registered, ...custom].map(
      (definition) => [definition.id, definition] as const,
    ),
  )
  return {
    create(given) {
      const config = withoutTrailingSlash(given)
      const definition = definitions.get(config.provider)
      if (!definition) throw unknownProvider(config.provider, [...definitions.keys()])
      const provider =
        'toRequest' in definition
          ? createHttpProvider(definition, config)
          : createStreamProvider(definition, config)
      return withoutKeys(provider, config)
    },
  }
}

/** Definitions append their paths; a URL that was made absolute ends in a slash when it has no path. */
function withoutTrailingSlash(config: RequestConfig): RequestConfig {
  const { baseURL } = config
  return baseURL === undefined ? config : { ...config, baseURL: baseURL.replace(/\/+$/, '') }
}

function createStreamProvider(
  definition: StreamProviderDefinition,
  config: ModelConfigData,
): Provider {
  const batches: Provider['batches'] = async function* (request, options = {}) {
    try {
      let isOver = false
      for await (const batch of definition.stream(request, config, options)) {
        // Nothing that follows the end counts.
        if (isOver) continue
        const end = batch.findIndex(({ type }) => type === 'finish' || type === 'error')
        isOver = end >= 0
        yield isOver ? batch.slice(0, end + 1) : batch
      }
    } catch (error) {
      yield [{ type: 'error', error: toErrorData(error) }]
    }
  }
  return {
    id: definition.id,
    batches,
    stream: (request, options) => flatten(batches(request, options)),
  }
}

/** Entries of this package that provide the page's engines. */
const engineEntries: { readonly [Id in EngineId]: string } = {
  webllm: 'webllm() from offstage/webllm',
  wllama: 'wllama() from offstage/wllama',
  'prompt-api': 'promptApi() from offstage/prompt-api',
}

function unknownProvider(id: string, known: readonly string[]): OffstageError {
  const entry = Object.hasOwn(engineEntries, id) ? engineEntries[id as EngineId] : undefined
  if (entry) {
    return new OffstageError(
      'unknown-provider',
      `The engine '${id}' is provided by the page: pass ${entry} in createAgent({ engines: [ … ] }).`,
    )
  }
  return new OffstageError(
    'unknown-provider',
    `There is no provider '${id}'. Known here: ${known.join(', ')}. Providers of your own are registered in a custom worker.`,
  )
}
