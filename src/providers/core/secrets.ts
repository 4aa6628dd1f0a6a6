import type { RequestConfig, StreamOptions } from '../provider.ts'
import type { Credentials } from '../../protocol/model.ts'

interface Address {
  readonly provider: string
  readonly baseURL?: string | undefined
}

/** Asks the page for an endpoint's credentials. `rejected`: the endpoint refused the previous ones. */
export async function requestCredentials(
  { credentials }: StreamOptions,
  rejected: boolean,
  { provider, baseURL }: Address,
): Promise<Credentials> {
  const url = parseURL(baseURL ?? '')
  const endpoint = {
    provider,
    ...(baseURL !== undefined && { baseURL }),
    ...(url && { origin: url.origin }),
  }
  return (await credentials?.(rejected, endpoint)) ?? {}
}

/** Shorter values are no secrets, and replacing them would mangle the text. */
const MIN_LENGTH = 8

/** Placeholders that people use where a local server demands some key. */
const DUMMY =
  /^(sk-)?(no-?key(-required)?|not-?(needed|required|used)|lm-?studio|placeholder|anything|undefined|api-?key|your-?api-?key)$/i

/** Headers and query parameters whose values are public, though they may be long. */
const PUBLIC =
  /^(accept|content-|user-agent|(http-)?referer|origin|x-title|(anthropic|openai|api)-(version|beta|dangerous)|version$|model$|deployment$)/i

/**
 * Returns values that must never appear in an event or error: the key, header values, and the base URL's query values,
 * user and password.
 */
export function collectSecrets({ apiKey = '', headers = {}, baseURL }: RequestConfig): string[] {
  const entries = [...Object.entries(headers), ...secretsOfURL(baseURL)]
  const values = [apiKey, ...entries.flatMap(([name, value]) => (PUBLIC.test(name) ? [] : [value]))]
  return (
    values
      // `Headers` also trims values.
      .map((value) => value.trim())
      .flatMap((value) => [value, ...innerSecrets(value)])
      .filter((value) => value.length >= MIN_LENGTH && !DUMMY.test(value))
  )
}

/** Returns the address without user, password and query, for messages about an unusable address. */
export function withoutSecrets(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, '//').replace(/[?#].*/s, '')
}

export function parseURL(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

function secretsOfURL(baseURL: string | undefined): (readonly [name: string, value: string])[] {
  const url = parseURL(baseURL ?? '')
  if (!url) return []
  return [['', decodeUri(url.username)], ['', decodeUri(url.password)], ...url.searchParams]
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns a header's value without its scheme, and the user and password of `Basic`. */
function innerSecrets(value: string): string[] {
  const [, scheme = '', bare = ''] = /^(bearer|basic|token)\s+(.*)$/is.exec(value) ?? []
  if (scheme.toLowerCase() !== 'basic') return [bare]
  try {
    const pair = atob(bare)
    return [bare, pair, pair.slice(pair.indexOf(':') + 1)]
  } catch {
    return [bare]
  }
}
