import { ancestorsOf } from '../dom.ts'

/** The tools' pointer, as its events call it. It is a mouse, and there is one. */
export const POINTER_ID = 1

type Methods = 'setPointerCapture' | 'releasePointerCapture' | 'hasPointerCapture'
type Tell = (target: Element, type: 'gotpointercapture' | 'lostpointercapture') => void

interface Grip {
  /** Who asked last; it counts from the next event on. */
  wanted: Element | null
  captor: Element | null
  readonly tell: Tell
  readonly giveBack: () => void
}

let grip: Grip | null = null

const ANSWERS: Readonly<Record<Methods, (element: Element) => unknown>> = {
  setPointerCapture: (element) => void (grip && (grip.wanted = element)),
  releasePointerCapture: (element) => void (grip?.wanted === element && (grip.wanted = null)),
  hasPointerCapture: (element) => grip?.wanted === element,
}

/**
 * From here until `letGo` the element below the pointer, and those around it, may capture the tools'
 * pointer. Browsers know of no such pointer: Firefox throws when an element asks for it, the others nod
 * and do nothing. So these elements, and no others, have methods of their own as long as a button is down.
 */
export function grasp(below: Element, tell: Tell): void {
  letGo()
  const lent = [below, ...ancestorsOf(below)].map(lend)
  const giveBack = (): void => {
    for (const end of lent) end()
  }
  grip = { wanted: null, captor: null, tell, giveBack }
}

/** The element that the pointer's next event goes to, whatever it is over; null: it is captured by none. */
export function captor(): Element | null {
  if (!grip) return null
  const before = grip.captor
  const now = grip.wanted?.isConnected ? grip.wanted : null
  grip.captor = now
  if (before !== now) {
    if (before) grip.tell(before, 'lostpointercapture')
    if (now) grip.tell(now, 'gotpointercapture')
  }
  return now
}

/** The button is up: nobody has the pointer, and all that was borrowed is back. */
export function letGo(): void {
  if (!grip) return
  grip.wanted = null
  captor()
  grip.giveBack()
  grip = null
}

/** Answers for the tools' pointer, until the function that comes back is called. */
function lend(element: Element): () => void {
  const saved = Object.entries(ANSWERS).map(([name, answer]) => {
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
