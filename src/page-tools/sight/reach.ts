import { contains, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { clippingLayers, layersFrom, marginOf, type Layer } from './layers.ts'
import { overlap, type Sides } from './sides.ts'

/** Menus and panels that slide in wait nearer than this outside of the page. Pixels. */
const FAR = 999
/** Slides of a carousel wait nearer than this outside of the part that shows one. Pixels. */
const FAR_OUTSIDE_CLIP = 9000

/**
 * Whether a box lies where nobody can scroll to: far before the beginning of the page, or of the part that
 * scrolls. What lies after the end is not judged: pages add to it, and move it in.
 */
export function isOffPage(box: Sides, layer: Layer | null, document: Document): boolean {
  // Most texts: no part that scrolls is around them, and they are not before its beginning.
  const isCut = [...layersFrom(layer)].some(isCutting)
  if (!isCut && box.right >= -FAR && box.bottom >= -FAR) return false
  const isFixed = [...layersFrom(layer)].some(({ position }) => position === 'fixed')
  let inner = box
  for (const around of clippingLayers(layer)) {
    if (isRoot(around.element)) break
    const outer = native.getBoundingClientRect(around.element)
    if (outer.width <= 1 || outer.height <= 1) break
    const scrolls = /auto|scroll/.test(`${around.overflowX} ${around.overflowY}`)
    const begin = scrolls ? beginOf(around.element, around.style, outer) : outer
    if (isFarBefore(inner, begin, scrolls ? FAR : FAR_OUTSIDE_CLIP))
      return !holdsShown(layer, around, visible(outer, document))
    if (!scrolls && !overlap(inner, outer)) return false
    if (scrolls) inner = outer
  }
  const view = viewOf(document)
  const whole = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight }
  const root = nativeDocument.documentElement(document)
  const begin = isFixed ? whole : beginOf(root, view.getComputedStyle(root), null)
  const far = { x: Math.max(FAR, view.innerWidth), y: Math.max(FAR, view.innerHeight) }
  const isFar = inner.right < begin.left - far.x || inner.bottom < begin.top - far.y
  return isFar && !holdsShown(layer, null, whole)
}

function isCutting({ element, overflowX, overflowY }: Layer): boolean {
  return (overflowX !== 'visible' || overflowY !== 'visible') && !isRoot(element)
}

function isRoot(element: Element): boolean {
  const document = native.ownerDocument(element)
  return (
    element === nativeDocument.documentElement(document) ||
    element === nativeDocument.body(document)
  )
}

function isFarBefore(inner: Sides, begin: { left: number; top: number }, far: number): boolean {
  return inner.right < begin.left - far || inner.bottom < begin.top - far
}

/** Whether an indent has moved a text out of the part that shows it, which nobody can scroll. */
export function isIndentedAway(
  indent: string,
  boxes: readonly Sides[],
  layer: Layer | null,
): boolean {
  if (!(Number.parseFloat(indent) > 0)) return false
  for (const around of clippingLayers(layer)) {
    if (isRoot(around.element) || !/^(hidden|clip)$/.test(around.overflowX)) return false
    const { right } = native.getBoundingClientRect(around.element)
    if (marginOf(around) === 0 && boxes.every(({ left }) => left >= right)) return true
  }
  return false
}

/** Where what an element scrolls begins, in coordinates of the view; `box`: null for the page itself. */
function beginOf(
  element: Element,
  { direction, writingMode }: CSSStyleDeclaration,
  box: DOMRect | null,
): { readonly left: number; readonly top: number } {
  const view = viewOf(element)
  const [x, y] = box
    ? [native.scrollLeft(element), native.scrollTop(element)]
    : [view.scrollX, view.scrollY]
  const end = (box?.right ?? native.clientWidth(element)) - x
  const isReverse = direction === 'rtl' || writingMode === 'vertical-rl' || x < 0
  return {
    left: isReverse ? end - native.scrollWidth(element) : (box?.left ?? 0) - x,
    top: (box?.top ?? 0) - y,
  }
}

function visible(box: Sides, document: Document): Sides {
  const { innerWidth, innerHeight } = viewOf(document)
  return {
    left: Math.max(0, box.left),
    top: Math.max(0, box.top),
    right: Math.min(innerWidth, box.right),
    bottom: Math.min(innerHeight, box.bottom),
  }
}

/**
 * Whether something of what was moved away is in the visible part, as in a carousel or in a page that
 * scrolls by moving its content.
 */
function holdsShown(layer: Layer | null, until: Layer | null, shown: Sides): boolean {
  const moved: Element[] = []
  for (const at of layersFrom(layer)) {
    if (at === until) break
    if (at.holdsAbsolute && !isRoot(at.element)) moved.push(at.element)
  }
  const [width, height] = [shown.right - shown.left, shown.bottom - shown.top]
  if (moved.length === 0) return false
  // Out of view: nobody can tell.
  if (width <= 0 || height <= 0) return until !== null
  const ownerDocument = native.ownerDocument(moved[0] as Element)
  return POINTS.some(([x, y]) => {
    const [left, top] = [shown.left + width * x, shown.top + height * y]
    const hit = nativeDocument.elementFromPoint(ownerDocument, left, top)
    return hit !== null && moved.some((one) => contains(one, hit))
  })
}

const POINTS = [
  [0.5, 0.5],
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75],
] as const
