const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

/** Parses an absolute http, https or mailto address. Null for any other text, which must not become a link. */
export function safeAddress(text: string): URL | null {
  if (!URL.canParse(text.trim())) return null
  const url = new URL(text.trim())
  return SCHEMES.has(url.protocol) ? url : null
}

/** Returns a short name for the owner of an address: the host, or the mailbox. */
export function hostOf(url: URL): string {
  return url.protocol === 'mailto:' ? url.pathname : url.host
}

/**
 * Whether a text is the address's host, or an address at that host. Compares exactly, because a lookalike may lead
 * elsewhere.
 */
export function namesHost(text: string, url: URL): boolean {
  if (text.trim() === hostOf(url)) return true
  const address = safeAddress(text)
  return (
    address !== null &&
    address.origin === url.origin &&
    hostOf(address) === hostOf(url) &&
    text.toLowerCase().includes(hostOf(url)) &&
    address.username === '' &&
    url.username === ''
  )
}
