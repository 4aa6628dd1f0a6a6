import { hiddenReason } from '../outline/visibility.ts'
import { type Box, closest, contains, isElement, viewOf, viewport } from '../dom.ts'
import * as native from '../native.ts'
import { livePage, type LivePage } from '../outline/live-page.ts'
import { type ActOptions, type PageOptions, PageError } from '../page.ts'
import { nextFrame } from '../waiting.ts'
import { describeElement, resolveTarget, type Target } from './target.ts'
import { checkAction, type ActionContext, marksOf, mustConfirm } from './guard-actions.ts'
import { showAction } from './highlight.ts'
import { aimBox, elementAt, type Hit, hitTest, type Point } from './hit-test.ts'
import { type ActionReport, perform } from './perform.ts'
import {
  cancelPointer,
  endPointerCapture,
  movePointer,
  pressPointer,
  processPointerCapture,
  releasePointer,
} from './pointer.ts'
import { makeReady } from './make-ready.ts'
import { requireAllowed } from '../outline/region.ts'
import { shownArea } from '../sight/unseen.ts'

/**
 * Sends a drag-and-drop event. Returns false when a listener prevented the default, which means that it accepts the
 * drop.
 */
export function sendDrag(
  target: Element,
  type: string,
  { point, data }: { readonly point: Point; readonly data: DataTransfer },
): boolean {
  const view = viewOf(target)
  return native.dispatchEvent(
    target,
    new view.DragEvent(type, {
      bubbles: true,
      cancelable: true,
      composed: true,
      view,
      dataTransfer: data,
      clientX: point.x,
      clientY: point.y,
    }),
  )
}

/**
 * The element on which a drag by this distance drops the source. Null if the source isn't in view, or if the element at
 * that point only surrounds the source.
 */
export function dropTarget(
  source: Element,
  distance: Point,
  { options }: LivePage,
): Element | null {
  const start = hitTest(source)
  if (!('receiver' in start)) return null
  const found = elementAt(native.ownerDocument(source), translate(start.point, distance))
  return found && isTarget(found, start, options) ? found : null
}

/** Call it right before a drop. Throws if nothing may be dropped on the element. */
function checkDrop(element: Element, start: Hit, call: ActionContext): void {
  if (!isTarget(element, start, call.live.options)) return
  requireAllowed(element, call.live.options)
  checkAction(element, call, 'drop')
}

function translate({ x, y }: Point, distance: Point): Point {
  return { x: x + distance.x, y: y + distance.y }
}

/**
 * Whether dropping on the element needs checks of its own. Elements around the dragged element get its events in any
 * case. They are checked only for a mark that the dragged element doesn't have.
 */
function isTarget(element: Element, { receiver }: Hit, options: PageOptions): boolean {
  const approvedMarks = marksOf(receiver)
  return (
    !contains(element, receiver) ||
    mustConfirm(element, 'drop', { ...options, asked: approvedMarks })
  )
}

/** Place of the drop: an element, or a distance in pixels from the start. */
export type DropPlace =
  | { readonly to: Target }
  | { readonly by: { readonly x: number; readonly y: number } }

const STEPS = 8
/**
 * How far a drop goes beyond the goal's centre, as a fraction of the goal's size. Stays in the middle third, where a
 * drop may mean "into it".
 */
const OVERSHOOT = 0.12
const PRESS = { button: 0, detail: 1 }

export async function drag(
  target: Target,
  destination: DropPlace,
  options: ActOptions = {},
): Promise<ActionReport> {
  const { page, signal } = options
  const live = livePage(page)
  const source = await resolveTarget(target, options)
  const dropElement = 'to' in destination ? await resolveTarget(destination.to, options) : null
  if (dropElement && native.ownerDocument(dropElement) !== native.ownerDocument(source))
    throw new PageError('unsupported', 'Nothing can be dragged from one frame into another.')
  return perform(options, async (context) => {
    const start = await makeReady(source, { live, signal })
    await showAction(context.live, source)
    const end = dropElement
      ? requireDropPoint(dropElement, start.point, live)
      : translate(start.point, 'by' in destination ? destination.by : { x: 0, y: 0 })
    movePointer(live, start)
    checkAction(source, context)
    const elementUnder = elementAt(native.ownerDocument(source), end)
    if (dropElement) checkAction(dropElement, context, 'drop')
    else if (elementUnder) checkDrop(elementUnder, start, context)
    pressPointer(start, PRESS)
    // Some pages make an element draggable only when the button is pressed.
    await nextFrame(viewOf(source))
    const draggable = findDraggable(start.receiver)
    const isDropped = draggable
      ? await dragAndDrop(draggable, start, { end, context })
      : await dragPointer(start, end, context)
    const targetNote = dropElement ? ` to ${describeElement(dropElement, live)}` : ''
    const refusalNote = isDropped ? '' : ' It was not accepted there.'
    return {
      summary: `Dragged ${describeElement(source, live)}${targetNote}.${refusalNote}`,
      element: source,
    }
  })
}

/**
 * A point a little beyond the goal's centre, as seen from the start. Sortable lists insert before or after an element,
 * depending on the half that the pointer is in. The goal isn't scrolled to, since that would move the start. The point
 * stays inside the view, because nothing can be dropped outside. Throws `hidden` if the goal is hidden, or a scroller
 * cuts it off.
 */
function requireDropPoint(dropElement: HTMLElement, start: Point, live: LivePage): Point {
  const reason = hiddenReason(dropElement)
  if (reason !== null)
    throw new PageError('hidden', `${describeElement(dropElement, live)} can't be used: ${reason}.`)
  const box = aimBox(dropElement)
  const shown = shownArea(dropElement)
  // A goal that is larger than its scroller can't be scrolled into view as a whole.
  const isLarger = box.width > shown.right - shown.left || box.height > shown.bottom - shown.top
  const limits = isLarger ? shown : viewport(viewOf(dropElement))
  const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 }
  const across = middle.x - start.x
  const down = middle.y - start.y
  const isUpright = Math.abs(down) > Math.abs(across)
  const x = middle.x + (isUpright ? 0 : Math.sign(across) * box.width * OVERSHOOT)
  const y = middle.y + (isUpright ? Math.sign(down) * box.height * OVERSHOOT : 0)
  const point = {
    x: clamp(x, limits.left, limits.right),
    y: clamp(y, limits.top, limits.bottom),
  }
  if (isInside(point, box) && isInside(point, shown)) return point
  throw new PageError(
    'hidden',
    `${describeElement(dropElement, live)} is not in view with what is dragged. Scroll until both are.`,
  )
}

function clamp(position: number, start: number, end: number): number {
  return Math.min(Math.max(position, start + 1), end - 1)
}

function isInside({ x, y }: Point, { left, top, right, bottom }: Box): boolean {
  return x >= left && x <= right && y >= top && y <= bottom
}

function findDraggable(element: Element): HTMLElement | null {
  const found = closest(
    element,
    '[draggable="true"],a[href]:not([draggable="false"]),img:not([draggable="false"])',
  )
  return isElement(found) && native.matches(found, '[draggable="true"]') ? found : null
}

/** Always resolves to true: a page can't refuse a drop of an element that it moves with the pointer. */
async function dragPointer(start: Hit, end: Point, context: ActionContext): Promise<boolean> {
  const { receiver } = start
  const { live, signal } = context
  let last = start
  try {
    for (const point of interpolate(start.point, end)) {
      await nextFrame(viewOf(receiver))
      signal?.throwIfAborted()
      last = { point, receiver: elementAt(native.ownerDocument(receiver), point) ?? receiver }
      movePointer(live, last, 1)
    }
    await nextFrame(viewOf(receiver))
    checkDrop(processPointerCapture() ?? last.receiver, start, context)
    releasePointer(last, PRESS)
    return true
  } catch (error) {
    cancelPointer(start, PRESS)
    throw error
  } finally {
    endPointerCapture()
  }
}

/** Returns whether a target accepted the drop. */
async function dragAndDrop(
  source: HTMLElement,
  start: Hit,
  { end, context }: { readonly end: Point; readonly context: ActionContext },
): Promise<boolean> {
  const { signal } = context
  const view = viewOf(source)
  const data = dragData(view)
  const send = (target: Element, type: string, point: Point): boolean =>
    sendDrag(target, type, { point, data })
  // A page that prevents `dragstart` handles the drag with pointer events.
  if (!send(source, 'dragstart', start.point)) return dragPointer(start, end, context)
  cancelPointer(start, PRESS)
  let currentTarget: Element | null = null
  let isAccepted = false
  for (const point of interpolate(start.point, end)) {
    await nextFrame(view)
    signal?.throwIfAborted()
    send(source, 'drag', point)
    const elementUnder = elementAt(native.ownerDocument(source), point)
    if (!elementUnder) continue
    data.dropEffect = getOfferedEffect(data.effectAllowed)
    if (elementUnder !== currentTarget) {
      send(elementUnder, 'dragenter', point)
      if (currentTarget) send(currentTarget, 'dragleave', point)
      currentTarget = elementUnder
    }
    data.dropEffect = getOfferedEffect(data.effectAllowed)
    isAccepted = !send(elementUnder, 'dragover', point) && isAllowed(data)
  }
  // Pages compute the position of the drop when the pointer rests, and render it before they accept the
  // drop.
  await nextFrame(view)
  if (currentTarget) isAccepted = !send(currentTarget, 'dragover', end) && isAllowed(data)
  await nextFrame(view)
  let isDropped = false
  try {
    if (currentTarget && isAccepted) checkDrop(currentTarget, start, context)
    isDropped = currentTarget !== null && isAccepted
    if (currentTarget && isAccepted) send(currentTarget, 'drop', end)
  } finally {
    if (!isDropped) data.dropEffect = 'none'
    send(source, 'dragend', end)
  }
  return isDropped
}

function interpolate(start: Point, end: Point): Point[] {
  return Array.from({ length: STEPS + 1 }, (_, index) => {
    const fraction = Math.min(1, (index + 1) / STEPS)
    return { x: start.x + (end.x - start.x) * fraction, y: start.y + (end.y - start.y) * fraction }
  })
}

type Effect = DataTransfer['dropEffect']
type Allowed = DataTransfer['effectAllowed']

/** A `DataTransfer` with writable effects. Browsers ignore writes to the effects of a scripted `DataTransfer`. */
function dragData(view: Window & typeof globalThis): DataTransfer {
  return Object.defineProperties(new view.DataTransfer(), {
    effectAllowed: { value: 'uninitialized', writable: true },
    dropEffect: { value: 'none', writable: true },
  })
}

/** The default effect of the drop; the target may set another one. */
function getOfferedEffect(allowed: Allowed): Effect {
  if (allowed === 'uninitialized' || allowed === 'all' || allowed.startsWith('copy')) return 'copy'
  return allowed === 'linkMove' ? 'link' : (allowed as Effect)
}

/** Whether the source allows the effect that the target has set. */
function isAllowed({ effectAllowed, dropEffect }: DataTransfer): boolean {
  if (dropEffect === 'none') return false
  return (
    /^(uninitialized|all)$/.test(effectAllowed) || effectAllowed.toLowerCase().includes(dropEffect)
  )
}
