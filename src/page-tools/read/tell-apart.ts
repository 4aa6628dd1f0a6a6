import { cleanText, quote, shorten } from '../clean-text.ts'
import { ancestorsOf, contains, descendantsOf, isTag } from '../dom.ts'
import * as native from '../native.ts'
import { nameOf } from '../outline/name.ts'
import { rootOf } from '../outline/region.ts'
import { roleOf } from '../outline/role.ts'
import type { PageOptions } from '../options.ts'
import { isMasked } from '../privacy.ts'
import type { Found } from './find.ts'
import { isContainer } from './line.ts'
import { placeNote, placeOf, titleIn } from './place.ts'
import { readableText } from './readable-text.ts'

const LABEL_LIMIT = 60

interface Telling {
  readonly options: PageOptions
  /** Removes secrets. */
  readonly clean: (text: string) => string
  /** More elements may have this name. */
  readonly mayBeMore: boolean
}

/**
 * Lines of elements of the same name, in page order. Each has what tells it from the others: the row, dialog or part
 * around it, its column, the words beside it, else its number from the top.
 */
export function toldApart(
  unordered: readonly Found[],
  { options, clean, mayBeMore }: Telling,
): readonly string[] {
  const found = inOrder(unordered, rootOf(options))
  const elements = found.map(({ element }) => element)
  const kinds = [
    elements.map((one) => placeNote(placeOf(one, options), clean)),
    elements.map((one) => note(clean, partAround(one, blockOf(one, elements), options))),
    elements.map((one) => note(clean, columnOf(one, options))),
    elements.map((one) => note(clean, wordsBeside(one, blockOf(one, elements), options))),
  ]
  const count = mayBeMore ? `at least ${found.length}` : found.length
  return found.map(({ line }, index) => {
    const own = kinds.findIndex((notes) => isOnlyOne(notes, index))
    if (own === 0) return line
    const told = own > 0 ? kinds[own]?.[index] : ` (${index + 1} of ${count} from the top)`
    return `${line}${told}`
  })
}

/** Sorts elements in page order, across frames and shadow roots. */
function inOrder(found: readonly Found[], root: Element): readonly Found[] {
  const byElement = new Map(found.map((one) => [one.element, one]))
  return [root, ...descendantsOf(root)].flatMap((element) => byElement.get(element) ?? [])
}

function isOnlyOne(notes: readonly string[], index: number): boolean {
  const own = notes[index]
  return own !== '' && notes.indexOf(own ?? '') === notes.lastIndexOf(own ?? '')
}

/** The outermost element around one that holds none of the others. */
function blockOf(element: Element, all: readonly Element[]): Element {
  let block = element
  for (const at of ancestorsOf(element)) {
    if (all.some((other) => other !== element && contains(at, other))) break
    block = at
  }
  return block
}

interface Told {
  readonly how: 'in' | 'in column' | 'beside'
  readonly role?: string
  readonly label: string
}

function note(clean: (text: string) => string, told: Told | null): string {
  if (!told) return ''
  const { how, role, label } = told
  // Scrub first, then shorten: the beginning of a secret that is cut would stay.
  const words = label && quote(shorten(clean(label), LABEL_LIMIT).replace(/"/g, "'"))
  return ` (${[how, role, words].filter(Boolean).join(' ')})`
}

/** The outermost part of the page, with its name, that holds only this element: `navigation "Main"`. */
function partAround(element: Element, block: Element, options: PageOptions): Told | null {
  let told: Told | null = null
  for (const at of ancestorsOf(element)) {
    const role = roleOf(at)
    if (isContainer(role) && !isMasked(at, options))
      told = { how: 'in', role, label: nameOf(at, role, options).text }
    if (at === block) break
  }
  return told
}

function columnOf(element: Element, options: PageOptions): Told | null {
  const cell = native.closest(element, 'td,th')
  const table = cell && native.closest(cell, 'table')
  const [first] = table && isTag(table, 'table') ? table.rows : []
  const index = cell ? (cell as HTMLTableCellElement).cellIndex : -1
  const header = first?.cells[index]
  if (!header || header === cell || isMasked(header, options)) return null
  const label = readableText(header, options)
  return label ? { how: 'in column', label } : null
}

/** The title of its part, or the first words there that aren't its own. */
function wordsBeside(element: Element, block: Element, options: PageOptions): Told | null {
  if (block === element || isMasked(block, options)) return null
  const own = cleanText(readableText(element, options))
  const label =
    titleIn(block, options) || cleanText(readableText(block, options)).replace(own, '').trim()
  return /[\p{L}\p{N}]/u.test(label) ? { how: 'beside', label } : null
}
