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

/** `<`, `[`, `]` or `◁`: marks start with these inside a line, too. */
export function isTagStart(code: number): boolean {
  return code === lessThan || code === bracket || code === 93 || code === 0x25c1
}

/** White space, and what isn't seen: a byte order mark, joiners, marks of direction. */
export function isBlank(code: number): boolean {
  return code <= space || code === 0xa0 || isInvisible(code)
}

/**
 * Of `lib/invisible.ts` those that models put between the characters of markup; all others belong to the text. Asked
 * for each character that streams in.
 */
export function isInvisible(code: number): boolean {
  return (code >= 0x200b && code <= 0x200f) || code === 0x2060 || code === 0xfeff
}

/** The text from its first visible character on. */
export function skipBlank(text: string): string {
  return text.replace(/^[\s\u200b-\u200f\u2060]+/, '')
}
