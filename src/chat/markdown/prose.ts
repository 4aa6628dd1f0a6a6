import { append, type Drawing } from './elements.ts'
import { parseInline } from './inline.ts'
import type { Leaf } from './leaf.ts'

/** The text of a paragraph, heading or cell, as it grows. What can change no more is parsed and drawn once. */
export class Prose implements Leaf {
  /** A list item holds its first text itself. */
  readonly #isItem: boolean
  readonly #element: Element
  readonly #drawing: Drawing
  /** Source that later characters can't change, but for its last one. */
  #settled = ''
  #source = ''
  /** Where the source begins that is not settled. */
  #from = 0
  #isDrawn = true
  /** The last node that stays, and the length of its text. */
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
    // The character before what is read next may matter to it.
    this.#from = Math.min(1, end)
    this.#settled += this.#source.slice(0, end - this.#from)
    this.#source = this.#source.slice(end - this.#from)
    append(this.#element, settled)
    this.#last = this.#element.lastChild
    this.#length = this.#last instanceof Text ? this.#last.length : 0
    append(this.#element, rest)
  }

  /** The last line, which may turn out to be the head of a table. */
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
