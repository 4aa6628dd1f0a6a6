import { hintWords } from './hint-words.ts'

/** Longest value to search in split form. */
export const LONGEST_SPLIT = 64
const LONG = 8
/** Shortest value of digits and letters to search in split form: it is no word, and no number of a list. */
const LEAST_SPLIT = 6

/** Gap between characters of a value that is shown in several elements: in a line, in cells, in lines of an outline. */
const GAP = '(?: \\| |\\n *- (?:text: )?| )?'
const GAP_OF_DIGITS = '(?: \\| |\\n *- (?:text: )?|[ -])?'

/** How a secret may be shown. */
export interface SecretPattern {
  /** Source of an expression with the flag `u`. Made on demand: most are never needed. */
  readonly source: () => string
  /** Letters of each text that it matches, without signs and gaps. */
  readonly letters: string
  readonly beginsWithSign: boolean
}

/**
 * Patterns of a value: as it is, URL-encoded, and split over several elements. Numbers match with and without the gaps
 * that cards are printed with.
 */
export function patternsOfValue(value: string): readonly SecretPattern[] {
  const digits = value.replace(/[ -]/g, '')
  if (/^\d{8,}$/.test(digits)) return [patternOf(digits, () => spread(digits, GAP_OF_DIGITS))]
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\uFFFD')
  const encoded = new Set([encodeURIComponent(wellFormed), encodedInForm(wellFormed)])
  encoded.delete(value)
  // A letter with an accent is one character or two.
  const shown = new Set([value, value.normalize('NFC'), value.normalize('NFD')])
  // The value as a hint shows it, made of marks that no person reads.
  const hint = hintWords(value)
  const isHint = hint.length >= LEAST_SPLIT && hint !== value
  return [
    ...[...shown].map((form) => patternOf(form, () => sourceOf(form))),
    ...[...encoded].map((form) => patternOf(form, () => escapePattern(form))),
    ...(isHint ? [patternOf(hint, () => sourceOfHint(hint))] : []),
  ]
}

/** A short value as a whole word. */
export function patternOfWord(value: string): SecretPattern {
  return patternOf(value, () => asWord(escapePattern(value)))
}

/** A part of a value, without the gaps that it may be shown with. */
export function patternOfPart(part: string): SecretPattern {
  return patternOf(part, () => asWord(spread(part, '[ -]?')))
}

function patternOf(form: string, source: () => string): SecretPattern {
  return { source, letters: form.replace(SIGNS, ''), beginsWithSign: isSign(form.charCodeAt(0)) }
}

/**
 * All of ASCII but letters and digits. Gaps and escapes consist of these, and of letters that don't belong to a value.
 */
const SIGNS = /[\0-/:-@[-`{-\x7F]+/g

export function isSign(code: number): boolean {
  return (
    code < 48 || (code > 57 && code < 65) || (code > 90 && code < 97) || (code > 122 && code < 128)
  )
}

function sourceOf(form: string): string {
  return maySplit(form) ? spread(form.replace(/ /g, ''), GAP) : escapePattern(form)
}

function sourceOfHint(hint: string): string {
  const hinted = escapePattern(hint)
  return hint.length >= LONG ? hinted : asWord(hinted)
}

/** Most values have letters, digits and spaces only. */
const WITH_SPACES = /^[A-Za-z0-9 .*_-]+$/

function encodedInForm(text: string): string {
  if (WITH_SPACES.test(text)) return text.replace(/ /g, '+')
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function asWord(pattern: string): string {
  return `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`
}

/** Whether a value can be recognized when its characters stand apart: no word, and no number of a list. */
export function maySplit(value: string): boolean {
  if (value.length > LONGEST_SPLIT) return false
  const isMixed = /\p{L}/u.test(value) && /\d/.test(value)
  return value.replace(/ /g, '').length >= (isMixed ? LEAST_SPLIT : LONG)
}

function spread(text: string, gap: string): string {
  return Array.from(text, escapePattern).join(gap)
}

/** Characters that an outline escapes, or that an outline or markup writes in another way. */
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
