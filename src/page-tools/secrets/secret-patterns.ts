import { hintWords } from './hint-words.ts'

/** Beyond this, a value is looked for as it is only. */
const LONGEST_SPLIT = 64
const LONG = 8
/** Digits and letters: no word, and no number of a list. */
const LEAST_SPLIT = 6

/** Between the characters of a value that is shown in several elements: in a line, in cells, in lines of an outline. */
const GAP = '(?: \\| |\\n *- (?:text: )?| )?'
const GAP_OF_DIGITS = '(?: \\| |\\n *- (?:text: )?|[ -])?'

/**
 * Patterns of a value as it is, URL-encoded, and split over several elements; numbers with and without the gaps that
 * cards are printed with.
 */
export function patternsOfValue(value: string): readonly string[] {
  const digits = value.replace(/[ -]/g, '')
  if (/^\d{8,}$/.test(digits)) return [spread(digits, GAP_OF_DIGITS)]
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\uFFFD')
  const inForm = new URLSearchParams({ '': wellFormed }).toString().slice(1)
  const encoded = [encodeURIComponent(wellFormed), inForm].filter((form) => form !== value)
  // Letters with accents are one character or two.
  const shown = [...new Set([value, value.normalize('NFC'), value.normalize('NFD')])].map((form) =>
    maySplit(form) ? spread(form.replace(/ /g, ''), GAP) : escapePattern(form),
  )
  // As a hint has it, which is made of marks that no person reads.
  const hint = hintWords(value)
  const isOther = hint.length >= LEAST_SPLIT && hint !== value && !shown.includes(hint)
  const hinted = escapePattern(hint)
  const hints = isOther ? [hint.length >= LONG ? hinted : asWord(hinted)] : []
  return [...new Set([...shown, ...encoded.map(escapePattern), ...hints])]
}

/** A short value as a whole word. */
export function patternOfWord(value: string): string {
  return asWord(escapePattern(value))
}

/** A part of a value, without the gaps that it may be shown with. */
export function patternOfPart(part: string): string {
  return asWord(spread(part, '[ -]?'))
}

function asWord(pattern: string): string {
  return `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`
}

/** Whether a value is told from other texts when its characters stand apart: no word, and no number of a list. */
export function maySplit(value: string): boolean {
  if (value.length > LONGEST_SPLIT) return false
  const isMixed = /\p{L}/u.test(value) && /\d/.test(value)
  return value.replace(/ /g, '').length >= (isMixed ? LEAST_SPLIT : LONG)
}

function spread(text: string, gap: string): string {
  return Array.from(text, escapePattern).join(gap)
}

/** What looks like a mark or ends a quotation has a backslash in an outline, or is another sign there or in markup. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  '"': '(?:\\\\?"|\'|&quot;)',
  '<': '(?:\\\\?<|&lt;)',
  '>': '(?:>|&gt;)',
  '&': '&(?:amp;)?',
  '[': '\\\\?\\[',
  ']': '\\\\?\\]',
  '|': '\\\\?\\|',
  '\\': '\\\\{1,2}',
}

function escapePattern(text: string): string {
  return text.replace(
    /[\\^$.*+?()[\]{}|/"<>&]/g,
    (character) => SHOWN_AS[character] ?? `\\${character}`,
  )
}
