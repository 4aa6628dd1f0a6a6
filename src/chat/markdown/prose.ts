import { append, type Drawing } from './elements.ts'
import { parseInline } from './inline.ts'
import type { Leaf } from './leaf.ts'

/** Growing text of a paragraph, heading or list item. Text that can't change any more is parsed and drawn once. */
export class Prose implements Leaf {
  /** True if the text is directly in a list item, without a paragraph. */
  readonly #isItem: boolean
  readonly #element: Element
  readonly #drawing: Drawing
  /** Source already drawn for good, except for its last character, which `#source` keeps as context. */
  #settled = ''
  #source = ''
  /** Offset in `#source` of the text that isn't settled. */
  #from = 0
  #isDrawn = true
  /** The last node of the settled text; `#length` is the length of its settled part. */
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
    // The parser needs the previous character, for example to see whether a `_` is inside a word.
    this.#from = Math.min(1, end)
    this.#settled += this.#source.slice(0, end - this.#from)
    this.#source = this.#source.slice(end - this.#from)
    append(this.#element, settled)
    this.#last = this.#element.lastChild
    this.#length = this.#last instanceof Text ? this.#last.length : 0
    append(this.#element, rest)
  }

  /** Returns the last line. A delimiter row below it would make it the head of a table. */
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
