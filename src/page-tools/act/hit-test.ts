import {
  ancestorsOf,
  boxOfArea,
  contains,
  frameOf,
  imageOfArea,
  isAgentElement,
  isTag,
  renderedElement,
  toWindowPixels,
  viewOf,
} from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { getShownRole } from '../outline/role.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { PageError } from '../page.ts'
import { pictureBox } from '../read/picture.ts'
import { describeElement } from './target.ts'

// Places on an element are fractions of its width and height. They don't depend on the size of its picture or on
// scrolling.

/** Returns the hit of a pointer at a place on an element, or the element that covers the place, or null. */
export function hitTestPlace(element: Element, at: Point): HitResult {
  const point = toPoint(element, at)
  return point ? hitTestPoint(element, point) : { blocker: null }
}

function toPoint(element: Element, { x, y }: Point): Point | null {
  const box = pictureBox(element)
  if (box.width < 1 || box.height < 1) return null
  return {
    x: box.x + Math.min(box.width * x, box.width - 1),
    y: box.y + Math.min(box.height * y, box.height - 1),
  }
}

/** Scrolls everything around the element until the place is in view. For a large element, centering isn't enough. */
export function scrollToPlace(element: Element, at: Point): void {
  const document = native.ownerDocument(element)
  for (const scroller of ancestorsOf(element)) {
    if (native.ownerDocument(scroller) !== document) return
    const point = toPoint(element, at)
    if (!point) return
    const isPage = scroller === nativeDocument.documentElement(document)
    const { innerWidth, innerHeight } = viewOf(element)
    const view = isPage
      ? new DOMRect(0, 0, innerWidth, innerHeight)
      : native.getBoundingClientRect(scroller)
    const left = getScrollDistance(point.x, view.left, view.right)
    const top = getScrollDistance(point.y, view.top, view.bottom)
    const isScrollable =
      isPage || /auto|scroll|hidden/.test(viewOf(scroller).getComputedStyle(scroller).overflow)
    if (isScrollable && (left || top)) native.scrollBy(scroller, { left, top, behavior: 'instant' })
  }
}

/** Distance to scroll so that a place lies in the middle. 0 if the place is in view. */
function getScrollDistance(position: number, start: number, end: number): number {
  return position >= start && position < end ? 0 : position - (start + end) / 2
}

/** Throws `covered` if the place holds another control, which the approval didn't name. */
export function requireNoInnerControl(receiver: Element, element: Element, live: LivePage): void {
  const control = contains(element, receiver) ? innerControl(receiver, element) : null
  if (!control) return
  const text = `At this place of ${describeElement(element, live)} is ${describeElement(control, live)}. Use its ref.`
  throw new PageError('covered', scrub(text, live))
}

/** `25 % from the left and 50 % from the top` */
export function describePoint({ x, y }: Point): string {
  return `${percent(x)} from the left and ${percent(y)} from the top`
}

const percent = (fraction: number): string => `${Math.round(fraction * 1000) / 10} %`

/** Whether a part of the element is in its window's view. Always true for an element without a box of its own. */
export function isOnScreen(element: Element): boolean {
  const box = native.getBoundingClientRect(renderedElement(element))
  if (box.width === 0 && box.height === 0) return true
  const { innerWidth, innerHeight } = viewOf(element)
  return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** The topmost element at a point of a document, also inside open shadow roots. Skips the agent's own elements. */
export function elementAt(document: Document, point: Point): Element | null {
  let topElement = topmost(document, point)
  for (;;) {
    const root: ShadowRoot | null = topElement && native.shadowRoot(topElement)
    if (!root) break
    const inner = topmost(root, point)
    if (!inner || inner === topElement) return findSlotAt(root, point) ?? topElement
    topElement = inner
  }
  return topElement
}

/**
 * The slot whose text is at the point. `elementFromPoint` returns the host there, but pointer events go to the slot.
 */
function findSlotAt(tree: ShadowRoot, { x, y }: Point): Element | null {
  const range = nativeDocument.createRange(native.ownerDocument(tree))
  for (const slot of tree.querySelectorAll('slot'))
    for (const node of slot.assignedNodes()) {
      if (native.nodeType(node) !== 3) continue
      range.selectNodeContents(node)
      for (const { left, right, top, bottom } of range.getClientRects())
        if (x >= left && x <= right && y >= top && y <= bottom) return slot
    }
  return null
}

function topmost(tree: Document | ShadowRoot, { x, y }: Point): Element | null {
  const found = nativeDocument.elementFromPoint(tree, x, y)
  if (!found || !isAgentElement(found)) return found
  return (
    nativeDocument.elementsFromPoint(tree, x, y).find((candidate) => !isAgentElement(candidate)) ??
    null
  )
}

export interface Hit {
  readonly point: Point
  /** The element that a pointer at this point hits: the element itself or one inside it. */
  readonly receiver: Element
}

type HitResult = Hit | { readonly blocker: Element | null }

/** A point where a pointer hits the element. If there is none, the element that covers it, or null. */
export function hitTest(element: Element): HitResult {
  let blocker: Element | null = null
  let hitOnControl: Hit | null = null
  const image = imageOfArea(element)
  for (const point of getPoints(element)) {
    const hit = hitTestPoint(element, point)
    if ('blocker' in hit) blocker ??= hit.blocker
    else if (hit.receiver === image) return { point, receiver: element }
    else if (!innerControl(hit.receiver, element)) return hit
    else hitOnControl ??= hit
  }
  return hitOnControl ?? { blocker }
}

/** Tests a single point, like `hitTest`. */
function hitTestPoint(element: Element, point: Point): HitResult {
  const receiver = elementAt(native.ownerDocument(element), point)
  if (!receiver || !isHitFor(receiver, element)) return { blocker: receiver }
  const frameCover = findFrameCover(element, point)
  return frameCover ? { blocker: frameCover } : { point, receiver }
}

const OWN_REACTION = /^(button|link|option|tab|menuitem.*|treeitem|checkbox|radio|switch)$/

/**
 * The other control inside the element that the receiver is in: a branch of a tree, a link in a row, the remove button
 * of a tag.
 */
function innerControl(receiver: Element, element: Element): Element | null {
  for (const current of [receiver, ...ancestorsOf(receiver)]) {
    if (current === element) break
    if (OWN_REACTION.test(getShownRole(current)))
      return isTag(element, 'label') && element.control === current ? null : current
  }
  return null
}

/** Points to try: the centre of each box first, then points beside it, since a badge may cover a part. */
function getPoints(element: Element): Point[] {
  const { innerWidth, innerHeight } = viewOf(element)
  const points: Point[] = []
  for (const box of getBoxes(element)) {
    const left = Math.max(box.left, 0)
    const top = Math.max(box.top, 0)
    const width = Math.min(box.right, innerWidth) - left
    const height = Math.min(box.bottom, innerHeight) - top
    if (width <= 0 || height <= 0) continue
    for (const [x, y] of POINT_FRACTIONS) points.push({ x: left + width * x, y: top + height * y })
  }
  return points
}

/** The boxes that a user would aim at, the best first. A tree item is as wide as its tree, so users click its text. */
function getBoxes(element: Element): readonly DOMRect[] {
  const image = imageOfArea(element)
  if (image) return [toWindowPixels(image, boxOfArea(element, image))]
  const boxes = ownBoxes(element)
  const textBoxes = ownTextBoxes(element)
  const order =
    native.role(element) === 'treeitem' ? [...textBoxes, ...boxes] : [...boxes, ...textBoxes]
  return order.map((box) => toWindowPixels(element, box))
}

/** The box whose centre a user would drop something on. */
export function aimBox(element: Element): DOMRect {
  return getBoxes(element)[0] ?? native.getBoundingClientRect(element)
}

/** The element's boxes, three at most. If it has none, the boxes of its content. */
function ownBoxes(element: Element): readonly DOMRect[] {
  const boxes = [...native.getClientRects(element)].slice(0, 3)
  if (boxes.length > 0) return boxes
  const range = nativeDocument.createRange(native.ownerDocument(element))
  range.selectNodeContents(element)
  return [...range.getClientRects()].slice(0, 3)
}

/** The box of the element's first text, when it also contains other elements. */
function ownTextBoxes(element: Element): readonly DOMRect[] {
  if (!native.firstElementChild(element)) return []
  const range = nativeDocument.createRange(native.ownerDocument(element))
  const walker = nativeDocument.createTreeWalker(
    native.ownerDocument(element),
    element,
    NodeFilter.SHOW_TEXT,
  )
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (native.nodeValue(node)?.trim()) {
      range.selectNodeContents(node)
      return [...range.getClientRects()].slice(0, 1)
    }
  return []
}

const POINT_FRACTIONS = [
  [0.5, 0.5],
  [0.2, 0.5],
  [0.8, 0.5],
  [0.5, 0.2],
  [0.5, 0.8],
] as const

function isHitFor(receiver: Element, element: Element): boolean {
  if (contains(element, receiver) || receiver === imageOfArea(element)) return true
  // A click on a label activates its field.
  const label = native.closest<HTMLLabelElement>(receiver, 'label')
  return label !== null && label.control === element
}

/** Converts a box in a frame to pixels of the window around the frame, which may be scaled. */
export function toOuterBox(frame: Element, { x, y, width, height }: DOMRect): DOMRect {
  const box = toWindowPixels(frame, native.getBoundingClientRect(frame))
  const scale = box.width / native.offsetWidth(frame as HTMLElement)
  return new DOMRect(
    box.left + (x + native.clientLeft(frame as HTMLElement)) * scale,
    box.top + (y + native.clientTop(frame as HTMLElement)) * scale,
    width * scale,
    height * scale,
  )
}

/** The element that covers the element's frame at this point. */
function findFrameCover(element: Element, point: Point): Element | null {
  let box = new DOMRect(point.x, point.y)
  let frame = frameOf(native.ownerDocument(element))
  while (frame) {
    box = toOuterBox(frame, box)
    const top = elementAt(native.ownerDocument(frame), box)
    if (top !== frame && !(top && isTag(top, 'html'))) return top ?? frame
    frame = frameOf(native.ownerDocument(frame))
  }
  return null
}
