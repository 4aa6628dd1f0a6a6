const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

/** An address that may be a link: http, https or mailto, and absolute. Else null. */
export function safeAddress(text: string): URL | null {
  if (!URL.canParse(text.trim())) return null
  const url = new URL(text.trim())
  return SCHEMES.has(url.protocol) ? url : null
}

/** Owner of a picture or page, for people: the host, or the mailbox. */
export function hostOf(url: URL): string {
  return url.protocol === 'mailto:' ? url.pathname : url.host
}

/** Whether a text is the address's host, or an address there, letter by letter: a lookalike may lead elsewhere. */
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
