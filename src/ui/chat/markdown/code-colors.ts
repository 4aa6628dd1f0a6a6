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
/**
 * Begins with a lookbehind, so that no match is tried from within a word, which takes quadratic time for long words.
 */
const CALL_NAME = String.raw`(?<![\w$])[\w$]+(?=\()`

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
  name: CALL_NAME,
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
  name: String.raw`\$\{?[\w@#?*]+\}?|(?<![\w.-])[\w.-]+(?=:(?:\s|$))|${CALL_NAME}`,
  string: String.raw`"""[^]*?(?:"""|${END})|'''[^]*?(?:'''|${END})|${TEXTS}`,
  number: NUMBER,
}

const DASHES: Family = {
  comment: String.raw`--.*|${BLOCK_COMMENT}`,
  keyword: words(
    `${COMMON} all alter and by create delete desc distinct drop elseif end exists group having index inner insert into join key left limit local nil not on or order outer primary references right select table union unique update values when where`,
  ),
  name: CALL_NAME,
  string: TEXTS,
  number: NUMBER,
}

const STYLE_SHEETS: Family = {
  comment: BLOCK_COMMENT,
  keyword: String.raw`@[\w-]+|!important`,
  name: String.raw`--[\w-]+|(?<![\w-])[\w-]+(?=:\s)`,
  string: TEXTS,
  number: String.raw`#[\da-f]{3,8}\b|(?<![\w-])-?(?:\d+\.)?\d+(?:[a-z]+|%)?`,
}

const MARKUP: Family = {
  comment: String.raw`<!--[^]*?(?:-->|${END})`,
  keyword: String.raw`<[\/!?]?[\w:.-]+|[\/?]?>`,
  name: String.raw`(?<![\w:@.#-])[\w:@.#-]+(?==)`,
  string: String.raw`(?<==\s{0,9})(?:"[^"]*"|'[^']*')`,
  number: String.raw`&#?\w+;`,
}

/** Families by language name. Unknown names count as languages with curly brackets. */
const FAMILIES: readonly (readonly [names: string, family: Family | null])[] = [
  ['|te?xt|plain\\w*|log|output|diff|markdown|md|latex', null],
  ['jsonc?5?|geojson', JSON_TEXT],
  ['x?html?|xml|svg|vue|svelte|astro', MARKUP],
  ['[sp]?css|less|sass', STYLE_SHEETS],
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

/** Characters to lex in one frame. */
const SLICE = 4000
/** Lines to colour above and below those in view. More ranges would slow down each frame of the page. */
const MARGIN = 8

/** Light and dark colours, by kind. Their contrast to the background of code is at least 4.5. */
const COLORS = [
  '#5f6672,#a0a6b1',
  '#8a2c96,#d7a3e8',
  '#1f55b8,#8db8f8',
  '#1b6a35,#8fd0a2',
  '#954108,#eeb07c',
]

/** Styles of the highlights. Forced-colors mode (high contrast) keeps its own colours. */
const STYLES = `@media (forced-colors:none){${KINDS.map(
  (kind, at) =>
    `code::highlight(offstage-${kind}){color:var(--offstage-code-${kind},light-dark(${COLORS[at]}))}`,
).join('')}}`

const blocks = new WeakMap<Element, CodeColors>()
let sheet: CSSStyleSheet | undefined

/** Watches blocks of code. Ranges are removed from blocks out of view, and from blocks that leave the page. */
let observer: IntersectionObserver | undefined

/**
 * Colours code in a chat's shadow root. Text nodes stay as they are. While code grows, only complete lines are
 * coloured.
 */
export function show(code: HTMLElement, isOpen: boolean): void {
  const pre = code.parentElement
  if (!pre) return
  observer ??= new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) blocks.get(target)?.see(isIntersecting)
  })
  let colors = blocks.get(pre)
  if (!colors) {
    const lexer = lexerOf(code.getAttribute('data-language') ?? '')
    if (!lexer) return
    blocks.set(pre, (colors = new CodeColors(code, pre, lexer)))
    observer.observe(pre)
  }
  colors.isOpen = isOpen
  colors.draw()
}

class CodeColors {
  isOpen = true
  readonly #code: HTMLElement
  readonly #pre: HTMLElement
  readonly #lexer: RegExp
  #tokens: Token[] = []
  /** Offset where lexing continues: before `#end` if the last token may continue. */
  #from = 0
  #end = 0
  #isSeen = false
  #isScheduled = false
  #ranges: (readonly [Highlight, StaticRange])[] = []

  constructor(code: HTMLElement, pre: HTMLElement, lexer: RegExp) {
    this.#code = code
    this.#pre = pre
    this.#lexer = lexer
    pre.addEventListener('scroll', () => this.draw(), { passive: true })
  }

  see(isSeen: boolean): void {
    this.#isSeen = isSeen
    if (isSeen) this.draw()
    else this.#clear()
  }

  draw(): void {
    if (this.#isScheduled || !this.#isSeen) return
    this.#isScheduled = true
    requestAnimationFrame(() => {
      this.#isScheduled = false
      if (!this.#isSeen) return
      const isAll = this.#lexSlice()
      this.#paint()
      if (!isAll) this.draw()
    })
  }

  /** Lexes the next slice. True once all available text is lexed. */
  #lexSlice(): boolean {
    const text = this.#code.textContent
    const settled = this.isOpen ? text.lastIndexOf('\n') + 1 : text.length
    if (this.#end >= settled) return true
    const next = text.indexOf('\n', this.#end + SLICE) + 1
    const end = next > 0 && next < settled ? next : settled
    const tokens = lex(this.#lexer, text.slice(0, end), this.#from)
    this.#tokens = [...this.#tokens.filter(({ to }) => to <= this.#from), ...tokens]
    // A token that reaches the end of the text may continue, so it is lexed again when more text arrives.
    const last = tokens.at(-1)
    this.#from = last?.to === end ? last.from : end
    this.#end = end
    return end === settled
  }

  /** Colours the lines in view. */
  #paint(): void {
    const root = this.#code.getRootNode()
    if (!(root instanceof ShadowRoot)) return
    if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(STYLES)
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
    this.#clear()
    const { scrollTop, clientHeight } = this.#pre
    const height = parseFloat(getComputedStyle(this.#pre).lineHeight) || 16
    const texts = textsIn(this.#code)
    const text = this.#code.textContent
    const from = startOf(text, scrollTop / height - MARGIN)
    const to = startOf(text, (scrollTop + clientHeight) / height + MARGIN)
    for (const token of this.#tokens) {
      if (token.to <= from || token.from >= to) continue
      const [startContainer, startOffset] = positionIn(texts, Math.max(from, token.from))
      const [endContainer, endOffset] = positionIn(texts, Math.min(to, token.to))
      const range = new StaticRange({ startContainer, startOffset, endContainer, endOffset })
      const highlight = highlightOf(token.kind)
      highlight.add(range)
      this.#ranges.push([highlight, range])
    }
  }

  #clear(): void {
    for (const [highlight, range] of this.#ranges) highlight.delete(range)
    this.#ranges = []
  }
}

/** Returns the offset of a line's start, or the text's length if it has fewer lines. */
function startOf(text: string, line: number): number {
  let start = 0
  for (let at = 1; at < line; at += 1) {
    const end = text.indexOf('\n', start)
    if (end < 0) return text.length
    start = end + 1
  }
  return start
}

/** Returns the text nodes of a block. Long code is split into elements with one text node each. */
function textsIn({ childNodes }: HTMLElement): readonly Text[] {
  return [...childNodes].map((node) => (node.firstChild ?? node) as Text)
}

/** Converts an offset in the whole text to a node and an offset in it. */
function positionIn([text, ...texts]: readonly Text[], offset: number): [Node, number] {
  return !text || offset <= text.length || texts.length === 0
    ? [text as Node, offset]
    : positionIn(texts, offset - text.length)
}

/** Returns the highlight for a kind. All blocks of a document share it. */
function highlightOf(kind: number): Highlight {
  const name = `offstage-${KINDS[kind]}`
  const highlight = CSS.highlights.get(name) ?? new Highlight()
  CSS.highlights.set(name, highlight)
  return highlight
}
