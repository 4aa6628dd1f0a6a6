import { OffstageError } from '../../protocol/error.ts'
import type { RequestConfig } from '../provider.ts'
import { withoutSecrets } from './secrets.ts'

export interface BaseURLRules {
  readonly baseURL: string | null
  readonly defaultPath: string
}

/**
 * The configured base URL or the provider's own, without a trailing slash in its path.
 */
export function resolveBaseURL(
  config: RequestConfig,
  rules: BaseURLRules,
  providerId: string,
): URL {
  const baseURL = config.baseURL ?? rules.baseURL
  if (baseURL === null) {
    throw new OffstageError('invalid-config', `The provider '${providerId}' needs a baseURL.`)
  }
  const url = parseBaseURL(baseURL)
  url.pathname = url.pathname.replace(/\/+$/, '') || rules.defaultPath
  return url
}

/** Appends the path to the base URL, unless the base URL ends with it already. */
export function endpointURL(base: URL, path: string): string {
  const url = new URL(base)
  const basePath = url.pathname.replace(/\/$/, '')
  url.pathname = basePath.endsWith(path) ? basePath : basePath + path
  return url.href
}

function parseBaseURL(text: string): URL {
  // `localhost:1234` would parse as a URL with the protocol `localhost:`.
  if (/^https?:/.test(text) && URL.canParse(text)) return new URL(text)
  throw new OffstageError(
    'invalid-config',
    `The baseURL '${withoutSecrets(text)}' lacks http:// or https://.`,
  )
}
