import { ancestorsOf, focusedElement, frameOf, isElement, isTag, pathOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import type { Hit, Point } from './hit-test.ts'
import * as nativeDocument from '../native-document.ts'

/** Id of the tools' only pointer, a mouse, in its events. */
const POINTER_ID = 1

type MethodName = 'setPointerCapture' | 'releasePointerCapture' | 'hasPointerCapture'
type SendCaptureEvent = (target: Element, type: 'gotpointercapture' | 'lostpointercapture') => void

interface Capture {
  /** The element that called `setPointerCapture` last; it gets the next event. */
  pending: Element | null
  target: Element | null
  readonly send: SendCaptureEvent
  readonly restore: () => void
}

let capture: Capture | null = null

const METHODS: Readonly<Record<MethodName, (element: Element) => unknown>> = {
  setPointerCapture: (element) => void (capture && (capture.pending = element)),
  releasePointerCapture: (element) =>
    void (capture?.pending === element && (capture.pending = null)),
  hasPointerCapture: (element) => capture?.pending === element,
}

/**
 * Lets the element below the pointer and its ancestors capture the tools' pointer until `endPointerCapture`. Browsers
 * don't know this pointer: Firefox throws for its id, and other browsers do nothing. While a button is down, the
 * elements' methods are therefore overridden.
 */
function allowPointerCapture(element: Element, send: SendCaptureEvent): void {
  endPointerCapture()
  const restorers = [element, ...ancestorsOf(element)].map(overrideMethods)
  const restore = (): void => {
    for (const restoreMethods of restorers) restoreMethods()
  }
  capture = { pending: null, target: null, send, restore }
}

/** The target of the pointer's next event, wherever the pointer is; null when it isn't captured. */
export function processPointerCapture(): Element | null {
  if (!capture) return null
  const previous = capture.target
  const current = capture.pending && native.isConnected(capture.pending) ? capture.pending : null
  capture.target = current
  if (previous !== current) {
    if (previous) capture.send(previous, 'lostpointercapture')
    if (current) capture.send(current, 'gotpointercapture')
  }
  return current
}

/** Ends the capture and restores the methods when the button is released. */
export function endPointerCapture(): void {
  if (!capture) return
  capture.pending = null
  processPointerCapture()
  capture.restore()
  capture = null
}

/** Overrides the methods for the tools' pointer; returns the function that restores them. */
function overrideMethods(element: Element): () => void {
  const saved = Object.entries(METHODS).flatMap(([name, answer]) => {
    const method: unknown = Reflect.get(element, name)
    // A form field named like the method hides the method, also from the page.
    if (typeof method !== 'function') return []
    const descriptor = Object.getOwnPropertyDescriptor(element, name)
    Object.defineProperty(element, name, {
      configurable: true,
      writable: true,
      value: (id: number) => (id === POINTER_ID ? answer(element) : method.call(element, id)),
    })
    return [[name, descriptor] as const]
  })
  return () => {
    for (const [name, descriptor] of saved)
      if (descriptor) Object.defineProperty(element, name, descriptor)
      else Reflect.deleteProperty(element, name)
  }
}

/**
 * Dispatches an event without the browser's default action; returns false when a listener prevented the default. The
 * caller performs the default action itself, so that all browsers behave alike. By the standard, events of scripts have
 * no default action. Yet in WebKit, a script's `mousedown` moves sliders and lists, and its Enter submits. In Firefox,
 * its Enter follows links. The event is therefore prevented before it is dispatched, and hides that from its listeners.
 */
export function dispatchWithoutDefault(target: EventTarget, event: Event): boolean {
  let prevented = false
  event.preventDefault()
  const prevent = (): void => {
    prevented ||= event.cancelable
  }
  Object.defineProperties(event, {
    preventDefault: { value: prevent },
    defaultPrevented: { get: () => prevented },
    returnValue: {
      get: () => !prevented,
      set: (value: unknown) => {
        if (!value) prevent()
      },
    },
  })
  native.dispatchEvent(target, event)
  return !prevented
}

/**
 * Dispatches a click. A listener may give a link another address or a new tab. So the page's listeners run first,
 * without the default action. Then `check` throws unless the link may be followed as it is now. A second click, hidden
 * from all listeners, follows it.
 */
function dispatchClick(target: Element, init: MouseEventInit, check: () => void): void {
  const { PointerEvent } = viewOf(target)
  const click = (): MouseEvent =>
    new PointerEvent('click', { ...init, bubbles: true, cancelable: true, composed: true })
  if (pathOf(target, 'a,area').length === 0) return void native.dispatchEvent(target, click())
  if (!dispatchWithoutDefault(target, click())) return
  check()
  runSilently('click', target, () => native.dispatchEvent(target, click()))
}

/** Clicks as Enter and Space do: disabled elements ignore such clicks. */
export function clickByKey(target: HTMLElement, check: () => void): void {
  if (pathOf(target, 'a,area').length === 0) native.click(target)
  else if (!native.matches(target, ':disabled')) dispatchClick(target, {}, check)
}

/** Runs `action`, hiding its events of this type from the page's listeners. */
function runSilently(type: string, target: Element, action: () => void): void {
  const { EventTarget } = viewOf(target)
  // Browsers follow a link even if a listener has removed it from the page.
  const outermost = native.isConnected(target) ? viewOf(target) : native.getRootNode(target)
  const silence = (event: Event): void => event.stopImmediatePropagation()
  const controller = new AbortController()
  const options = { capture: true, signal: controller.signal }
  EventTarget.prototype.addEventListener.call(outermost, type, silence, options)
  action()
  controller.abort()
}

/** Whether keys go to the element: it is focused in its document, and so is each frame around it. */
function hasFocus(element: Element): boolean {
  const document = native.ownerDocument(element)
  return focusedElement(document) === element && frameHasFocus(document)
}

/**
 * Focuses the element without scrolling. Focuses the frames around it first, because a frame's document has a focus of
 * its own.
 */
export function focusElement(element: HTMLElement): void {
  focusFrame(native.ownerDocument(element))
  native.focus(element, { preventScroll: true })
}

/** Focuses the frames around a document. The focus inside the document doesn't change. */
export function focusFrame(document: Document): void {
  const frame = frameOf(document)
  if (!isElement(frame) || frameHasFocus(document)) return
  focusFrame(native.ownerDocument(frame))
  native.focus(frame, { preventScroll: true })
}

function frameHasFocus(document: Document): boolean {
  const frame = frameOf(document)
  if (!frame) return true
  const outer = native.ownerDocument(frame)
  return nativeDocument.activeElement(outer) === findOutermostHost(frame) && frameHasFocus(outer)
}

/**
 * The element that `activeElement` returns for a focused frame: the frame, or the outermost host of its shadow root.
 */
function findOutermostHost(frame: Element): Element {
  let host = frame
  for (let root = native.getRootNode(host); 'host' in root; root = native.getRootNode(host))
    host = (root as ShadowRoot).host
  return host
}

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
    if (before) sendCrossing('leave', before, { ...details, relatedTarget: receiver })
    sendCrossing('enter', receiver, { ...details, relatedTarget: before })
    live.hovered = receiver
  }
  send(receiver, 'pointermove', details)
  send(receiver, 'mousemove', details)
}

/** Sends the events of a pointer that enters or leaves an element, coming from or going to the other element. */
function sendCrossing(
  verb: 'enter' | 'leave',
  element: Element,
  details: MouseDetails & { readonly relatedTarget: Element | null },
): void {
  const crossedElements = excludeShared(element, details.relatedTarget)
  if (verb === 'enter') crossedElements.reverse()
  for (const kind of ['pointer', 'mouse']) {
    send(element, kind + (verb === 'enter' ? 'over' : 'out'), details)
    for (const crossed of crossedElements) send(crossed, kind + verb, details)
  }
}

/** The element and its ancestors, innermost first, without the other element and its ancestors. */
function excludeShared(element: Element, other: Element | null): Element[] {
  const shared = new Set(other ? [other, ...ancestorsOf(other)] : [])
  return [element, ...ancestorsOf(element)].filter((candidate) => !shared.has(candidate))
}

/** Presses the button: sends the events, then moves the focus as a person's click would. */
export function pressPointer({ point, receiver }: Hit, options: PressOptions): void {
  const details = { ...options, buttons: options.button === 2 ? 2 : 1, point }
  allowPointerCapture(receiver, (captured, type) => send(captured, type, details))
  send(receiver, 'pointerdown', details)
  if (send(receiver, 'mousedown', details)) focusNearest(receiver)
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
 * clicked. `check` throws if listeners have changed the element so that it must not be clicked.
 */
export function clickPointer(
  hit: Hit,
  options: PressOptions,
  { target, check }: { readonly target: Element; readonly check: (clicked: Element) => void },
): boolean {
  const { point } = hit
  const details = { ...options, buttons: 0, point }
  const receivers = listReceivers(target, hit.receiver)
  const findConnected = (): Element | undefined =>
    receivers.find((candidate) => native.isConnected(candidate))
  pressPointer(hit, options)
  const receiver = findConnected() ?? hit.receiver
  try {
    check(receiver)
  } catch (error) {
    cancelPointer(hit, options)
    throw error
  }
  if (options.button === 2) send(receiver, 'contextmenu', { ...details, buttons: 2 })
  releasePointer({ point, receiver }, options)
  const clicked = findConnected()
  if (!clicked) return false
  check(clicked)
  if (options.button === 2) send(clicked, 'auxclick', details)
  else dispatchClick(clicked, createInit(clicked, 'click', details), () => check(clicked))
  if (options.button !== 2 && options.detail === 2) send(clicked, 'dblclick', details)
  return true
}

/** Elements under the pointer, innermost first, up to the target. */
function listReceivers(target: Element, receiver: Element): readonly Element[] {
  const receivers = [receiver, ...ancestorsOf(receiver)]
  return receivers.slice(0, Math.max(1, receivers.indexOf(target) + 1))
}

/** Presses the button outside of any element, without a click, so that floating lists close. */
export function pressOutside(body: Element): void {
  const details = { button: 0, detail: 1, point: { x: 0, y: 0 } }
  for (const [type, buttons] of OUTSIDE_EVENTS) send(body, type, { ...details, buttons })
}

const OUTSIDE_EVENTS = [
  ['pointerdown', 1],
  ['mousedown', 1],
  ['pointerup', 0],
  ['mouseup', 0],
] as const

/** Returns false when a listener prevented the default. */
function send(target: Element, type: string, details: MouseDetails): boolean {
  const { MouseEvent, PointerEvent } = viewOf(target)
  const init = createInit(target, type, details)
  const Kind = /^(pointer|(got|lost)pointer|auxclick|contextmenu)/.test(type)
    ? PointerEvent
    : MouseEvent
  return dispatchWithoutDefault(target, new Kind(type, init))
}

function createInit(target: Element, type: string, details: MouseDetails): PointerEventInit {
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
    // Mouse events ignore the following properties.
    pointerId: POINTER_ID,
    pointerType: 'mouse',
    isPrimary: true,
    pressure: details.buttons === 0 ? 0 : 0.5,
  }
}

export const FOCUSABLE =
  'a[href],area[href],button,input,select,textarea,summary,iframe,[tabindex],[contenteditable],audio[controls],video[controls]'

/** Focuses the nearest focusable element. If there is none, blurs the focused element. */
function focusNearest(receiver: Element): void {
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
