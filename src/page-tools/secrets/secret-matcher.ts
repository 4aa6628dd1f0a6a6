/** Matches marks that consist of words already, as most do. */
const WORDS = /^[a-z0-9]+(?: [a-z0-9]+)*$/

/** Splits a name that a developer gave into words for a hint: `removeUser_btn` becomes `remove user btn`. */
export function hintWords(mark: string): string {
  if (WORDS.test(mark)) return mark
  return mark
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}

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

function isSign(code: number): boolean {
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

/** Place where a text was cut, at its end or its beginning. Skips the `…` before a number of omitted things. */
const CUT = /(?<=\S)…|…(?=\S)/g
const LEAST_PART = 4
/** Characters that don't count: gaps between the parts of a value, and those that quoting adds. */
const GAP_SIGN = /[\s|\\-]/
const GAPS = /[\s|\\-]+/g

/** Returns a function that masks what is left of a secret before or after a cut. */
export function cutEndsOf(values: readonly string[], mask: string): (text: string) => string {
  const forms = new Set(values.flatMap(formsOf))
  const beginnings = byBeginning(forms)
  let endings: Beginnings | undefined
  return (text) => {
    if (!text.includes('…')) return text
    let clean = ''
    let from = 0
    for (const { index } of text.matchAll(CUT)) {
      if (index < from) continue
      const before = text.slice(from, index)
      const left = partLength(lastLine(before), beginnings)
      clean += left > 0 ? before.slice(0, -left) + mask : before
      clean += '…'
      const [behind = ''] = text.slice(index + 1).split('\n', 1)
      const right = behind ? partLength(reversed(behind), (endings ??= endingsOf(forms))) : 0
      if (right > 0) clean += mask
      from = index + 1 + right
    }
    return clean + text.slice(from)
  }
}

const ASCII = /^[\0-\x7F]*$/

function formsOf(value: string): string[] {
  const composed = ASCII.test(value)
    ? []
    : [value.normalize('NFC'), value.normalize('NFD')].map(plain)
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\uFFFD')
  return [
    plain(value),
    ...composed,
    plain(encodeURIComponent(wellFormed)),
    plain(hintWords(value)),
  ].filter(({ length }) => length >= LEAST_PART)
}

function plain(text: string): string {
  return text.replace(GAPS, '').replaceAll('"', "'")
}

function sign(character: string): string {
  return GAP_SIGN.test(character) ? '' : character === '"' ? "'" : character
}

/** Values by their first characters. */
type Beginnings = ReadonlyMap<string, readonly string[]>

function byBeginning(values: Iterable<string>): Beginnings {
  const found = new Map<string, string[]>()
  for (const value of values) {
    const beginning = value.slice(0, LEAST_PART)
    const those = found.get(beginning)
    if (those) those.push(value)
    else found.set(beginning, [value])
  }
  return found
}

function endingsOf(values: ReadonlySet<string>): Beginnings {
  return byBeginning([...values].map(reversed))
}

/** Length of the longest end of the text that is the beginning of a value. */
function partLength(text: string, values: Beginnings): number {
  const characters: { readonly sign: string; readonly at: number }[] = []
  for (let at = 0; at < text.length; at += 1) {
    const one = sign(text.charAt(at))
    if (one) characters.push({ sign: one, at })
  }
  const all = characters.map((one) => one.sign).join('')
  for (let start = 0; start + LEAST_PART <= all.length; start += 1) {
    const likely = values.get(all.slice(start, start + LEAST_PART))
    if (!likely) continue
    const end = all.slice(start)
    if (likely.some((value) => value.startsWith(end)))
      return text.length - (characters[start]?.at ?? text.length)
  }
  return 0
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1)
}

function reversed(text: string): string {
  return text.split('').toReversed().join('')
}

/** Letters that don't belong to a secret: in a text, they stand for a sign, or for the gap between two elements. */
const ENTITIES = ['quot;', 'amp;', 'lt;', 'gt;']
const TEXT_LINE = 'text: '
const SPACE = 32

/**
 * Patterns that begin with the same letters. A branch is divided by the next letter only when a text leads there, so
 * the cost of a text doesn't grow with the patterns.
 */
class Branch {
  readonly entries: readonly SecretPattern[]
  /** A single pattern isn't divided. */
  readonly only: SecretPattern | undefined
  readonly #ended: SecretPattern[] = []
  #next: Map<number, Branch> | null = null

  constructor(entries: readonly SecretPattern[]) {
    this.entries = entries
    if (entries.length === 1) this.only = entries[0]
  }

  /** Patterns without further letters. */
  endedAt(depth: number): readonly SecretPattern[] {
    if (this.only) return this.only.letters.length === depth ? [this.only] : []
    this.#divided(depth)
    return this.#ended
  }

  after(code: number, depth: number): Branch | undefined {
    if (this.only) return this.only.letters.charCodeAt(depth) === code ? this : undefined
    return this.#divided(depth).get(code)
  }

  #divided(depth: number): ReadonlyMap<number, Branch> {
    if (this.#next) return this.#next
    const groups = new Map<number, SecretPattern[]>()
    for (const entry of this.entries) {
      const code = entry.letters.charCodeAt(depth)
      const group = groups.get(code)
      if (Number.isNaN(code)) this.#ended.push(entry)
      else if (group) group.push(entry)
      else groups.set(code, [entry])
    }
    this.#next = new Map([...groups].map(([code, group]) => [code, new Branch(group)]))
    return this.#next
  }
}

/**
 * Finds the first match of any pattern, and the longest at that place. A single expression of them all would try each
 * at each place. Here the letters of a text lead to the few patterns that may match, and only these are tried.
 */
export class SecretMatcher {
  readonly #withLetter: Branch
  readonly #withSign: Branch | null
  readonly #expressions = new Map<SecretPattern, RegExp>()

  constructor(patterns: Iterable<SecretPattern>) {
    const entries = [...patterns]
    const withSign = entries.filter(({ beginsWithSign }) => beginsWithSign)
    this.#withLetter = new Branch(entries.filter(({ beginsWithSign }) => !beginsWithSign))
    this.#withSign = withSign.length > 0 ? new Branch(withSign) : null
  }

  isIn(text: string): boolean {
    const signs = new SignRuns(text)
    for (let at = 0; at < text.length; at += 1) if (this.#endOf(signs, at) > 0) return true
    return false
  }

  replace(text: string, mask: string): string {
    let clean = ''
    let from = 0
    const signs = new SignRuns(text)
    for (let at = 0; at < text.length;) {
      const end = this.#endOf(signs, at)
      if (end > 0) {
        clean += text.slice(from, at) + mask
        from = end
        at = end
      } else at += 1
    }
    return from > 0 ? clean + text.slice(from) : text
  }

  /** End of the longest secret that begins at this place. 0: none. */
  #endOf(signs: SignRuns, at: number): number {
    const { text } = signs
    const code = text.charCodeAt(at)
    if (code <= SPACE || isInsidePair(text, at)) return 0
    const branch = isSign(code) ? this.#withSign : this.#withLetter
    if (!branch) return 0
    let end = 0
    for (const entry of likelyAt(signs, at, branch)) {
      const expression = this.#expressionOf(entry)
      expression.lastIndex = at
      if (expression.test(text)) end = Math.max(end, expression.lastIndex)
    }
    return end
  }

  #expressionOf(entry: SecretPattern): RegExp {
    const known = this.#expressions.get(entry)
    if (known) return known
    const made = new RegExp(entry.source(), 'uy')
    this.#expressions.set(entry, made)
    return made
  }
}

/** Whether the place is inside a surrogate pair, where an expression for whole characters finds nothing. */
function isInsidePair(text: string, at: number): boolean {
  return (
    at > 0 &&
    (text.charCodeAt(at) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  )
}

/** A text in which each run of signs is walked only once, however often it is read. */
class SignRuns {
  readonly text: string
  #ends: Int32Array | null = null

  constructor(text: string) {
    this.text = text
  }

  /** End of the run of signs at this place. For a letter, the place itself. */
  endAt(at: number): number {
    if (at >= this.text.length || !isSign(this.text.charCodeAt(at))) return at
    this.#ends ??= endsOfRuns(this.text)
    return this.#ends[at] ?? at
  }
}

function endsOfRuns(text: string): Int32Array {
  const ends = new Int32Array(text.length)
  let end = text.length
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (!isSign(text.charCodeAt(at))) end = at
    ends[at] = end
  }
  return ends
}

/** Ways to read one text. Beyond this, all patterns of the branch are tried. */
const MOST_READINGS = 50

/** A way to read the text up to a place, with the letters of a branch found so far. */
interface Reading {
  readonly at: number
  readonly depth: number
  readonly branch: Branch
}

/** Patterns whose letters all follow. */
function likelyAt(signs: SignRuns, start: number, branch: Branch): Iterable<SecretPattern> {
  const likely = new Set<SecretPattern>()
  const readings: Reading[] = [{ at: start, depth: 0, branch }]
  // The list grows while it is read: letters that may not belong to the value are read in both ways.
  for (const reading of readings) {
    if (readings.length > MOST_READINGS) return branch.entries
    readOn(signs, reading, { likely, readings })
  }
  return likely
}

function readOn(
  signs: SignRuns,
  { at: start, depth: before, branch: first }: Reading,
  { likely, readings }: { readonly likely: Set<SecretPattern>; readonly readings: Reading[] },
): void {
  const { text } = signs
  let depth = before
  let branch: Branch | undefined = first
  for (const one of branch.endedAt(depth)) likely.add(one)
  for (let at = signs.endAt(start); at < text.length; at = signs.endAt(at + 1)) {
    const code = text.charCodeAt(at)
    const added = at > start ? addedAt(text, at) : 0
    if (added > 0) addReading(readings, { at: at + added, depth, branch })
    branch = branch.after(code, depth)
    if (!branch) return
    depth += 1
    for (const one of branch.endedAt(depth)) likely.add(one)
  }
}

/** Counts the characters here that may not belong to the value: `&quot;`, `- text: `. */
function addedAt(text: string, at: number): number {
  const before = text.charAt(at - 1)
  if (before === '&') return ENTITIES.find((name) => text.startsWith(name, at))?.length ?? 0
  return before === ' ' && text.startsWith(TEXT_LINE, at) ? TEXT_LINE.length : 0
}

function addReading(readings: Reading[], added: Reading): void {
  const isKnown = readings.some(
    ({ at, depth, branch }) => at === added.at && depth === added.depth && branch === added.branch,
  )
  if (!isKnown) readings.push(added)
}
