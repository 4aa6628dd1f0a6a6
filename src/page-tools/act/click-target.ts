import { contains, descendantsOf, isElement, isTag, parentOf, viewOf } from '../dom.ts'
import { labelsOf } from '../labels.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { reactsItself } from '../outline/own-reaction.ts'
import { isAllowed } from '../outline/region.ts'
import { isActionable, roleOf } from '../outline/role.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { editContextOf } from './edit-context-of.ts'
import { elementAt, type Point } from './hit-test.ts'
import { scrollIntoView } from './make-ready.ts'

const FIELDS = 'input,select,textarea,[role=checkbox],[role=radio],[role=switch],[role=combobox]'
const LEVELS = 4

/**
 * Returns the element that people click for a field: itself, or the one displayed in its place. Restyled fields often
 * have no size, ignore the pointer or lie below their custom appearance. People then click the label, or the smallest
 * ancestor without another field.
 */
export function clickTarget(element: HTMLElement, options: PageOptions): HTMLElement {
  const isField = native.matches(element, FIELDS) || editContextOf(element) !== null
  if (!isField) return takerAround(element, options)
  if (!isOnScreen(element)) scrollIntoView(element)
  const around = wrappersOf(element)
  const isThere = isOnScreen(element) && takesPointer(element)
  if (isThere && !isOverlaid(element, around.at(-1) ?? element)) return element
  const label = labelsOf(element).find((one) => takesPointer(one) && isAllowed(one, options))
  if (isElement(label)) return label
  return around.find(takesPointer) ?? element
}

/**
 * Returns the ancestor that takes the pointer for a control that lets it through, such as a component's inner button.
 * Returns the element itself unless that ancestor is a control and holds no other one. An element that only looks
 * disabled has no such ancestor.
 */
function takerAround(element: HTMLElement, options: PageOptions): HTMLElement {
  if (!ignoresPointer(element)) return element
  let at = parentOf(element)
  for (let level = 0; at && level < LEVELS && !isTag(at, 'body'); level += 1, at = parentOf(at)) {
    if (!isElement(at) || holdsOther(at, element)) break
    if (!ignoresPointer(at)) return reacts(at, element) && isAllowed(at, options) ? at : element
  }
  return element
}

function reacts(around: Element, element: Element): boolean {
  return (
    reactsItself(around) ||
    isActionable(roleOf(around)) ||
    native.shadowRoot(around)?.contains(element) === true
  )
}

function holdsOther(around: Element, element: Element): boolean {
  for (const one of descendantsOf(around))
    if (
      one !== element &&
      isActionable(roleOf(one)) &&
      !contains(element, one) &&
      !contains(one, element)
    )
      return true
  return false
}

function ignoresPointer(element: Element): boolean {
  return viewOf(element).getComputedStyle(element).pointerEvents === 'none'
}

/** The ancestors of a field that contain no other one, innermost first. */
function wrappersOf(element: Element): HTMLElement[] {
  const wrappers: HTMLElement[] = []
  let at = parentOf(element)
  for (; at && wrappers.length < LEVELS && !isTag(at, 'body'); at = parentOf(at)) {
    const others = [...native.querySelectorAll(at, FIELDS)].filter((other) =>
      isOther(other, element),
    )
    if (others.length > 0 || !isElement(at)) break
    wrappers.push(at)
  }
  return wrappers
}

/** Hidden fields don't count: they only carry a value. */
function isOther(field: Element, element: Element): boolean {
  const carries = native.matches(field, '[type=hidden],[aria-hidden=true]')
  return !carries && field !== element && !contains(element, field) && !contains(field, element)
}

function takesPointer(element: HTMLElement): boolean {
  const { width, height } = native.getBoundingClientRect(element)
  return width > 1 && height > 1 && hiddenReason(element) === null && !ignoresPointer(element)
}

/** Whether the element on top of its centre belongs to this field. */
function isOverlaid(element: Element, wrapper: Element): boolean {
  const top = elementAt(native.ownerDocument(element), middleOf(element))
  if (!top || contains(element, top)) return false
  return contains(wrapper, top) || contains(top, element)
}

function isOnScreen(element: Element): boolean {
  const { x, y } = middleOf(element)
  const { innerWidth, innerHeight } = viewOf(element)
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight
}

function middleOf(element: Element): Point {
  const { left, top, width, height } = native.getBoundingClientRect(element)
  return { x: left + width / 2, y: top + height / 2 }
}
