import { lazyPattern } from '../../lib/once.ts'

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

/** Quick check without an expression: every token has one of these, and most texts have none. */
const TOKEN_PARTS =
  'sk-|k_live_|k_test_|whsec_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|ya29.|npm_|hf_|SG.|eyJ'.split(
    '|',
  )

const TOKEN = lazyPattern(() => `(?<![A-Za-z0-9_-])(?:${TOKENS})`, 'g')

/** Beginnings of tokens, each with the token's least length. */
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

/** A private key up to its end, or to the end of a text that was cut. */
const KEY_BLOCK =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?/g

/** Masks keys and tokens, which are secret by their own form, wherever they are. */
export function withoutTokens(text: string, mask: string): string {
  const whole = text.includes('-----BEGIN ') ? text.replace(KEY_BLOCK, mask) : text
  return TOKEN_PARTS.some((part) => whole.includes(part))
    ? withoutSplit(whole.replace(TOKEN(), mask).replace(CUT_TOKEN(), mask), mask)
    : whole
}
