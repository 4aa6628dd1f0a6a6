import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { Credentials, ModelConfigData } from '../protocol/model.ts'
import type { CredentialRequest, ModelConfig, PromptValues } from './options.ts'

/** The part of a model's configuration that crosses: plain data, no key, no headers, absolute URL. */
export function toModelData(config: ModelConfig): ModelConfigData {
  const { apiKey: _key, headers: _headers, ...data } = config
  const plain = JSON.parse(JSON.stringify(data)) as ModelConfigData
  return plain.baseURL ? { ...plain, baseURL: resolveUrl(plain.baseURL) } : plain
}

function resolveUrl(url: string): string {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href
  try {
    return new URL(url, base).href
  } catch {
    throw new OffstageError('invalid-config', `The model's baseURL ${url} is no URL.`)
  }
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

/** Replaces `{{name}}` by its value; a name without one stays as it is. */
export function fillValues(text: string, values: PromptValues): string {
  return text.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}

/** The page's `context()` as text, or undefined when it has nothing to say. */
export async function readContext(
  context: (() => unknown) | undefined,
  format: (value: unknown) => string,
): Promise<string | undefined> {
  try {
    const value = await context?.()
    if (value === undefined || value === null) return undefined
    return typeof value === 'string' ? value : format(value)
  } catch (cause) {
    throw new OffstageError('invalid-config', `context() failed: ${describeThrown(cause)}`, {
      cause,
    })
  }
}
