import type { MarkdownOptions } from '../context.ts'
import type { Words } from '../words/words.ts'
import { append, codeBlock, type Drawing, highlight, make, math } from './elements.ts'
import { parseInline } from './inline.ts'

/** A model's text, with the options to show it. */
export interface MarkdownText {
  readonly text: string
  /** True once the text is complete. */
  readonly isWhole: boolean
  readonly options: MarkdownOptions
  /** Labels of the buttons. */
  readonly words: Pick<Words, 'copied' | 'copyCode' | 'image' | 'task'>
}

/**
 * Draws a model's Markdown in an element as it streams. Finished text is never parsed or drawn again. HTML is shown as
 * text. Links can be http, https or mailto, and show their host. Pictures load only when clicked, or if their origin is
 * in `imageOrigins`.
 */
export class ShownMarkdown {
  readonly #element: Element
  #shown = ''
  #isWhole = false
  #blocks: Blocks | null = null

  constructor(element: Element) {
    this.#element = element
  }

  /** Draws only the new part if the text continues the previous one; otherwise draws all of it. */
  update({ text, isWhole, options, words }: MarkdownText): void {
    if (this.#blocks && text === this.#shown && isWhole === this.#isWhole) return
    const isContinued = !this.#isWhole && text.startsWith(this.#shown)
    if (!isContinued || !this.#blocks) {
      this.#element.replaceChildren()
      this.#blocks = new Blocks(this.#element, { options, words })
      this.#shown = ''
    }
    this.#blocks.write(text.slice(this.#shown.length))
    this.#blocks.draw(!isWhole)
    this.#shown = text
    this.#isWhole = isWhole
  }
}

/** A quotation or a list item: holds other blocks. */
interface Box {
  readonly element: Element
  /** Set only for items: the list, the marker's character, and the spaces before the item's content. */
  readonly list?: Element
  readonly marker?: string
  readonly indent?: number
  isEmpty: boolean
}

/** Maximum nesting of boxes. Marks of deeper boxes are text. */
const MOST_BOXES = 6
/** Maximum blocks in one element: layout time grows with their number, finished blocks included. */
const BLOCKS_OF_PART = 32

/** Matches the beginning of a line that more characters could turn into another block. */
const UNDECIDED = /^(?:[\s>*+\-_|:#\d.)`~$\\[\]]*|[\s>*+\-\d.)]*(?:`{3,}[^`]*|~{3}.*))$/
const QUOTE = /^ {0,3}> ?/
const HEADING = /^ *(#{1,6})(?:\s+|$)/
const FENCE = /^ *(`{3,}(?=[^`]*$)|~{3,})(.*)$/
const MATH_FENCE = /^ *(\$\$|\\\[)\s*$/
const RULE = /^ *([-*_])(?:\s*\1){2,}\s*$/
const ITEM = /^ *([-+*]|\d{1,9}[.)])(?=\s|$)/

/** Draws Markdown line by line. A line's first characters decide its kind of block, which never changes. */
class Blocks {
  readonly #drawing: Drawing
  readonly #root: Element
  /** Parent of new blocks: the root, or the root's newest part once it has many blocks. */
  #container: Element
  #boxes: Box[] = []
  #leaf: Leaf | null = null
  /** Characters of the line while its kind of block is undecided; null once decided. */
  #line: string | null = ''

  constructor(root: Element, drawing: Drawing) {
    this.#root = root
    this.#container = root
    this.#drawing = drawing
  }

  /** Takes the next part of the text, of any length. */
  write(text: string): void {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#endLine()
      if (this.#line === null) this.#leaf?.write(part)
      else {
        this.#line += part
        if (!UNDECIDED.test(this.#line)) this.#decide(this.#line)
      }
    }
  }

  /** `isOpen`: more text may follow. */
  draw(isOpen: boolean): void {
    if (!isOpen && this.#line) this.#decide(this.#line)
    this.#leaf?.draw(isOpen)
  }

  #endLine(): void {
    if (this.#line !== null) this.#decide(this.#line)
    this.#line = ''
  }

  #decide(line: string): void {
    this.#line = null
    let rest = withoutTabs(line)
    let depth = 0
    for (const box of this.#boxes) {
      const inner = contentIn(box, rest)
      if (inner === null) break
      rest = inner
      depth += 1
    }
    const isInside = depth === this.#boxes.length
    if (isInside && this.#leaf instanceof Verbatim) {
      // Keeps tabs in fenced code.
      if (this.#leaf.line(depth === 0 && !this.#leaf.isIndented ? line : rest)) {
        if (this.#leaf.isClosed) this.#closeLeaf()
        return
      }
      this.#closeLeaf()
    }
    let paragraph = this.#leaf instanceof Prose && this.#leaf.isParagraph ? this.#leaf : null
    const isInterrupting = isInside && paragraph !== null
    while (!isBlank(rest)) {
      if (indentOf(rest) >= 4) {
        if (paragraph) break
        return this.#openCode(rest, depth)
      }
      if (this.#openLeaf(rest, depth)) return
      const inner = this.#openBox(rest, depth, isInterrupting)
      if (inner === null && isInterrupting && paragraph && this.#openTable(rest, paragraph)) return
      if (inner === null) break
      rest = inner
      depth += 1
      paragraph = null
    }
    if (isBlank(rest)) this.#closeTo(depth)
    else if (paragraph) paragraph.line(rest)
    else if (depth < this.#boxes.length || !this.#leaf?.line(rest)) this.#openParagraph(rest, depth)
  }

  #openCode(line: string, depth: number): void {
    this.#closeTo(depth)
    const [block, code] = codeBlock('', this.#drawing)
    this.#append(block)
    this.#leaf = new Verbatim(code, { indent: 4 })
    this.#leaf.line(line)
  }

  #openParagraph(line: string, depth: number): void {
    this.#closeTo(depth)
    const box = this.#boxes.at(-1)
    // Puts an item's first text into the item itself, without a paragraph.
    const isItem = box?.list && box.isEmpty
    const element = isItem ? box.element : make('p')
    if (isItem) box.isEmpty = false
    else this.#append(element)
    this.#leaf = new Prose(element, this.#drawing)
    this.#leaf.line(line)
  }

  /** Opens a block that holds no others. Returns false if the line begins none. */
  #openLeaf(line: string, depth: number): boolean {
    const heading = HEADING.exec(line)
    const fence = FENCE.exec(line) ?? MATH_FENCE.exec(line)
    if (!heading && !fence && !RULE.test(line)) return false
    this.#closeTo(depth)
    if (heading) {
      // Lowers headings below the page's own.
      const element = this.#append(make(`h${Math.min(6, (heading[1]?.length ?? 0) + 2)}`))
      this.#leaf = new Prose(element, this.#drawing)
      this.#leaf.write(line.slice(heading[0].length))
    } else if (fence) this.#openFence(indentOf(line), fence)
    else this.#append(make('hr'))
    return true
  }

  #openFence(indent: number, [, mark = '', info]: RegExpExecArray): void {
    const drawing = this.#drawing
    const isMath = info === undefined
    const end = isMath ? (mark === '$$' ? '\\$\\$' : '\\\\]') : `${mark}${mark[0]}*`
    const closing = new RegExp(`^ {0,3}${end}\\s*$`)
    let [block, code] = codeBlock(info ?? '', drawing)
    if (isMath) block = code = make('p', 'math')
    this.#append(block)
    const onDraw = (isOpen: boolean, isClosed: boolean): void => {
      if (!isMath) highlight(code, drawing, isOpen)
      else if (!isOpen && isClosed) math(code, code.textContent ?? '', drawing)
    }
    this.#leaf = new Verbatim(code, { closing, indent, mark: isMath ? mark : '', onDraw })
  }

  /** Whether this line turns the paragraph's last line into the head of a table. */
  #openTable(line: string, paragraph: Prose): boolean {
    const dashes = cellsOf(line)
    const isTable = /[|:]/.test(line) && dashes.every((cell) => /^:?-+:?$/.test(cell))
    const head = isTable ? paragraph.lastLine() : ''
    if (dashes.length === 0 || dashes.length !== cellsOf(head).length) return false
    paragraph.dropLastLine()
    this.#closeLeaf()
    const table = make('table')
    const scroller = make('div', 'table', table)
    scroller.tabIndex = 0
    this.#append(scroller)
    this.#leaf = new Table(table, this.#drawing, dashes)
    this.#leaf.line(head)
    return true
  }

  /** Opens a quotation or an item, and returns the rest of the line; null if the line begins neither. */
  #openBox(line: string, depth: number, isInterrupting: boolean): string | null {
    if (depth >= MOST_BOXES) return null
    const quote = QUOTE.exec(line)
    if (quote) {
      this.#closeTo(depth)
      this.#boxes.push({ element: this.#append(make('blockquote')), isEmpty: true })
      return line.slice(quote[0].length)
    }
    const found = ITEM.exec(line)
    if (!found) return null
    const [start, mark = ''] = found
    const after = line.slice(start.length)
    // A number or dash within a paragraph is part of a sentence, not of a list.
    if (isInterrupting && (isBlank(after) || !/^(?:\D|1\D)$/.test(mark))) return null
    const spaces = isBlank(after) || indentOf(after) > 4 ? 1 : indentOf(after)
    const marker = mark.at(-1) ?? ''
    const sibling = this.#boxes[depth]
    this.#closeTo(depth)
    const isNext = sibling?.list && sibling.marker === marker
    const list = isNext ? sibling.list : this.#append(listOf(parseInt(mark, 10)))
    const element = make('li')
    list.append(element)
    this.#boxes.push({ element, list, marker, indent: start.length + spaces, isEmpty: true })
    return after.slice(spaces)
  }

  #append<Block extends Element>(block: Block): Block {
    const box = this.#boxes.at(-1)
    if (box) box.isEmpty = false
    else if (this.#container.childElementCount >= BLOCKS_OF_PART) {
      this.#container = make('div', 'part')
      this.#root.append(this.#container)
    }
    const parent = box?.element ?? this.#container
    parent.append(block)
    return block
  }

  #closeTo(depth: number): void {
    this.#closeLeaf()
    this.#boxes.length = depth
  }

  #closeLeaf(): void {
    this.#leaf?.draw(false)
    this.#leaf = null
  }
}

/** Returns the line's content within a box; null if the line is outside of it. */
function contentIn({ indent, isEmpty }: Box, line: string): string | null {
  if (indent === undefined) return QUOTE.test(line) ? line.replace(QUOTE, '') : null
  const isIn = isBlank(line) ? !isEmpty : indentOf(line) >= indent
  return isIn ? line.slice(indent) : null
}

function listOf(start: number): HTMLElement {
  const list = make(start >= 0 ? 'ol' : 'ul')
  if (start >= 0 && start !== 1) list.setAttribute('start', `${start}`)
  return list
}

/** Replaces tabs among the marks at the start of a line with spaces. */
function withoutTabs(line: string): string {
  const [marks = ''] = /^[ >*+\-\d.)\t]*\t/.exec(line) ?? []
  let spaced = ''
  for (const mark of marks) spaced += mark === '\t' ? ' '.repeat(4 - (spaced.length % 4)) : mark
  return spaced + line.slice(marks.length)
}

/** Maximum characters of a table row that is drawn while it grows. Each drawing parses the whole row again. */
const MOST_OF_ROW = 4000

/** A table. The first row is the head. */
class Table implements Leaf {
  readonly #element: Element
  readonly #drawing: Drawing
  /** Cells of the delimiter row below the head, such as `:---:`. */
  readonly #dashes: readonly string[]
  #row = make('tr')
  #source = ''

  constructor(element: Element, drawing: Drawing, dashes: readonly string[]) {
    this.#element = element
    this.#drawing = drawing
    this.#dashes = dashes
  }

  line(text: string): boolean {
    this.draw(false)
    this.#row = make('tr')
    this.#element.append(this.#row)
    this.#source = text
    return true
  }

  write(text: string): void {
    this.#source += text
  }

  draw(isOpen: boolean): void {
    if (isOpen && this.#source.length > MOST_OF_ROW) return
    const tag = this.#row.previousElementSibling ? 'td' : 'th'
    const cells = cellsOf(this.#source).map((text, at, all) => {
      const options = { from: 0, isOpen: isOpen && at === all.length - 1, isItem: false }
      const { settled, rest } = parseInline(text, options, this.#drawing)
      return make(tag, '', ...settled, ...rest)
    })
    this.#row.replaceChildren(...cells)
    if (!isOpen)
      import('./align-columns.ts').then(
        ({ alignColumns }) => alignColumns(this.#element, this.#dashes),
        // If the code can't be loaded, columns stay unaligned.
        () => {},
      )
  }
}

/** Splits a line into the texts of its cells. */
function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .matchAll(/((?:\\.|[^|])*)(?:\||$)/g)
  return [...cells].slice(0, -1).map(([, cell = '']) => cell.trim().replaceAll('\\|', '|'))
}

/**
 * Growing text of a paragraph, heading or list item. Parts that later text can't change are parsed and drawn only once.
 */
class Prose implements Leaf {
  /** True if the text is directly in a list item, without a paragraph. */
  readonly #isItem: boolean
  readonly #element: Element
  readonly #drawing: Drawing
  /** Source that is drawn and can't change, except for its last character, which `#source` keeps as context. */
  #settled = ''
  #source = ''
  /** Offset in `#source` at which the text begins that may still change. */
  #from = 0
  #isDrawn = true
  /** The last node of the unchangeable text. `#length` counts the node's unchangeable characters. */
  #last: Node | null = null
  #length = 0

  constructor(element: Element, drawing: Drawing) {
    this.#element = element
    this.#drawing = drawing
    this.#isItem = element.tagName === 'LI'
  }

  get isParagraph(): boolean {
    return this.#isItem || this.#element.tagName === 'P'
  }

  write(text: string): void {
    this.#source += text
    this.#isDrawn = false
  }

  line(text: string): boolean {
    if (this.isParagraph) this.write(`${this.#source && '\n'}${text.trimStart()}`)
    return this.isParagraph
  }

  draw(isOpen: boolean): void {
    if (isOpen && this.#isDrawn) return
    this.#isDrawn = true
    this.#clear()
    const options = { from: this.#from, isOpen, isItem: this.#isItem }
    const { settled, end, rest } = parseInline(this.#source, options, this.#drawing)
    // Keeps the previous character for the parser, for example to see whether a `_` is inside a word.
    this.#from = Math.min(1, end)
    this.#settled += this.#source.slice(0, end - this.#from)
    this.#source = this.#source.slice(end - this.#from)
    append(this.#element, settled)
    this.#last = this.#element.lastChild
    this.#length = this.#last instanceof Text ? this.#last.length : 0
    append(this.#element, rest)
  }

  /** Returns the last line, which a delimiter row would turn into a table head. */
  lastLine(): string {
    return this.#lines().at(-1) ?? ''
  }

  dropLastLine(): void {
    this.#source = this.#lines().slice(0, -1).join('\n')
    this.#settled = ''
    this.#from = 0
    this.#last = null
    this.#isDrawn = false
    if (this.#source === '' && !this.#isItem) this.#element.remove()
  }

  #lines(): string[] {
    return `${this.#settled}${this.#source}`.split('\n')
  }

  #clear(): void {
    const { lastChild } = this.#element
    for (let node = lastChild; node && node !== this.#last; node = this.#element.lastChild)
      node.remove()
    if (this.#last instanceof Text) this.#last.deleteData(this.#length, this.#last.length)
  }
}

/** Characters in one box. Layout slows down with more text, so later lines get a box of their own. */
const MOST_OF_PART = 4000

/** Code or mathematics: keeps its lines unchanged. */
class Verbatim implements Leaf {
  readonly #block: Element
  /** The block, or its newest part. */
  #element: Element
  readonly #options: VerbatimOptions
  /** Text of the block that isn't drawn yet. */
  #text = ''
  /** Characters of the newest part. */
  #size = 0
  #isBegun = false
  isClosed = false

  constructor(element: Element, options: VerbatimOptions) {
    this.#block = this.#element = element
    this.#options = options
    if (options.mark) this.#add(options.mark)
  }

  get isIndented(): boolean {
    return !this.#options.closing
  }

  write(text: string): void {
    this.#text += text
    this.#size += text.length
  }

  line(text: string): boolean {
    const { closing, indent, mark } = this.#options
    this.isClosed = closing?.test(text) ?? false
    const spaces = indentOf(text)
    if (this.isClosed) {
      if (mark) this.#add(text.trim())
      return true
    }
    if (!closing && spaces < indent && !isBlank(text)) return false
    this.#add(text.slice(Math.min(spaces, indent)))
    return true
  }

  draw(isOpen: boolean): void {
    append(this.#element, [this.#text])
    this.#text = ''
    this.#options.onDraw?.(isOpen, this.isClosed)
  }

  #add(line: string): void {
    if (this.#isBegun) this.write('\n')
    if (this.#size > MOST_OF_PART) this.#beginPart()
    this.write(line)
    this.#isBegun = true
  }

  #beginPart(): void {
    append(this.#element, [this.#text])
    this.#text = ''
    this.#size = 0
    this.#block.append((this.#element = make('span', 'lines')))
  }
}

interface VerbatimOptions {
  /** Matches the closing line. If missing, the block ends before the first line that is indented less. */
  readonly closing?: RegExp
  /** Spaces to strip from the start of each line. */
  readonly indent: number
  /** The opening mark, if the block shows it. */
  readonly mark?: string
  /** Called after each drawing. `isOpen`: more text may follow. */
  readonly onDraw?: (isOpen: boolean, isClosed: boolean) => void
}

function indentOf(line: string): number {
  return line.search(/[^ ]|$/)
}

function isBlank(line: string): boolean {
  return line.trim() === ''
}

/** The open block, which takes the text that arrives. */
interface Leaf {
  /** Adds text to the current line. */
  write(text: string): void
  /** Starts another line, which `write` may extend. False if the line isn't part of this block. */
  line(text: string): boolean
  /** `isOpen`: more text may follow. */
  draw(isOpen: boolean): void
}
