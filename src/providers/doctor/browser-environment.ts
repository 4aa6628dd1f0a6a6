import { asRecord, asText } from '../core/read-json.ts'

/** Kind of network that an address belongs to, judged by its host name. */
type AddressSpace = 'loopback' | 'local' | 'public'

/**
 * The address space of a URL's host name, according to the Local Network Access draft
 * (https://wicg.github.io/local-network-access/). A name that resolves to a local address counts as public, because
 * scripts can't resolve names.
 */
export function addressSpaceOf(hostname: string): AddressSpace {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return 'loopback'
  if (name.endsWith('.local') || /^(f[cd]|fe[89ab])[0-9a-f]{0,2}:/.test(name)) return 'local'
  const match = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(name)
  if (!match) return 'public'
  const [first, second] = [Number(match[1]), Number(match[2])]
  if (first === 127 || first === 0) return 'loopback'
  const isPrivate =
    first === 10 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second < 128)
  return isPrivate ? 'local' : 'public'
}

/** Whether browsers treat the request as mixed content: https page, http endpoint, not loopback. */
export function isMixedContent(page: URL, endpoint: URL): boolean {
  return (
    page.protocol === 'https:' &&
    endpoint.protocol === 'http:' &&
    addressSpaceOf(endpoint.hostname) !== 'loopback'
  )
}

/** Whether the request goes from a more public to a more private address. */
export function entersLocalNetwork(page: URL, endpoint: URL): boolean {
  const target = addressSpaceOf(endpoint.hostname)
  const source = addressSpaceOf(page.hostname)
  if (page.protocol === 'file:' || source === 'loopback') return false
  return target === 'loopback' || (target === 'local' && source === 'public')
}

/** The result of `LanguageModel.availability()` (https://webmachinelearning.github.io/prompt-api/). */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

const AVAILABILITIES: readonly unknown[] = ['downloadable', 'downloading', 'available']

/** Returns the availability of the browser's own model. `'unavailable'` also if the API is missing, as in workers. */
export async function browserModel(): Promise<Availability> {
  const api = globalOf('LanguageModel')
  if (typeof api !== 'function') return 'unavailable'
  const availability: unknown = Reflect.get(api, 'availability')
  if (typeof availability !== 'function') return 'unavailable'
  try {
    // Chromium logs a warning if no language is given.
    const expectedOutputs = [{ type: 'text', languages: ['en'] }]
    const answer: unknown = await Reflect.apply(availability, api, [{ expectedOutputs }])
    return AVAILABILITIES.includes(answer) ? (answer as Availability) : 'unavailable'
  } catch {
    return 'unavailable'
  }
}

interface WebGpu {
  /** Half-precision floats are supported. Models built for them take less GPU memory. */
  readonly shaderF16: boolean
}

/** Returns the WebGPU adapter's features; undefined without an adapter. */
export async function findWebGpu(): Promise<WebGpu | undefined> {
  const gpu = asRecord(asRecord(globalOf('navigator'))?.['gpu'])
  const requestAdapter = gpu?.['requestAdapter']
  if (typeof requestAdapter !== 'function') return undefined
  try {
    const adapter: unknown = await Reflect.apply(requestAdapter, gpu, [])
    const features = asRecord(adapter)?.['features'] as ReadonlySet<string> | undefined
    return features && { shaderF16: features.has('shader-f16') }
  } catch {
    return undefined
  }
}

/** The page that requests come from. */
export interface Page {
  /** Value of the `Origin` header: `null` for sandboxed and `file:` pages. */
  readonly origin: string
  readonly url: URL
}

/**
 * Returns the page that requests come from: the given address, else the global scope's own. A worker has its page's
 * origin, even from a `blob:` URL. Undefined outside browsers, since only browsers restrict requests.
 */
export function pageOf(pageOrigin: string | undefined): Page | undefined {
  const scopeOrigin = asText(globalOf('origin'))
  const origin = pageOrigin ?? scopeOrigin
  if (origin === undefined) return undefined
  const address = origin === 'null' ? asText(asRecord(globalOf('location'))?.['href']) : origin
  try {
    const url = new URL(address ?? 'about:blank')
    return { origin: url.origin, url }
  } catch {
    return undefined
  }
}

/**
 * The state of the permission to reach this address; undefined if the browser has no such permission. Chromium supports
 * `local-network-access` since version 142, and the two other names since 145.
 */
export async function localNetworkPermission(
  hostname: string,
): Promise<PermissionState | undefined> {
  const permissions = asRecord(globalOf('navigator'))?.['permissions']
  const query = Reflect.get(Object(permissions), 'query') as Permissions['query'] | undefined
  const precise = addressSpaceOf(hostname) === 'loopback' ? 'loopback-network' : 'local-network'
  for (const name of [precise, 'local-network-access']) {
    try {
      const status = await query?.call(permissions, { name: name as PermissionName })
      if (status) return status.state
    } catch {
      // The browser doesn't know this permission.
    }
  }
  return undefined
}

/** False only if the browser reports that it is offline. */
export function isOnline(): boolean {
  return asRecord(globalOf('navigator'))?.['onLine'] !== false
}

/** A global that may be absent. */
function globalOf(name: string): unknown {
  return Reflect.get(globalThis, name)
}
