import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { Credentials, ModelConfigData } from '../protocol/model.ts'
import { modelName, PROVIDER_IDS } from '../protocol/model.ts'
import { cleanName } from './clean-name.ts'
import { badConfig } from './failures.ts'
import type { CredentialRequest, ModelConfig } from './options.ts'

/** The part of a model's configuration that crosses: plain data, no key, no headers, absolute URL. */
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

/** A custom provider may speak another protocol. */
function resolveUrl(url: string, provider: string): string {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href
  const isOwn = !(PROVIDER_IDS as readonly string[]).includes(provider)
  try {
    const { href } = new URL(url, base)
    // An address without its scheme is a path, or has its host taken for one.
    if (isOwn || (/^https?:/.test(href) && !/^[\w.-]+:\d/.test(url))) return href
  } catch {
    // The same mistake.
  }
  throw badConfig(
    `The model's baseURL ${url.replace(/\/\/.*@|[?#].*/gs, '')} is no URL. Begin it with http:// or https://.`,
  )
}

/** Replaced configurations that are kept, keys included, for the steps that were begun with them. */
const KEPT_CONFIGS = 20

export interface ConfigBook {
  idOf(config: ModelConfig): number
  /** Throws for one that was replaced too long ago: no other's key may take its place. */
  find(id: number): ModelConfig
}

/** Names configurations, so that a step that retries gets the key of the address it was begun with. */
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
        'The model was configured anew many times during one step, whose key is forgotten.',
      )
    },
  }
}

/** Nothing has to be asked for when a model is. */
export function isKeyless({ apiKey, headers }: ModelConfig): boolean {
  return !apiKey && !headers
}

/** Asks the key and header functions. Their own words are not passed on: they might hold the key. */
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

/** The parts of the page's live context as text, or undefined when none has anything to say. */
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
