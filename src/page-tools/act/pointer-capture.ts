import { ancestorsOf } from '../dom.ts'

/** The tools' pointer, as its events call it. It is a mouse, and there is one. */
export const POINTER_ID = 1

type MethodName = 'setPointerCapture' | 'releasePointerCapture' | 'hasPointerCapture'
type SendCaptureEvent = (target: Element, type: 'gotpointercapture' | 'lostpointercapture') => void

interface Capture {
  /** Who asked last; it counts from the next event on. */
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
 * From here until `endPointerCapture` the element below the pointer, and those around it, may capture the tools'
 * pointer. Browsers know of no such pointer: Firefox throws when an element asks for it, the others nod
 * and do nothing. So these elements, and no others, have methods of their own as long as a button is down.
 */
export function allowPointerCapture(below: Element, send: SendCaptureEvent): void {
  endPointerCapture()
  const overridden = [below, ...ancestorsOf(below)].map(overrideMethods)
  const restore = (): void => {
    for (const end of overridden) end()
  }
  capture = { pending: null, target: null, send, restore }
}

/** The element that the pointer's next event goes to, whatever it is over; null: it is captured by none. */
export function processPointerCapture(): Element | null {
  if (!capture) return null
  const before = capture.target
  const now = capture.pending?.isConnected ? capture.pending : null
  capture.target = now
  if (before !== now) {
    if (before) capture.send(before, 'lostpointercapture')
    if (now) capture.send(now, 'gotpointercapture')
  }
  return now
}

/** The button is up: nobody has the pointer, and all that was borrowed is back. */
export function endPointerCapture(): void {
  if (!capture) return
  capture.pending = null
  processPointerCapture()
  capture.restore()
  capture = null
}

/** Answers for the tools' pointer, until the function that comes back is called. */
function overrideMethods(element: Element): () => void {
  const saved = Object.entries(METHODS).map(([name, answer]) => {
    const descriptor = Object.getOwnPropertyDescriptor(element, name)
    const method = Reflect.get(element, name) as (id: number) => unknown
    Object.defineProperty(element, name, {
      configurable: true,
      writable: true,
      value: (id: number) => (id === POINTER_ID ? answer(element) : method.call(element, id)),
    })
    return [name, descriptor] as const
  })
  return () => {
    for (const [name, descriptor] of saved)
      if (descriptor) Object.defineProperty(element, name, descriptor)
      else Reflect.deleteProperty(element, name)
  }
}
