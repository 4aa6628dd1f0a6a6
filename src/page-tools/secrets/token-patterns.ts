import { LEAST_WORDS, mayHaveLabel, OF_SENTENCES, PHRASE_LABEL, WORD } from './phrase-words.ts'
import { lazyPattern } from '../../lib/once.ts'

/** Keys and tokens of services, by how they begin; each with enough characters that no word is one. */
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

/** What each of them has: most texts have none, which is found without an expression. */
const TOKEN_PARTS =
  'sk-|k_live_|k_test_|whsec_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|ya29.|npm_|hf_|SG.|eyJ'.split(
    '|',
  )

const TOKEN = lazyPattern(() => `(?<![A-Za-z0-9_-])(?:${TOKENS})`, 'g')

/** Beginnings of tokens, each with the length of all of it, at least. */
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
/** Between its parts on a page: places to break a line, or elements. */
const BREAK = '(?: |\\n *- text: )'
const BEGUN_TOKEN = `(?<![A-Za-z0-9_-])(?:${BEGINNINGS.map(([beginning]) => beginning).join('|')})[A-Za-z0-9_-]`
const SPLIT_TOKEN = lazyPattern(() => `${BEGUN_TOKEN}*(?:${BREAK}[A-Za-z0-9_-]{4,}){1,3}`, 'g')
const IS_LONG_ENOUGH = BEGINNINGS.map(([beginning, length]) =>
  lazyPattern(() => `^(?=[^]*\\d)(?=[^]{${length},})${beginning}`),
)

/** The beginning of one, where the text was cut. */
const CUT_TOKEN = lazyPattern(() => `${BEGUN_TOKEN}{6,}(?=…)`, 'g')

/** Parts of a token beside each other. The shortest run of them that is a token goes. */
function withoutSplit(text: string, mask: string): string {
  return text.replace(SPLIT_TOKEN(), (found) => {
    const parts = found.split(new RegExp(BREAK))
    for (let count = 2; count <= parts.length; count += 1) {
      const joined = parts.slice(0, count).join('')
      const isUpper = !/^(?:AKIA|ASIA)/.test(joined) || /^[A-Z0-9]+$/.test(joined)
      if (!isUpper || !IS_LONG_ENOUGH.some((pattern) => pattern().test(joined))) continue
      const rest = parts.slice(count).join(' ')
      return rest ? `${mask} ${rest}` : mask
    }
    return found
  })
}

/** Up to its end, or to that of the text: a long one is cut. */
const KEY_BLOCK =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?/g

/** How far behind its label a phrase begins. Characters. */
const PHRASE_REACH = 200
/** With the lines of an outline around its words. Characters. */
const LONGEST_PHRASE = 3000
const GAP =
  '(?:[ ,;|·•/_–—-]{1,3}|\\s*\\n\\s*- (?:[a-z]+(?: "[^"\\n]{0,16}\\d{1,2}[.:)]?")?(?: \\[[^\\]\\n]*\\])*: ?)?)'
const NUMBERED_WORD = `(?:\\d{1,2}[.:)]?[ |]{0,3})?(?!(?:${OF_SENTENCES})(?![A-Za-z]))${WORD}`
/** Twelve to twenty-four short words, numbered or not, in a row or one on each line. */
const PHRASE = lazyPattern(
  () =>
    `(?<![A-Za-z])(?:${NUMBERED_WORD}${GAP}){${LEAST_WORDS - 1},23}${NUMBERED_WORD}(?![A-Za-z])`,
)

/** Without what is secret by its own form, wherever it stands: keys, tokens, phrases behind what names them. */
export function withoutTokens(text: string, mask: string): string {
  const whole = text.includes('-----BEGIN ') ? text.replace(KEY_BLOCK, mask) : text
  const clean = TOKEN_PARTS.some((part) => whole.includes(part))
    ? withoutSplit(whole.replace(TOKEN(), mask).replace(CUT_TOKEN(), mask), mask)
    : whole
  if (!mayHaveLabel(clean)) return clean
  for (const { index, 0: label } of clean.matchAll(PHRASE_LABEL())) {
    const start = index + label.length
    const phrase = PHRASE().exec(clean.slice(start, start + PHRASE_REACH + LONGEST_PHRASE))
    if (!phrase || phrase.index > PHRASE_REACH) continue
    const [begin, end] = [start + phrase.index, start + phrase.index + phrase[0].length]
    return clean.slice(0, begin) + mask + withoutTokens(clean.slice(end), mask)
  }
  return clean
}
