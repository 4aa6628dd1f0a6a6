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

const TOKEN = new RegExp(`(?<![A-Za-z0-9_-])(?:${TOKENS})`, 'g')

/** Up to its end, or to that of the text: a long one is cut. */
const KEY_BLOCK =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?/g

const PHRASE_LABEL =
  /(?:recovery|seed|secret|backup|mnemonic)[ -](?:phrase|words)|wiederherstellungsphrase|phrase de récupération|frase (?:de recuperación|semilla)|助记词|助記詞|シードフレーズ|сид-фраза/giu
/** How far behind its label a phrase begins. Characters. */
const PHRASE_REACH = 200
const GAP = '(?:[ ,;|]{1,3}|\\s*\\n\\s*- (?:[a-z]+(?: \\[[^\\]\\n]*\\])*: ?)?)'
const WORD = '(?:\\d{1,2}[.:)]? ?)?[a-z]{3,8}'
/** Twelve to twenty-four short words, numbered or not, in a row or one on each line. */
const PHRASE = new RegExp(`(?<![A-Za-z])(?:${WORD}${GAP}){11,23}${WORD}(?![A-Za-z])`)

/** Without what is secret by its own form, wherever it stands: keys, tokens, phrases behind what names them. */
export function withoutTokens(text: string, mask: string): string {
  const clean = text.replace(KEY_BLOCK, mask).replace(TOKEN, mask)
  for (const { index, 0: label } of clean.matchAll(PHRASE_LABEL)) {
    const start = index + label.length
    const phrase = PHRASE.exec(clean.slice(start))
    if (!phrase || phrase.index > PHRASE_REACH) continue
    const [begin, end] = [start + phrase.index, start + phrase.index + phrase[0].length]
    return clean.slice(0, begin) + mask + withoutTokens(clean.slice(end), mask)
  }
  return clean
}
