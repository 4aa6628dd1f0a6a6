import { append } from './elements.ts'
import type { Leaf } from './leaf.ts'

/** Code or mathematics: lines as they are. */
export class Verbatim implements Leaf {
  readonly #element: Element
  readonly #options: VerbatimOptions
  /** Not drawn yet. */
  #text = ''
  #isBegun = false
  isClosed = false

  constructor(element: Element, options: VerbatimOptions) {
    this.#element = element
    this.#options = options
    if (options.mark) this.#add(options.mark)
  }

  get isIndented(): boolean {
    return !this.#options.closing
  }

  write(text: string): void {
    this.#text += text
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
    if (!isOpen) this.#options.finish?.(this.isClosed)
  }

  #add(line: string): void {
    this.write(`${this.#isBegun ? '\n' : ''}${line}`)
    this.#isBegun = true
  }
}

export interface VerbatimOptions {
  /** The line that closes it. Without: it ends before a line with fewer spaces. */
  readonly closing?: RegExp
  /** Spaces at the start of a line that are no part of it. */
  readonly indent: number
  /** What it was opened with, where that is shown, too. */
  readonly mark?: string
  /** Called once all of it is drawn. */
  readonly finish?: (isClosed: boolean) => void
}

export function indentOf(line: string): number {
  return line.search(/[^ ]|$/)
}

export function isBlank(line: string): boolean {
  return line.trim() === ''
}
