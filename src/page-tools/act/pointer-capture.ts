import { ancestorsOf } from '../dom.ts'
import * as native from '../native.ts'

/** The id of the tools' pointer in its events. There is one, a mouse. */
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
 * Until `endPointerCapture`, the element below the pointer and its ancestors can capture the tools'
 * pointer. Browsers don't know this pointer: for its id Firefox throws, and the others do nothing. So the
 * methods of these elements, and of no others, are overridden while a button is down.
 */
export function allowPointerCapture(below: Element, send: SendCaptureEvent): void {
  endPointerCapture()
  const overridden = [below, ...ancestorsOf(below)].map(overrideMethods)
  const restore = (): void => {
    for (const end of overridden) end()
  }
  capture = { pending: null, target: null, send, restore }
}

/** The target of the pointer's next event, whatever it is over; null when it is not captured. */
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

/** The button is released: ends the capture and restores the methods. */
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
    // A form's own are hidden by its fields of these names, from its page, too.
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
