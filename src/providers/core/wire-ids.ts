const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

export interface IdRule {
  readonly pattern: RegExp
  /** Of an id made up in place of one that the vendor would refuse. */
  readonly length: number
}

/** The id as it is, or one that the vendor takes: the same for the same id, every time. */
export function wireId(id: string, { pattern, length }: IdRule): string {
  if (pattern.test(id)) return id
  let state = hash(id, 0x811c9dc5)
  let made = ''
  while (made.length < length) {
    made += ALPHABET[state % ALPHABET.length]
    state = hash(`${made}${id}`, state)
  }
  return made
}

/** FNV-1a, 32 bits. */
function hash(text: string, seed: number): number {
  let state = seed
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return state
}
