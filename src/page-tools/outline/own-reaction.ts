import { isTag, isText } from '../dom.ts'
import * as native from '../native.ts'
import { stylesIn } from './hover/on-hover.ts'
import { isActionable } from './role.ts'
import { hasDragCursor, hasPointerCursor, type Visibility } from './visibility.ts'

interface Surroundings {
  readonly role: string
  readonly parent: { readonly clickable: boolean } | null
  readonly context: { readonly inControl: boolean; readonly pointerCursor: boolean }
  readonly visibility: Visibility
}

/** Whether a person would click an element that is no control. */
export function isClickable(
  element: Element,
  { role, parent, context, visibility }: Surroundings,
): boolean {
  if (visibility.invisible || context.inControl || isActionable(role)) return false
  if (isTag(element, 'label') && element.control) return false
  if (context.pointerCursor)
    return (
      reactsItself(element) ||
      isCellOfBoard(element) ||
      (!role && parent?.clickable === true && isMarkedLabel(element))
    )
  const hasAttributes = !visibility.hasNoAttributes
  return (
    hasPointerCursor(visibility) ||
    hasDragCursor(element, visibility.style) ||
    (hasAttributes && (native.hasAttribute(element, 'onclick') || getsPointerOnHover(element))) ||
    (!role && ((hasAttributes && isTabStop(element)) || isStepSign(element)))
  )
}

/**
 * Whether a style gives the element itself the pointer cursor, which its content inherits. This identifies a button
 * within a larger click target.
 */
function hasOwnPointer(element: Element): boolean {
  if (/cursor:\s*pointer/.test(native.getAttribute(element, 'style') ?? '')) return true
  if (native.getAttribute(element, 'cursor') === 'pointer') return true
  return native.matches(element, pointerSelector(native.getRootNode(element)))
}

/** Whether a style gives the element the pointer cursor on hover, as some libraries do for their menus. */
function getsPointerOnHover(element: Element): boolean {
  return native.matches(element, stylesIn(native.getRootNode(element)).pointerOnHover)
}

/** Selector of elements that styles give the pointer cursor. Matches nothing if the tree's rules can't be read. */
export function pointerSelector(root: Node): string {
  return stylesIn(root).pointer
}

/** Attributes of handlers: `onclick`, `@click.stop`, `ng-click`, `wire:click`, `data-action`, `hx-post`. */
const HANDLER = /(?:^on|[-:@])click\b|^data-action$|^jsaction$|^hx-/
/** Properties in which React, Vue, Svelte, Solid and Zone.js keep the handlers of an element. */
const HANDLER_KEYS = /^__reactProps|^_vei$|^Symbol\(_vei|^(?:__|\$\$)click$|__clickfalse$/

/**
 * Whether an element within a larger click target reacts to a click by itself, judging by its markup, its style and the
 * handlers of frameworks. Listeners can't be read.
 */
export function reactsItself(element: Element): boolean {
  return (
    isTabStop(element) ||
    (native.hasAttributes(element) &&
      (native.getAttributeNames(element).some((name) => HANDLER.test(name)) ||
        hasOwnPointer(element))) ||
    (element as HTMLElement).onclick != null ||
    Reflect.ownKeys(element).some(
      (key) => HANDLER_KEYS.test(String(key)) && handlesClick(element, key),
    )
  )
}

function handlesClick(element: Element, key: PropertyKey): boolean {
  const handler: unknown = Reflect.getOwnPropertyDescriptor(element, key)?.value
  return typeof handler === 'object' && handler
    ? Boolean(Reflect.getOwnPropertyDescriptor(handler, 'onClick')?.value)
    : Boolean(handler)
}

/**
 * Whether the author made the element a tab stop. Elements without content and size don't count: they only pass the
 * focus on.
 */
function isTabStop(element: Element): boolean {
  if (Number(native.getAttribute(element, 'tabindex') ?? -1) < 0) return false
  if (native.firstChild(element) !== null) return true
  const { width, height } = native.getBoundingClientRect(element)
  return width > 1 && height > 1
}

const CELLS_OF_BOARD = 3
/** Boards have at most this many rows, and cells in a row. */
const BOARD_LIMIT = 40
const SMALLEST_CELL_PX = 8

/**
 * Whether the element is one of several similar boxes in a click target, some of them empty, such as the squares of a
 * game.
 */
function isCellOfBoard(element: Element): boolean {
  const parent = native.parentElement(element)
  if (!parent || native.firstElementChild(element)) return false
  const { width, height } = native.getBoundingClientRect(element)
  if (Math.min(width, height) < SMALLEST_CELL_PX) return false
  const row = [...native.children(parent)]
  return (
    isBoard(row) ||
    (row.every((cell) => hasSize(cell, width, height)) && isBoard(getBoardCells(parent)))
  )
}

/** The cells of all rows of a board. Empty if its rows have different numbers of cells. */
function getBoardCells(row: Element): Element[] {
  const board = native.parentElement(row)
  const rows = board ? [...native.children(board)] : []
  const { length } = native.children(row)
  if (rows.length > BOARD_LIMIT || length > BOARD_LIMIT || length < 2) return []
  return rows.every((candidate) => native.children(candidate).length === length)
    ? rows.flatMap((item) => [...native.children(item)])
    : []
}

function isBoard(cells: readonly Element[]): boolean {
  const [first] = cells
  return (
    cells.length >= CELLS_OF_BOARD &&
    cells.some((cell) => !native.firstChild(cell)) &&
    cells.every((cell) => first && native.localName(cell) === native.localName(first))
  )
}

function hasSize(element: Element, width: number, height: number): boolean {
  const box = native.getBoundingClientRect(element)
  return Math.abs(box.width - width) < 2 && Math.abs(box.height - height) < 2
}

const MOST_WORDS = 6
const LABEL = /^\s*\p{L}{1,16}(?: \p{L}{1,16})?\s*$/u

/**
 * Whether the element is one of a few short labels that fill a click target. Each has a mark by which a script finds
 * it, such as `<i id="reply">Reply</i> <i id="forward">Forward</i>`. Items of a list don't count: their parts are
 * words.
 */
function isMarkedLabel(element: Element): boolean {
  const parent = native.parentElement(element)
  const labels = parent ? [...native.children(parent)] : []
  if (!parent || labels.length < 2 || labels.length > MOST_WORDS) return false
  const marks = new Set(labels.map((label) => getMark(label, element)))
  const isItem = [native.previousElementSibling(parent), native.nextElementSibling(parent)].some(
    (candidate) => candidate && isSameKind(candidate, parent),
  )
  return marks.size === labels.length && !marks.has('') && !isItem
}

/** Whether both are items of one list. Two `div`s without a class don't count. */
function isSameKind(first: Element, second: Element): boolean {
  const kinds = [first, second].map(
    (item) => `${native.localName(item)}.${native.getAttribute(item, 'class')}`,
  )
  return kinds[0] === kinds[1] && kinds[0] !== 'div.null'
}

/** The attributes of a label of the same kind. Empty if it has no attributes, or is of another kind. */
function getMark(label: Element, other: Element): string {
  if (native.localName(label) !== native.localName(other)) return ''
  if (!LABEL.test(native.textContent(label))) return ''
  return native
    .getAttributeNames(label)
    .map((name) => `${name}=${native.getAttribute(label, name)}`)
    .join()
}

const INNER = 'text,a,[role],[tabindex],[onclick],[cursor],[style*="cursor"]'

/** Whether a drawing has parts to read or to click. */
export function hasParts(drawing: Element): boolean {
  const clickable = pointerSelector(native.getRootNode(drawing))
  return native.querySelector(drawing, `${INNER},${clickable}`) !== null
}

/** Pairs of signs on step buttons. */
const SIGNS = '-+ −+ –+ ‹› «» <> ◀▶ ◂▸ ←→ ▲▼ ▴▾ ↑↓'.split(' ')

/** Whether the element's whole text is a sign of a pair, such as `-` and `+`, with the other sign beside it. */
function isStepSign(element: Element): boolean {
  const text = getOnlyText(element)
  const parent = text && native.parentElement(element)
  if (!parent) return false
  const siblingTexts = [...native.children(parent)].map(getOnlyText)
  return siblingTexts.some(
    (other) => SIGNS.includes(`${text}${other}`) || SIGNS.includes(`${other}${text}`),
  )
}

function getOnlyText(element: Element): string | null {
  const node = native.firstChild(element)
  if (!isText(node) || !node || native.nextSibling(node)) return null
  const text = native.nodeValue(node) ?? ''
  return text.length <= 3 ? text.trim() : null
}
