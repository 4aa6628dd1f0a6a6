import { isText } from '../dom.ts'
import * as native from '../native.ts'
import { hasOwnPointer, pointerSelector } from './pointer-rules.ts'

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
