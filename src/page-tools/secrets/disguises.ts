/** What has escapes of addresses in it. */
const ENCODED = /[^\s"']*%[0-9A-Fa-f]{2}[^\s"']*/g
const PIECES = /([?&=#;/:,]+)/
/** An address may stand in another one. */
const MAX_LAYERS = 3

/** Removes secrets that are escaped as no encoder escapes them: `%2f`, `%5A%65`, `%252F`. */
export function withoutEncoded(text: string, secrets: RegExp, mask: string): string {
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

function holds(address: string, secrets: RegExp): boolean {
  let at = address
  for (let layer = 0; layer < MAX_LAYERS && at.includes('%'); layer += 1) {
    at = decoded(at)
    if (at.search(secrets) >= 0) return true
  }
  return false
}

/** What is no escape stays. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** Where a text was cut: `… (24 more characters)`. */
const CUT = /… \(\d+ more characters\)/g
const LEAST_PART = 4

/** Removes what is left of a secret at the end of a text that was cut. */
export function withoutCutEnds(text: string, values: Iterable<string>, mask: string): string {
  if (!text.includes(' more characters)')) return text
  const known = [...values]
  let clean = ''
  let from = 0
  for (const { index, 0: cut } of text.matchAll(CUT)) {
    const before = text.slice(from, index)
    clean += withoutEnd(before, known, mask) + cut
    from = index + cut.length
  }
  return clean + text.slice(from)
}

function withoutEnd(text: string, values: readonly string[], mask: string): string {
  let longest = 0
  for (const value of values)
    for (let length = Math.min(value.length, text.length); length >= LEAST_PART; length -= 1)
      if (text.endsWith(value.slice(0, length))) {
        longest = Math.max(longest, length)
        break
      }
  return longest === 0 ? text : text.slice(0, -longest) + mask
}
