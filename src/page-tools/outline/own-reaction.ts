import { isText } from '../dom.ts'
import * as native from '../native.ts'
import { stylesIn } from './hover/on-hover.ts'

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
export function getsPointerOnHover(element: Element): boolean {
  return native.matches(element, stylesIn(native.getRootNode(element)).pointerOnHover)
}

/** Selector of elements that styles give the pointer cursor. Matches nothing if the tree's rules can't be read. */
export function pointerSelector(root: Node): string {
  return stylesIn(root).pointer
}

/** Whether an element within a larger click target reacts to a click by itself, judging by its markup and style. */
export function reactsItself(element: Element): boolean {
  return (
    native.hasAttribute(element, 'onclick') ||
    isTabStop(element) ||
    (native.hasAttributes(element) && hasOwnPointer(element))
  )
}

/**
 * Whether the author made it a tab stop. Elements without content and size don't count: they only pass the focus on.
 */
export function isTabStop(element: Element): boolean {
  if (Number(native.getAttribute(element, 'tabindex') ?? -1) < 0) return false
  if (native.firstChild(element) !== null) return true
  const { width, height } = native.getBoundingClientRect(element)
  return width > 1 && height > 1
}

const CELLS_OF_BOARD = 3
const SMALLEST_CELL_PX = 8

/** Whether it is one of several like boxes in a click target, some of them empty, such as the squares of a game. */
export function isCellOfBoard(element: Element): boolean {
  const parent = native.parentElement(element)
  const cells = parent && !native.firstElementChild(element) ? [...native.children(parent)] : []
  if (cells.length < CELLS_OF_BOARD || !cells.some((cell) => !native.firstChild(cell))) return false
  const { width, height } = native.getBoundingClientRect(element)
  return (
    Math.min(width, height) >= SMALLEST_CELL_PX &&
    cells.every((cell) => native.localName(cell) === native.localName(element))
  )
}

const INNER = 'text,a,[role],[tabindex],[onclick],[cursor],[style*="cursor"]'

/** Whether a drawing has parts to read or to click. */
export function hasParts(drawing: Element): boolean {
  const clickable = pointerSelector(native.getRootNode(drawing))
  return native.querySelector(drawing, `${INNER},${clickable}`) !== null
}

/** Signs of step buttons, each with the sign of the button beside it. */
const SIGNS: Readonly<Record<string, string>> = {
  '-': '+',
  '−': '+',
  '–': '+',
  '‹': '›',
  '«': '»',
  '<': '>',
  '◀': '▶',
  '◂': '▸',
  '←': '→',
  '▲': '▼',
  '▴': '▾',
  '↑': '↓',
}

/** Whether its whole text is a sign of a pair, such as `-` and `+`, with the other sign beside it. */
export function isStepSign(element: Element): boolean {
  const text = onlyText(element)
  if (text === null) return false
  const parent = native.parentElement(element)
  const others = parent ? [...native.children(parent)].map(onlyText) : []
  return SIGNS[text] !== undefined
    ? others.includes(SIGNS[text])
    : others.some((other) => other !== null && SIGNS[other] === text)
}

function onlyText(element: Element): string | null {
  const node = native.firstChild(element)
  if (!isText(node) || !node || native.nextSibling(node)) return null
  const text = native.nodeValue(node) ?? ''
  return text.length <= 3 ? text.trim() : null
}
