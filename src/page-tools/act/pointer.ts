import { ancestorsOf, focusedElement, isElement, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import {
  processPointerCapture,
  allowPointerCapture,
  endPointerCapture,
  POINTER_ID,
} from './pointer-capture.ts'
import type { Hit, Point } from './hit-test.ts'
import { dispatchClick } from './dispatch-click.ts'
import { dispatchWithoutDefault } from './dispatch-without-default.ts'
import { focusElement, hasFocus } from './focus.ts'

export interface Modifiers {
  readonly ctrlKey?: boolean
  readonly shiftKey?: boolean
  readonly altKey?: boolean
  readonly metaKey?: boolean
}

export interface PressOptions extends Modifiers {
  /** 0 left, 2 right. */
  readonly button: number
  /** 2 for the second click of a double click. */
  readonly detail: number
}

interface MouseDetails extends PressOptions {
  readonly buttons: number
  readonly point: Point
  readonly relatedTarget?: Element | null
}

const MOVE = { button: 0, detail: 0, buttons: 0 }

/** Moves the pointer onto an element; the events of the element that it leaves come first. */
export function movePointer(live: LivePage, { point, ...hit }: Hit, buttons: number = 0): void {
  const receiver = processPointerCapture() ?? hit.receiver
  const before = live.hovered && native.isConnected(live.hovered) ? live.hovered : null
  const details = { ...MOVE, buttons, point }
  if (before !== receiver) {
    if (before) leave(before, receiver, details)
    enter(receiver, before, details)
    live.hovered = receiver
  }
  send(receiver, 'pointermove', details)
  send(receiver, 'mousemove', details)
}

function leave(from: Element, to: Element, details: MouseDetails): void {
  const related = { ...details, relatedTarget: to }
  send(from, 'pointerout', related)
  for (const element of notShared(from, to)) send(element, 'pointerleave', related)
  send(from, 'mouseout', related)
  for (const element of notShared(from, to)) send(element, 'mouseleave', related)
}

function enter(to: Element, from: Element | null, details: MouseDetails): void {
  const related = { ...details, relatedTarget: from }
  const entered = notShared(to, from).toReversed()
  send(to, 'pointerover', related)
  for (const element of entered) send(element, 'pointerenter', related)
  send(to, 'mouseover', related)
  for (const element of entered) send(element, 'mouseenter', related)
}

/** The element and its ancestors, without those of the other element, innermost first. */
function notShared(element: Element, other: Element | null): Element[] {
  const shared = new Set(other ? [other, ...ancestorsOf(other)] : [])
  return [element, ...ancestorsOf(element)].filter((one) => !shared.has(one))
}

/** Button down: sends its events, then moves the focus as a person's click would. */
export function pressPointer({ point, receiver }: Hit, options: PressOptions): void {
  const details = { ...options, buttons: options.button === 2 ? 2 : 1, point }
  allowPointerCapture(receiver, (captured, type) => send(captured, type, details))
  send(receiver, 'pointerdown', details)
  if (send(receiver, 'mousedown', details)) focusFrom(receiver)
}

export function releasePointer({ point, ...hit }: Hit, options: PressOptions): void {
  const details = { ...options, buttons: 0, point }
  const receiver = processPointerCapture() ?? hit.receiver
  send(receiver, 'pointerup', details)
  endPointerCapture()
  send(receiver, 'mouseup', details)
}

/** Ends the pointer's own events, since a drag-and-drop begins. */
export function cancelPointer({ point, receiver }: Hit, options: PressOptions): void {
  send(processPointerCapture() ?? receiver, 'pointercancel', { ...options, buttons: 0, point })
  endPointerCapture()
}

/**
 * Sends one click with the events before it. If the page replaces the receiver between down and up, the click goes to
 * what was around it, inside `target`, as for a person. Returns false if `target` itself was replaced: nothing is
 * clicked. `check` throws if listeners have changed the element, so that it must not be released on or clicked.
 */
export function clickPointer(
  hit: Hit,
  options: PressOptions,
  { target, check }: { readonly target: Element; readonly check: (clicked: Element) => void },
): boolean {
  const { point } = hit
  const details = { ...options, buttons: 0, point }
  const places = placesIn(target, hit.receiver)
  const place = (): Element | undefined => places.find((one) => native.isConnected(one))
  pressPointer(hit, options)
  const receiver = place() ?? hit.receiver
  try {
    check(receiver)
  } catch (error) {
    cancelPointer(hit, options)
    throw error
  }
  if (options.button === 2) send(receiver, 'contextmenu', { ...details, buttons: 2 })
  releasePointer({ point, receiver }, options)
  const clicked = place()
  if (!clicked) return false
  check(clicked)
  if (options.button === 2) send(clicked, 'auxclick', details)
  else dispatchClick(clicked, initOf(clicked, 'click', details), () => check(clicked))
  if (options.button !== 2 && options.detail === 2) send(clicked, 'dblclick', details)
  return true
}

/** Elements under the pointer, innermost first, up to the target. */
function placesIn(target: Element, receiver: Element): readonly Element[] {
  const places = [receiver, ...ancestorsOf(receiver)]
  return places.slice(0, Math.max(1, places.indexOf(target) + 1))
}

/** Presses the button on nothing, without a click: floating lists close. */
export function pressOutside(body: Element): void {
  const details = { button: 0, detail: 1, point: { x: 0, y: 0 } }
  for (const [type, buttons] of OUTSIDE) send(body, type, { ...details, buttons })
}

const OUTSIDE = [
  ['pointerdown', 1],
  ['mousedown', 1],
  ['pointerup', 0],
  ['mouseup', 0],
] as const

/** False when a listener prevented the default. */
function send(target: Element, type: string, details: MouseDetails): boolean {
  const { MouseEvent, PointerEvent } = viewOf(target)
  const init = initOf(target, type, details)
  const Kind = /^(pointer|(got|lost)pointer|auxclick|contextmenu)/.test(type)
    ? PointerEvent
    : MouseEvent
  return dispatchWithoutDefault(target, new Kind(type, init))
}

function initOf(target: Element, type: string, details: MouseDetails): PointerEventInit {
  const view = viewOf(target)
  const { point, ...rest } = details
  return {
    ...rest,
    bubbles: !/(enter|leave)$/.test(type),
    cancelable: !/(enter|leave|capture|cancel)$/.test(type),
    composed: true,
    view,
    clientX: point.x,
    clientY: point.y,
    screenX: view.screenX + point.x,
    screenY: view.screenY + point.y,
    // Mouse events ignore the rest.
    pointerId: POINTER_ID,
    pointerType: 'mouse',
    isPrimary: true,
    pressure: details.buttons === 0 ? 0 : 0.5,
  }
}

const FOCUSABLE =
  'a[href],area[href],button,input,select,textarea,summary,iframe,[tabindex],[contenteditable],audio[controls],video[controls]'

/** Focuses the nearest focusable element; without one, blurs the focused element. */
function focusFrom(receiver: Element): void {
  for (const element of [receiver, ...ancestorsOf(receiver)]) {
    if (!isElement(element) || native.matches(element, ':disabled')) continue
    const label = isTag(element, 'label') && element.control
    if (label) return
    if (native.matches(element, FOCUSABLE) || native.shadowRoot(element)?.delegatesFocus) {
      if (!hasFocus(element)) focusElement(element)
      return
    }
  }
  const focused = focusedElement(native.ownerDocument(receiver))
  if (isElement(focused) && !isTag(focused, 'body')) native.blur(focused)
}
