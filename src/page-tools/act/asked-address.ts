import { shorten } from '../clean-text.ts'

/** Characters of a host, and of the rest of the address. */
const HOST_LIMIT = 60
const REST_LIMIT = 200

interface Showing {
  /** Removes secrets. */
  readonly clean?: (text: string) => string
  readonly limit?: number
}

/**
 * Formats an address for an approval. The real host comes first. Text that may stand before a host
 * (`https://shop.example%2Flogin@other.example`) is only mentioned. A long host keeps its end, which names its owner.
 * Pure.
 */
export function askedAddress(
  url: URL,
  { clean = (text) => text, limit = REST_LIMIT }: Showing = {},
): string {
  const { protocol, host, pathname, search, hash, username, password } = url
  if (!host) return shorten(clean(url.href), limit)
  const rest = shorten(clean(`${pathname}${search}${hash}`), limit)
  const note = username || password ? ' (with a user name or a password before its host)' : ''
  return `${protocol}//${shownHost(host, clean)}${rest}${note}`
}

/** Never scrubs the host's last two labels, even if the page declares them a secret: they name its owner. */
function shownHost(host: string, clean: (text: string) => string): string {
  const end = host.slice(host.lastIndexOf('.', host.lastIndexOf('.') - 1) + 1)
  const shown = `${clean(host.slice(0, -end.length))}${end}`
  return shown.length > HOST_LIMIT ? `…${shown.slice(-HOST_LIMIT)}` : shown
}
