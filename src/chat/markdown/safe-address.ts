const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

/** An address that may be a link: http, https or mailto, and absolute. Else null. */
export function safeAddress(text: string): URL | null {
  if (!URL.canParse(text.trim())) return null
  const url = new URL(text.trim())
  return SCHEMES.has(url.protocol) ? url : null
}

/** Whose picture or page it is, for people: the host, or the mailbox. */
export function hostOf(url: URL): string {
  return url.protocol === 'mailto:' ? url.pathname : url.host
}
