import { codeBlock, type Drawing, highlight, make, math } from './elements.ts'
import type { Leaf } from './leaf.ts'
import { Prose } from './prose.ts'
import { cellsOf, Table } from './table.ts'
import { indentOf, isBlank, Verbatim } from './verbatim.ts'

/** A quotation or a list item: holds other blocks. */
interface Box {
  readonly element: Element
  /** Set only for items: the list, the marker's character, and the spaces before the item's content. */
  readonly list?: Element
  readonly marker?: string
  readonly indent?: number
  isEmpty: boolean
}

/** Maximum nesting of boxes. Marks of deeper ones are text. */
const MOST_BOXES = 6
/** Maximum blocks in one element: layout takes longer the more there are, finished ones included. */
const BLOCKS_OF_PART = 32

/** Matches the beginning of a line that more characters could turn into another block. */
const UNDECIDED = /^(?:[\s>*+\-_|:#\d.)`~$\\[\]]*|[\s>*+\-\d.)]*(?:`{3,}[^`]*|~{3}.*))$/
const QUOTE = /^ {0,3}> ?/
const HEADING = /^ *(#{1,6})(?:\s+|$)/
const FENCE = /^ *(`{3,}(?=[^`]*$)|~{3,})(.*)$/
const MATH_FENCE = /^ *(\$\$|\\\[)\s*$/
const RULE = /^ *([-*_])(?:\s*\1){2,}\s*$/
const ITEM = /^ *([-+*]|\d{1,9}[.)])(?=\s|$)/

/** Draws Markdown line by line. A line's first characters decide its block, and what is drawn stays there. */
export class Blocks {
  readonly #drawing: Drawing
  readonly #root: Element
  /** Parent of new blocks: the root, or a part of it once the root has many. */
  #place: Element
  #boxes: Box[] = []
  #leaf: Leaf | null = null
  /** Beginning of an undecided line; null: decided, and the rest of the line follows. */
  #line: string | null = ''

  constructor(root: Element, drawing: Drawing) {
    this.#root = root
    this.#place = root
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
      const inner = within(box, rest)
      if (inner === null) break
      rest = inner
      depth += 1
    }
    const isInside = depth === this.#boxes.length
    if (isInside && this.#leaf instanceof Verbatim) {
      // Fenced code keeps its tabs.
      if (this.#leaf.line(depth === 0 && !this.#leaf.isIndented ? line : rest)) {
        if (this.#leaf.isClosed) this.#closeLeaf()
        return
      }
      this.#closeLeaf()
    }
    let paragraph = this.#leaf instanceof Prose && this.#leaf.isParagraph ? this.#leaf : null
    const interrupts = isInside && paragraph !== null
    while (!isBlank(rest)) {
      if (indentOf(rest) >= 4) {
        if (paragraph) break
        return this.#openCode(rest, depth)
      }
      if (this.#openLeaf(rest, depth)) return
      const inner = this.#openBox(rest, depth, interrupts)
      if (inner === null && interrupts && paragraph && this.#openTable(rest, paragraph)) return
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
    // The first text of an item goes into the item itself.
    const isItem = box?.list && box.isEmpty
    const element = isItem ? box.element : make('p')
    if (isItem) box.isEmpty = false
    else this.#append(element)
    this.#leaf = new Prose(element, this.#drawing)
    this.#leaf.line(line)
  }

  /** Whether the line begins a block that holds no others. */
  #openLeaf(line: string, depth: number): boolean {
    const heading = HEADING.exec(line)
    const fence = FENCE.exec(line) ?? MATH_FENCE.exec(line)
    if (!heading && !fence && !RULE.test(line)) return false
    this.#closeTo(depth)
    if (heading) {
      // The page has headings of its own, above these.
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
    const drawn = (isOpen: boolean, isClosed: boolean): void => {
      if (!isMath) highlight(code, drawing, isOpen)
      else if (!isOpen && isClosed) math(code, code.textContent ?? '', drawing)
    }
    this.#leaf = new Verbatim(code, { closing, indent, mark: isMath ? mark : '', drawn })
  }

  /** Whether the line turns the paragraph's last line into a table. */
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
  #openBox(line: string, depth: number, interrupts: boolean): string | null {
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
    // A sentence that continues with a number or a dash is no list.
    if (interrupts && (isBlank(after) || !/^(?:\D|1\D)$/.test(mark))) return null
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
    else if (this.#place.childElementCount >= BLOCKS_OF_PART) {
      this.#place = make('div', 'part')
      this.#root.append(this.#place)
    }
    const parent = box?.element ?? this.#place
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
function within({ indent, isEmpty }: Box, line: string): string | null {
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
  const found = /^([ >*+\-\d.)]*)\t/.exec(line)
  if (!found) return line
  const { length } = found[1] ?? ''
  return withoutTabs(line.replace('\t', ' '.repeat(4 - (length % 4))))
}
