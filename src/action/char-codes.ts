/** The source of a pattern that matches any of these texts. */
export function alternation(texts: Iterable<string>): string {
  return [...texts].map((text) => text.replaceAll(/[[\]|()]/g, '\\$&')).join('|')
}

export const tab = 9
export const newline = 10
export const carriageReturn = 13
export const space = 32
export const dash = 45
export const lessThan = 60
export const moreThan = 62
export const bracket = 91
export const backtick = 96
export const tilde = 126

/** Returns whether the character can start a mark even in the middle of a line: `<`, `[`, `]` or `◁`. */
export function isTagStart(code: number): boolean {
  return code === lessThan || code === bracket || code === 93 || code === 0x25c1
}

/** White space and invisible characters: a byte order mark, joiners, marks of direction. */
export function isBlank(code: number): boolean {
  return code <= space || code === 0xa0 || isInvisible(code)
}

/**
 * Invisible characters that models put between the characters of markup. Other characters of `lib/invisible.ts` belong
 * to the text. Called for each streamed character.
 */
export function isInvisible(code: number): boolean {
  return (code >= 0x200b && code <= 0x200f) || code === 0x2060 || code === 0xfeff
}

/** Returns the text from its first visible character on. */
export function skipBlank(text: string): string {
  return text.replace(/^[\s\u200b-\u200f\u2060]+/, '')
}
