/** FNV-1a hash of 32 bits over UTF-16 code units. Not cryptographic. */
export function fnv1a(text: string, seed = 0x811c9dc5): number {
  let state = seed
  for (let at = 0; at < text.length; at++)
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0
  return state
}

/**
 * A short digest to distinguish texts: the length and two hashes of 32 bits, base 36. Not secure: somebody could
 * construct a text with the same digest.
 */
export function textDigest(text: string): string {
  return [text.length, fnv1a(text), fnv1a(text, 0x01000193)]
    .map((part) => part.toString(36))
    .join('-')
}
