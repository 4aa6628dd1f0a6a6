import { asRecord, asText } from '../core/read-json.ts'
import { addressSpaceOf } from './address.ts'

/** The page that requests come from. */
export interface Page {
  /** Value of the `Origin` header: `null` for sandboxed and `file:` pages. */
  readonly origin: string
  readonly url: URL
}

/**
 * Returns the page that requests come from: the given address, else the global scope's own. A worker has its page's
 * origin, even from a `blob:` URL. Undefined outside browsers, which alone restrict requests.
 */
export function pageOf(given: string | undefined): Page | undefined {
  const own = asText(globalOf('origin'))
  const origin = given ?? own
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
 * The state of the permission to reach this address; undefined where browsers have none. Chromium
 * knows `local-network-access` since version 142, and the two others since 145.
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
      // This browser doesn't know the name.
    }
  }
  return undefined
}

/** False only where the browser reports that it is offline. */
export function isOnline(): boolean {
  return asRecord(globalOf('navigator'))?.['onLine'] !== false
}

/** A global that may be absent. */
export function globalOf(name: string): unknown {
  return Reflect.get(globalThis, name)
}
