/** FNV-1a hash of 32 bits over UTF-16 code units. Not cryptographic. */
export function fnv1a(text: string, seed = 0x811c9dc5): number {
  let state = seed
  for (let at = 0; at < text.length; at++)
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0
  return state
}
