import type { SecretMatcher } from './secret-matcher.ts'

/** Text with percent-escapes of addresses. */
const ENCODED = /[^\s"']*%[0-9A-Fa-f]{2}[^\s"']*/g
const PIECES = /([?&=#;/:,]+)/
/** An address may contain another one. */
const MAX_LAYERS = 3

/** Removes secrets with escapes that no encoder makes: `%2f`, `%5A%65`, `%252F`. */
export function withoutEncoded(text: string, secrets: SecretMatcher, mask: string): string {
  if (!text.includes('%')) return text
  return text.replace(ENCODED, (address) => {
    if (!holds(address, secrets)) return address
    const rest = address
      .split(PIECES)
      .map((piece) => (holds(piece, secrets) ? mask : piece))
      .join('')
    return holds(rest, secrets) ? mask : rest
  })
}

function holds(address: string, secrets: SecretMatcher): boolean {
  let at = address
  for (let layer = 0; layer < MAX_LAYERS && at.includes('%'); layer += 1) {
    at = decoded(at)
    if (secrets.isIn(at)) return true
  }
  return false
}

/** Decodes percent-escapes. Invalid ones stay. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}
