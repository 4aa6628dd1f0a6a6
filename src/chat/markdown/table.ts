import { type Drawing, make } from './elements.ts'
import { parseInline } from './inline.ts'
import type { Leaf } from './leaf.ts'

/** Most characters of a growing row that is drawn while it streams. Each draw parses the whole row again. */
const MOST_OF_ROW = 4000

/** A table. The first row is the head. */
export class Table implements Leaf {
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
export function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .matchAll(/((?:\\.|[^|])*)(?:\||$)/g)
  return [...cells].slice(0, -1).map(([, cell = '']) => cell.trim().replaceAll('\\|', '|'))
}
