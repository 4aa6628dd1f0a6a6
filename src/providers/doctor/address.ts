/** The kind of network of an address, judged by its host name. */
export type AddressSpace = 'loopback' | 'local' | 'public'

/**
 * The address space of a URL's host name, after the Local Network Access draft
 * (https://wicg.github.io/local-network-access/). A name that resolves to a local address counts as
 * public: scripts can't resolve names.
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
