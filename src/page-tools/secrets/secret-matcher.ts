import { lazyPattern } from '../../lib/once.ts'

/** Matches most marks: lower-case words, which need no splitting. */
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

const LONG = 8
/**
 * Minimum length of a value of digits and letters that is found with other gaps. Shorter values may be words or list
 * numbers.
 */
const SHORTEST_MIXED = 6
/** First characters by which secrets are looked up. Every secret has at least as many. */
const BEGINNING = 3
/** Minimum length of a part of a secret that is removed beside a cut. */
const SHORTEST_PART = 4
/** Maximum length of a part of a secret that is removed before a cut. */
const LONGEST_PART = 200

/** Gaps within a value: in a line, between cells, in a printed card number, and the backslash of an outline. */
const GAPS = /[\s|\\-]+/g

/** Form in which a secret may occur in a text. */
interface Form {
  /** The text without gaps. */
  readonly signs: string
  /** The text with its inner gaps. Null if any gaps match. */
  readonly exact: string | null
  /** Matches only as a whole word. */
  readonly isWord: boolean
}

/**
 * Removes secrets from texts: as they are, composed or decomposed, URL-encoded, escaped by an outline, as words of a
 * hint, and cut by `…`. Secrets that are long, or have letters and digits, are also found with other gaps: `4111 1111…`
 * is `4111-1111…`. If several secrets match at one place, the longest is removed.
 */
export class SecretMatcher {
  /** Longest first. */
  readonly #forms: readonly Form[]
  readonly #byBeginning = new Map<string, Form[]>()

  constructor(secrets: Iterable<string>) {
    this.#forms = [...secrets]
      .flatMap(createForms)
      .filter(({ signs }) => signs.length >= BEGINNING)
      .sort((a, b) => b.signs.length - a.signs.length)
    for (const form of this.#forms) {
      const beginning = form.signs.slice(0, BEGINNING)
      const forms = this.#byBeginning.get(beginning)
      if (forms) forms.push(form)
      else this.#byBeginning.set(beginning, [form])
    }
  }

  isIn(text: string): boolean {
    return this.replace(text, '') !== text
  }

  replace(text: string, mask: string): string {
    const gapless = createGaplessText(text)
    let clean = ''
    let from = 0
    for (let at = 0; at < gapless.signs.length;) {
      const length = this.#matchLength(gapless, at)
      if (length > 0) {
        clean += text.slice(from, getPosition(gapless, at)) + mask
        from = getPosition(gapless, at + length - 1) + 1
      }
      at += length || 1
    }
    return from > 0 ? clean + text.slice(from) : text
  }

  /** Number of signs of the secret that begins here, or of its part beside a cut. 0 if there is none. */
  #matchLength(gapless: GaplessText, at: number): number {
    const { signs } = gapless
    if (isAfterCut(gapless, at)) {
      const length = this.#matchEnding(gapless, at)
      if (length > 0) return length
    }
    const candidates = this.#byBeginning.get(signs.slice(at, at + BEGINNING))
    if (!candidates) return 0
    const match = candidates.find(
      (form) => signs.startsWith(form.signs, at) && matchesAt(gapless, form, at),
    )
    if (match) return match.signs.length
    const length = signs.slice(at, at + LONGEST_PART).indexOf(CUT)
    if (length < SHORTEST_PART || !areAdjacent(gapless, at + length - 1)) return 0
    const part = signs.slice(at, at + length)
    return candidates.some((form) => form.signs.startsWith(part)) ? length : 0
  }

  /** Number of signs that end a secret whose beginning was cut off. 0 if there are none. */
  #matchEnding({ signs }: GaplessText, at: number): number {
    const first = signs.slice(at, at + SHORTEST_PART)
    if (first.length < SHORTEST_PART) return 0
    for (const form of this.#forms)
      for (
        let from = form.signs.indexOf(first);
        from > 0;
        from = form.signs.indexOf(first, from + 1)
      )
        if (signs.startsWith(form.signs.slice(from), at)) return form.signs.length - from
    return 0
  }
}

const CUT = '…'

/** A text without gaps. */
interface GaplessText {
  readonly text: string
  readonly signs: string
  /** Index of each sign in the text. */
  readonly places: readonly number[]
}

function createGaplessText(text: string): GaplessText {
  const places: number[] = []
  let end = 0
  for (const { index, 0: gap } of text.matchAll(GAPS)) {
    for (; end < index; end += 1) places.push(end)
    end += gap.length
  }
  for (; end < text.length; end += 1) places.push(end)
  return { text, signs: withoutGaps(text), places }
}

function getPosition({ places, text }: GaplessText, at: number): number {
  return places[at] ?? text.length
}

/** Whether no white space is between a sign and the next one. A cut may come right after a hyphen of a secret. */
function areAdjacent(gapless: GaplessText, at: number): boolean {
  return !/\s/.test(gapless.text.slice(getPosition(gapless, at), getPosition(gapless, at + 1)))
}

function isAfterCut(gapless: GaplessText, at: number): boolean {
  return gapless.signs.charAt(at - 1) === CUT && areAdjacent(gapless, at - 1)
}

/** Outlines write `'` for `"` in some places. */
function withoutGaps(text: string): string {
  return withPlainQuotes(text.replace(GAPS, ''))
}

function withPlainQuotes(text: string): string {
  return text.replaceAll('"', "'")
}

/** Whether the text has the form's signs here, with its own gaps if `exact`, and as a whole word if `isWord`. */
function matchesAt(gapless: GaplessText, { signs, exact, isWord }: Form, at: number): boolean {
  if (exact === null && !isWord) return true
  const { text } = gapless
  const begin = getPosition(gapless, at)
  const end = getPosition(gapless, at + signs.length - 1) + 1
  const isExact =
    exact === null || withPlainQuotes(text.slice(begin, end).replaceAll('\\', '')) === exact
  return isExact && !(isWord && isInWord(text, begin, end))
}

function isInWord(text: string, begin: number, end: number): boolean {
  const neighbors = [text.slice(Math.max(0, begin - 2), begin), text.slice(end, end + 2)] as const
  return /[\p{L}\p{N}]$/u.test(neighbors[0]) || /^[\p{L}\p{N}]/u.test(neighbors[1])
}

function createForms(secret: string): readonly Form[] {
  if (isShortWord(secret)) return [createForm(secret, true)]
  const wellFormed = secret.replace(/\p{Surrogate}/gu, '\uFFFD')
  const variants = new Set([
    secret,
    secret.normalize('NFC'),
    secret.normalize('NFD'),
    encodeURIComponent(wellFormed),
    new URLSearchParams({ '': wellFormed }).toString().slice(1),
  ])
  const hint = hintWords(secret)
  const isHint = hint.length >= SHORTEST_MIXED && !variants.has(hint)
  return [
    ...[...variants].map((text) => createForm(text)),
    ...(isHint ? [createForm(hint, hint.length < LONG)] : []),
  ]
}

const OUTER_GAPS = /^[\s|-]+|[\s|-]+$/g

function createForm(text: string, isWord = false): Form {
  const exact = canHaveOtherGaps(text)
    ? null
    : withPlainQuotes(text.replaceAll('\\', '').replaceAll(OUTER_GAPS, ''))
  return { signs: withoutGaps(text), exact, isWord }
}

/** Whether a value is recognized with other gaps, too: it is no word, and no list number. */
function canHaveOtherGaps(value: string): boolean {
  const isMixed = /\p{L}/u.test(value) && /\d/.test(value)
  return value.replaceAll(' ', '').length >= (isMixed ? SHORTEST_MIXED : LONG)
}

/**
 * Whether a value is a short word without digits. Such words are frequent: removing them all would make a text
 * unreadable. They are removed only as whole words.
 */
export function isShortWord(value: string): boolean {
  return value.length < LONG && !/\d/.test(value)
}

/** Part of an address that has percent-escapes. Only the beginning of a part is tried, so that the time is linear. */
const ENCODED = /(?<![^\s"'?&=#;/:,])[^\s"'?&=#;/:,]*%[0-9A-Fa-f]{2}[^\s"'?&=#;/:,]*/g
/** An address may contain another one. */
const MAX_LAYERS = 3

/** Removes secrets with escapes that no encoder makes: `%2f`, `%5A%65`, `%252F`. */
export function withoutEncoded(text: string, secrets: SecretMatcher, mask: string): string {
  return text.replace(ENCODED, (part) => {
    let decoded = part
    for (let layer = 0; layer < MAX_LAYERS && decoded.includes('%'); layer += 1) {
      decoded = decodePercents(decoded)
      if (secrets.isIn(decoded)) return mask
    }
    return part
  })
}

/** Decodes percent-escapes. Leaves invalid escapes unchanged. */
export function decodePercents(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** Keys and tokens of services, by their beginning. Each is long enough that no word matches. */
const TOKENS = [
  'sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}',
  '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
  'whsec_[A-Za-z0-9]{20,}',
  'gh[pousr]_[A-Za-z0-9]{30,}',
  'github_pat_[A-Za-z0-9_]{30,}',
  'glpat-[A-Za-z0-9_-]{20,}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  '(?:AKIA|ASIA)[A-Z0-9]{16}',
  'AIza[A-Za-z0-9_-]{35}',
  'ya29\\.[A-Za-z0-9_-]{20,}',
  'npm_[A-Za-z0-9]{36}',
  'hf_[A-Za-z0-9]{30,}',
  'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
  'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}',
].join('|')

/** Quick check without a regular expression: every token contains one of these parts, and most texts contain none. */
const TOKEN_PARTS =
  'sk-|k_live_|k_test_|whsec_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|ya29.|npm_|hf_|SG.|eyJ'.split(
    '|',
  )

const TOKEN = lazyPattern(() => `(?<![A-Za-z0-9_-])(?:${TOKENS})`, 'g')

/** Beginnings of tokens, each with the token's minimum length. */
const BEGINNINGS: readonly (readonly [beginning: string, length: number])[] = [
  ['sk-(?:ant-|proj-|or-)?', 23],
  ['[rs]k_(?:live|test)_', 24],
  ['whsec_', 26],
  ['gh[pousr]_', 34],
  ['github_pat_', 41],
  ['glpat-', 26],
  ['xox[abeoprs]-', 15],
  ['(?:AKIA|ASIA)', 20],
  ['AIza', 39],
  ['npm_', 40],
  ['hf_', 33],
]
/** Gap between parts of a token on a page: a place to break a line, or an element. */
const BREAK = '(?: |\\n *- text: )'
const BEGUN_TOKEN = `(?<![A-Za-z0-9_-])(?:${BEGINNINGS.map(([beginning]) => beginning).join('|')})[A-Za-z0-9_-]`
const SPLIT_TOKEN = lazyPattern(() => `${BEGUN_TOKEN}*(?:${BREAK}[A-Za-z0-9_-]{4,}){1,3}`, 'g')
const IS_LONG_ENOUGH = BEGINNINGS.map(([beginning, length]) =>
  lazyPattern(() => `^(?=[^]*\\d)(?=[^]{${length},})${beginning}`),
)

/** Beginning of a token where the text was cut. */
const CUT_TOKEN = lazyPattern(() => `${BEGUN_TOKEN}{6,}(?=…)`, 'g')

/** Masks adjacent parts of a token: the shortest run of parts that forms one. */
function withoutSplit(text: string, mask: string): string {
  return text.replace(SPLIT_TOKEN(), (match) => {
    const parts = match.split(new RegExp(BREAK))
    for (let count = 2; count <= parts.length; count += 1) {
      const joined = parts.slice(0, count).join('')
      const isUpper = !/^(?:AKIA|ASIA)/.test(joined) || /^[A-Z0-9]+$/.test(joined)
      if (!isUpper || !IS_LONG_ENOUGH.some((pattern) => pattern().test(joined))) continue
      const remaining = parts.slice(count).join(' ')
      return remaining ? `${mask} ${remaining}` : mask
    }
    return match
  })
}

/** A private key up to its end, or to the end of a text that was cut. */
const KEY_BLOCK =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?/g

/** Masks keys and tokens, which are secret by their own form, wherever they are. */
export function withoutTokens(text: string, mask: string): string {
  const masked = text.includes('-----BEGIN ') ? text.replace(KEY_BLOCK, mask) : text
  return TOKEN_PARTS.some((part) => masked.includes(part))
    ? withoutSplit(masked.replace(TOKEN(), mask).replace(CUT_TOKEN(), mask), mask)
    : masked
}
