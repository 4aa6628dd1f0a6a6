import { KINDS, lex, lexerOf, type Token } from './lex-code.ts'

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
let watch: IntersectionObserver | undefined

/** Colours code in a chat's shadow root. Text nodes stay as they are. While code grows, only complete lines are coloured. */
export function show(code: HTMLElement, isOpen: boolean): void {
  const pre = code.parentElement
  if (!pre) return
  watch ??= new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) blocks.get(target)?.see(isIntersecting)
  })
  let colors = blocks.get(pre)
  if (!colors) {
    const lexer = lexerOf(code.getAttribute('data-language') ?? '')
    if (!lexer) return
    blocks.set(pre, (colors = new CodeColors(code, pre, lexer)))
    watch.observe(pre)
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
  /** Offset where lexing continues. Before `#end` if the last token was still open. */
  #from = 0
  #end = 0
  #isSeen = false
  #isDue = false
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
    if (this.#isDue || !this.#isSeen) return
    this.#isDue = true
    requestAnimationFrame(() => {
      this.#isDue = false
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
    // A token that reaches the end may continue: it is lexed again with the next text.
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
      const [startContainer, startOffset] = placeIn(texts, Math.max(from, token.from))
      const [endContainer, endOffset] = placeIn(texts, Math.min(to, token.to))
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
function placeIn([text, ...texts]: readonly Text[], offset: number): [Node, number] {
  return !text || offset <= text.length || texts.length === 0
    ? [text as Node, offset]
    : placeIn(texts, offset - text.length)
}

/** Returns the highlight for a kind. All blocks of a document share it. */
function highlightOf(kind: number): Highlight {
  const name = `offstage-${KINDS[kind]}`
  const highlight = CSS.highlights.get(name) ?? new Highlight()
  CSS.highlights.set(name, highlight)
  return highlight
}
