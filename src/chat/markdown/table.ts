import { type Drawing, make } from './elements.ts'
import { parseInline } from './inline.ts'
import type { Leaf } from './leaf.ts'

/** A row that grows is drawn as it comes, up to this length: it is parsed from its start each time. */
const MOST_OF_ROW = 4000

/** Rows of cells. The first one is the head. */
export class Table implements Leaf {
  readonly #element: Element
  readonly #drawing: Drawing
  /** The cells of the line below the head. */
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
        // Without it, columns stay as they are.
        () => {},
      )
  }
}

/** Texts of the cells of a line. */
export function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .matchAll(/((?:\\.|[^|])*)(?:\||$)/g)
  return [...cells].slice(0, -1).map(([, cell = '']) => cell.trim().replaceAll('\\|', '|'))
}
