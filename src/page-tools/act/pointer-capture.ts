import { ancestorsOf } from '../dom.ts'
import * as native from '../native.ts'

/** Id of the tools' only pointer, a mouse, in its events. */
export const POINTER_ID = 1

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
 * don't know this pointer: for its id, Firefox throws and the others do nothing. The methods of these elements are
 * therefore overridden while a button is down.
 */
export function allowPointerCapture(below: Element, send: SendCaptureEvent): void {
  endPointerCapture()
  const overridden = [below, ...ancestorsOf(below)].map(overrideMethods)
  const restore = (): void => {
    for (const end of overridden) end()
  }
  capture = { pending: null, target: null, send, restore }
}

/** The target of the pointer's next event, wherever the pointer is; null when it isn't captured. */
export function processPointerCapture(): Element | null {
  if (!capture) return null
  const before = capture.target
  const now = capture.pending && native.isConnected(capture.pending) ? capture.pending : null
  capture.target = now
  if (before !== now) {
    if (before) capture.send(before, 'lostpointercapture')
    if (now) capture.send(now, 'gotpointercapture')
  }
  return now
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
    // A form field with the name of the method hides it, from the page as well.
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
