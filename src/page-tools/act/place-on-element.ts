import { ancestorsOf, contains, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { PageError } from '../page-error.ts'
import { pictureBox } from '../read/picture.ts'
import { describeElement } from './describe.ts'
import { hitAt, innerControl, type Hit, type Point } from './hit-test.ts'

// Places on an element are fractions of its width and height. They hold for any size of its picture, and wherever the
// page is scrolled to.

/** Returns the hit of a pointer at a place on an element, else the element that covers the place. Null: nothing. */
export function hitOnPlace(
  element: Element,
  at: Point,
): Hit | { readonly blocker: Element | null } {
  const point = pointOf(element, at)
  return point ? hitAt(element, point) : { blocker: null }
}

function pointOf(element: Element, { x, y }: Point): Point | null {
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
    const point = pointOf(element, at)
    if (!point) return
    const isPage = scroller === nativeDocument.documentElement(document)
    const { innerWidth, innerHeight } = viewOf(element)
    const view = isPage
      ? new DOMRect(0, 0, innerWidth, innerHeight)
      : native.getBoundingClientRect(scroller)
    const left = beyond(point.x, view.left, view.right)
    const top = beyond(point.y, view.top, view.bottom)
    const scrolls =
      isPage || /auto|scroll|hidden/.test(viewOf(scroller).getComputedStyle(scroller).overflow)
    if (scrolls && (left || top)) native.scrollBy(scroller, { left, top, behavior: 'instant' })
  }
}

/** How far to scroll so that a place lies in the middle; 0 for one that is in view. */
function beyond(place: number, start: number, end: number): number {
  return place >= start && place < end ? 0 : place - (start + end) / 2
}

/** Throws `covered` if the place holds another control: the approval didn't name it. */
export function requireNoInnerControl(receiver: Element, element: Element, live: LivePage): void {
  const control = contains(element, receiver) ? innerControl(receiver, element) : null
  if (!control) return
  const text = `At this place of ${describeElement(element, live)} is ${describeElement(control, live)}. Use its ref.`
  throw new PageError('covered', scrub(text, live))
}

/** `25 % from the left and 50 % from the top` */
export function placeInWords({ x, y }: Point): string {
  return `${percent(x)} from the left and ${percent(y)} from the top`
}

const percent = (part: number): string => `${Math.round(part * 1000) / 10} %`
