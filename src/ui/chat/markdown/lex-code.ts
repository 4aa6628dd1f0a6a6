/** Kinds of tokens, in the order in which the lexer tries them. */
export const KINDS = ['comment', 'keyword', 'name', 'string', 'number'] as const

export interface Token {
  /** Index of `KINDS`. */
  readonly kind: number
  readonly from: number
  readonly to: number
}

/** Regular expressions by kind. */
type Family = Partial<Readonly<Record<(typeof KINDS)[number], string>>>

const NEVER = '(?!)'
/** End of the text. Also ends unclosed comments and strings, whose rest may still arrive. */
const END = '(?![^])'
const BLOCK_COMMENT = String.raw`\/\*[^]*?(?:\*\/|${END})`
const TEXTS = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
const NUMBER = String.raw`(?<![\w.])(?:0[xob][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)[a-z]{0,3}\b`
const CALLED = String.raw`[\w$]+(?=\()`

function words(text: string): string {
  return String.raw`(?<![.\w$-])(?:${text.replaceAll(' ', '|')})(?![\w$-])`
}

const COMMON =
  'as async await break case class continue default do else false for from function if import in is null return self set then true try while with yield'

const CURLY: Family = {
  comment: String.raw`\/\/.*|${BLOCK_COMMENT}`,
  keyword: words(
    `${COMMON} bool catch char const delete double enum export extends final finally float fn func impl implements instanceof int interface let match mut namespace new nil override package private protected pub public readonly static string struct super switch this throw trait type typeof undefined use using val var void`,
  ),
  name: CALLED,
  string: String.raw`${TEXTS}|\x60(?:\\[^]|[^\x60\\])*(?:\x60|${END})`,
  number: NUMBER,
}

const JSON_TEXT: Family = {
  ...CURLY,
  keyword: words('true false null'),
  name: String.raw`"(?:\\.|[^"\\\n])*"(?=[ \t]*:)`,
}

const HASH: Family = {
  comment: String.raw`(?<!\S)#.*`,
  keyword: words(
    `${COMMON} and def del done elif end esac except export False fi finally lambda local module nil None not or pass raise require rescue True unless until when`,
  ),
  name: String.raw`\$\{?[\w@#?*]+\}?|[\w.-]+(?=:(?:\s|$))|${CALLED}`,
  string: String.raw`"""[^]*?(?:"""|${END})|'''[^]*?(?:'''|${END})|${TEXTS}`,
  number: NUMBER,
}

const DASHES: Family = {
  comment: String.raw`--.*|${BLOCK_COMMENT}`,
  keyword: words(
    `${COMMON} all alter and by create delete desc distinct drop elseif end exists group having index inner insert into join key left limit local nil not on or order outer primary references right select table union unique update values when where`,
  ),
  name: CALLED,
  string: TEXTS,
  number: NUMBER,
}

const STYLES: Family = {
  comment: BLOCK_COMMENT,
  keyword: String.raw`@[\w-]+|!important`,
  name: String.raw`--[\w-]+|[\w-]+(?=:\s)`,
  string: TEXTS,
  number: String.raw`#[\da-f]{3,8}\b|(?<![\w-])-?(?:\d+\.)?\d+(?:[a-z]+|%)?`,
}

const MARKUP: Family = {
  comment: String.raw`<!--[^]*?(?:-->|${END})`,
  keyword: String.raw`<[\/!?]?[\w:.-]+|[\/?]?>`,
  name: String.raw`[\w:@.#-]+(?==)`,
  string: String.raw`(?<==\s*)(?:"[^"]*"|'[^']*')`,
  number: String.raw`&#?\w+;`,
}

/** Families by language name. Unknown names count as languages with curly brackets. */
const FAMILIES: readonly (readonly [names: string, family: Family | null])[] = [
  ['|te?xt|plain\\w*|log|output|diff|markdown|md|latex', null],
  ['jsonc?5?|geojson', JSON_TEXT],
  ['x?html?|xml|svg|vue|svelte|astro', MARKUP],
  ['[sp]?css|less|sass', STYLES],
  ['\\w*sql|lua|haskell|elm', DASHES],
  [
    'py(?:thon)?|rb|ruby|\\w*sh|shell|console|ya?ml|toml|ini|conf|env|dockerfile|make\\w*|perl|r|elixir|julia|graphql',
    HASH,
  ],
]

/** Returns a regular expression with one group for each kind, or null if the language isn't coloured. */
export function lexerOf(language: string): RegExp | null {
  const name = language.toLowerCase()
  const found = FAMILIES.find(([names]) => new RegExp(`^(?:${names})$`).test(name))
  const family = found ? found[1] : CURLY
  if (!family) return null
  const groups = KINDS.map((kind) => `(${family[kind] ?? NEVER})`)
  return new RegExp(groups.join('|'), family === CURLY || family === HASH ? 'gm' : 'gim')
}

/** Returns the tokens from `start` on. An unclosed token extends to the end of the text. Pure. */
export function lex(lexer: RegExp, text: string, start = 0): Token[] {
  lexer.lastIndex = start
  const tokens: Token[] = []
  for (let found = lexer.exec(text); found; found = lexer.exec(text)) {
    const { index, [0]: whole } = found
    tokens.push({ kind: found.indexOf(whole, 1) - 1, from: index, to: index + whole.length })
  }
  return tokens
}
