/** Whether requests to this URL can't be read in transit: it is HTTPS or localhost. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}

/** A URL, which may be relative to the page's; null for anything else. */
export function addressOf(url: unknown): URL | null {
  const base = globalThis.document?.baseURI
  if (typeof url !== 'string' && !(url instanceof URL)) return null
  return URL.canParse(url, base) ? new URL(url, base) : null
}
