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
  const given = config.baseURL ?? rules.baseURL
  if (given === null) {
    throw new OffstageError('invalid-config', `The provider '${providerId}' needs a baseURL.`)
  }
  const url = parse(given)
  url.pathname = url.pathname.replace(/\/+$/, '') || rules.defaultPath
  return url
}

/** Appends the path to the base URL, unless the base URL ends with it already. */
export function endpointURL(base: URL, path: string): string {
  const url = new URL(base)
  const given = url.pathname.replace(/\/$/, '')
  url.pathname = given.endsWith(path) ? given : given + path
  return url.href
}

function parse(text: string): URL {
  // Without `http://`, the host of `localhost:1234` reads as a protocol.
  if (/^https?:/.test(text) && URL.canParse(text)) return new URL(text)
  throw new OffstageError(
    'invalid-config',
    `The baseURL '${withoutSecrets(text)}' lacks http:// or https://.`,
  )
}
