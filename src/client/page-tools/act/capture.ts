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

/**
 * From here until `letGo` elements may capture the tools' pointer. Browsers know of no such pointer:
 * Firefox throws when an element asks for it, the others nod and do nothing.
 */
export function grasp(view: Window & typeof globalThis, tell: Tell): void {
  letGo()
  const giveBack = lend(view.Element.prototype, {
    setPointerCapture: (element) => void (grip && (grip.wanted = element)),
    releasePointerCapture: (element) => void (grip?.wanted === element && (grip.wanted = null)),
    hasPointerCapture: (element) => grip?.wanted === element,
  })
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

/** Answers these methods for the tools' pointer, until the function that comes back is called. */
function lend(
  prototype: Element,
  answers: Readonly<Record<Methods, (element: Element) => unknown>>,
): () => void {
  const saved = Object.entries(answers).map(([name, answer]) => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
    const own = descriptor?.value as ((this: Element, id: number) => unknown) | undefined
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: Element, id: number) {
        return id === POINTER_ID ? answer(this) : own?.call(this, id)
      },
    })
    return [name, descriptor] as const
  })
  return () => {
    for (const [name, descriptor] of saved)
      if (descriptor) Object.defineProperty(prototype, name, descriptor)
      else Reflect.deleteProperty(prototype, name)
  }
}
