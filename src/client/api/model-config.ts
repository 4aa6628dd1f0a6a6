import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { Credentials, ModelConfigData } from '../../protocol/model.ts'
import { modelName, PROVIDER_IDS } from '../../protocol/model.ts'
import { cleanName } from '../tools/clean-name.ts'
import { badConfig } from './failures.ts'
import type { CredentialRequest, ModelConfig } from './options.ts'

/** The model's configuration for the worker: plain data with an absolute URL, without key and headers. */
export function toModelData(config: ModelConfig): ModelConfigData {
  const { apiKey: _key, headers: _headers, ...data } = config
  const { toolChoice } = data
  const plain: ModelConfigData = JSON.parse(
    JSON.stringify({
      ...data,
      model: modelName(config),
      ...(typeof toolChoice === 'object' && {
        toolChoice: { toolName: cleanName(toolChoice.toolName) },
      }),
    }),
  )
  return plain.baseURL
    ? { ...plain, baseURL: resolveUrl(String(plain.baseURL), plain.provider) }
    : plain
}

/** Makes the URL absolute. Custom providers may use protocols other than HTTP. */
function resolveUrl(url: string, provider: string): string {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href
  const isCustom = !(PROVIDER_IDS as readonly string[]).includes(provider)
  try {
    const { href } = new URL(url, base)
    // Without `https://`, an address reads as a path, or its host as a protocol (`localhost:1234`).
    if (isCustom || (/^https?:/.test(href) && !/^[\w.-]+:\d/.test(url))) return href
  } catch {
    // Invalid URLs get the same error as addresses without a protocol.
  }
  throw badConfig(
    `The model's baseURL ${url.replace(/\/\/.*@|[?#].*/gs, '')} is no URL. Begin it with http:// or https://.`,
  )
}

/** Number of replaced configurations to keep, with their keys, for steps that began before the replacement. */
const KEPT_CONFIGS = 20

export interface ConfigBook {
  idOf(config: ModelConfig): number
  /** Throws if the configuration was replaced too long ago: the key of another configuration must not be sent. */
  find(id: number): ModelConfig
}

/** Numbers configurations, so that a retried step uses the key of the configuration it began with. */
export function createConfigBook(): ConfigBook {
  const configs = new Map<number, ModelConfig>()
  let newest = 0
  return {
    idOf(config) {
      if (configs.get(newest) !== config) configs.set(++newest, config)
      configs.delete(newest - KEPT_CONFIGS)
      return newest
    },
    find(id) {
      const config = configs.get(id)
      if (config) return config
      throw new OffstageError(
        'authentication',
        "configure() was called too often during one step, so the step's key was dropped.",
      )
    },
  }
}

/** Whether requests need neither a key nor headers from the page. */
export function isKeyless({ apiKey, headers }: ModelConfig): boolean {
  return !apiKey && !headers
}

/** Calls the key and header functions. The thrown error doesn't repeat their messages, which might contain the key. */
export async function readCredentials(
  { apiKey, headers }: ModelConfig,
  request: CredentialRequest,
): Promise<Credentials> {
  try {
    const [key, extra] = await Promise.all([
      typeof apiKey === 'function' ? apiKey(request) : apiKey,
      typeof headers === 'function' ? headers(request) : headers,
    ])
    return { ...(key && { apiKey: key }), ...(extra && { headers: { ...extra } }) }
  } catch (cause) {
    throw new OffstageError(
      'authentication',
      'The apiKey or headers function of the page failed.',
      {
        cause,
      },
    )
  }
}

/** The page's live context as text. Undefined if no part returns a value. */
export async function readContext(
  parts: readonly (() => unknown)[],
  format: (value: unknown) => string,
): Promise<string | undefined> {
  try {
    const values = await Promise.all(parts.map(async (read) => read()))
    const texts = values
      .filter((value) => value !== undefined && value !== null)
      .map((value) => (typeof value === 'string' ? value : format(value)))
    return texts.length > 0 ? texts.join('\n\n') : undefined
  } catch (cause) {
    throw new OffstageError('invalid-config', `context() failed: ${describeThrown(cause)}`, {
      cause,
    })
  }
}
