import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { Credentials, Endpoint, ModelConfigData } from '../protocol/model.ts'
import { modelName } from '../protocol/model.ts'
import { parseURL, withoutSecrets } from './core/secrets.ts'
import { createProviderRegistry, type ProviderDefinition } from './registry.ts'
import type { Provider, StreamOptions } from './provider.ts'

/** Argument of the `apiKey` and `headers` functions: the endpoint, and the state of the request. */
export interface CredentialContext extends Endpoint {
  /** Aborted with the request. */
  readonly signal: AbortSignal
  /** The last answer was a 401, so a cached key is no longer valid. */
  readonly previousRejected: boolean
}

type Headers = { readonly [name: string]: string }

/** A model and its endpoint, with the key or a function that returns the key. */
export interface ProviderConfig extends Omit<ModelConfigData, 'model' | 'headers'> {
  /** Optional if the provider has a default model. */
  readonly model?: string
  readonly apiKey?: string | ((context: CredentialContext) => string | Promise<string>)
  readonly headers?: Headers | ((context: CredentialContext) => Headers | Promise<Headers>)
}

/** Options of `createProvider`: providers beyond the built-in ones. */
export interface CreateProviderOptions {
  /**
   * Your own model providers, made with `defineProvider`. A provider with the id of a built-in one replaces it.
   * Default: only the built-in providers.
   */
  readonly providers?: readonly ProviderDefinition[]
}

/**
 * Creates a provider for one model. Throws `invalid-config` or `unknown-provider`; later failures are parts of the
 * stream. Relative base URLs are resolved against the page.
 */
export function createProvider(
  config: ProviderConfig,
  options: CreateProviderOptions = {},
): Provider {
  const { apiKey, headers, ...rest } = config
  const provider = createProviderRegistry(options.providers).create({
    ...rest,
    model: modelName(config),
    ...(config.baseURL !== undefined && { baseURL: absoluteURL(config.baseURL) }),
    ...(typeof apiKey === 'string' && { apiKey }),
    ...(typeof headers === 'object' && { headers }),
  })
  if (typeof apiKey !== 'function' && typeof headers !== 'function') return provider
  const withCredentials = (streamOptions: StreamOptions = {}): StreamOptions => {
    const signal = streamOptions.signal ?? new AbortController().signal
    return {
      credentials: (previousRejected, endpoint) =>
        resolveCredentials(config, { ...endpoint, signal, previousRejected }),
      ...streamOptions,
    }
  }
  return {
    id: provider.id,
    batches: (request, streamOptions) => provider.batches(request, withCredentials(streamOptions)),
    stream: (request, streamOptions) => provider.stream(request, withCredentials(streamOptions)),
  }
}

async function resolveCredentials(
  { apiKey, headers }: ProviderConfig,
  context: CredentialContext,
): Promise<Credentials> {
  try {
    const key = typeof apiKey === 'function' ? await apiKey(context) : undefined
    const signed = typeof headers === 'function' ? await headers(context) : undefined
    return { ...(key && { apiKey: key }), ...(signed && { headers: signed }) }
  } catch (cause) {
    const message = `The function that gives the key or headers failed: ${describeThrown(cause)}`
    throw new OffstageError('authentication', message, { cause })
  }
}

function absoluteURL(baseURL: string): string {
  const page: unknown = Reflect.get(globalThis, 'location')
  const base = typeof page === 'object' && page !== null ? String(page) : undefined
  const url = parseURL(baseURL, base)
  if (url) return url.href
  throw new OffstageError(
    'invalid-config',
    `The baseURL '${withoutSecrets(baseURL)}' is not a URL.`,
  )
}
