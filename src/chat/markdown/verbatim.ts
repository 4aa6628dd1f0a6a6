import { append, make } from './elements.ts'
import type { Leaf } from './leaf.ts'

/** Characters in one box. Layout slows down with more text, so later lines get a box of their own. */
const MOST_OF_PART = 4000

/** Code or mathematics: keeps its lines unchanged. */
export class Verbatim implements Leaf {
  readonly #block: Element
  /** The block, or its newest part. */
  #element: Element
  readonly #options: VerbatimOptions
  /** Text that is not drawn yet. */
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
    this.#options.drawn?.(isOpen, this.isClosed)
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

export interface VerbatimOptions {
  /** Matches the closing line. Without it, the block ends before a line with fewer spaces. */
  readonly closing?: RegExp
  /** Spaces to strip from the start of each line. */
  readonly indent: number
  /** The opening mark, if it is shown, too. */
  readonly mark?: string
  /** Called after each drawing. `isOpen`: more text may follow. */
  readonly drawn?: (isOpen: boolean, isClosed: boolean) => void
}

export function indentOf(line: string): number {
  return line.search(/[^ ]|$/)
}

export function isBlank(line: string): boolean {
  return line.trim() === ''
}
