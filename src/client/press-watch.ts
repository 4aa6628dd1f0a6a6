import { outermost } from '../protocol/page-acts.ts'
import { notePress } from './presses.ts'

const TYPES = ['click', 'keydown', 'keyup']

/** Records user gestures in all windows of this origin, around this one and in it, until the signal aborts. */
export class PressWatch {
  readonly #signal: AbortSignal
  /** Documents that have listeners. A frame that navigates loses its listeners, but keeps its window. */
  readonly #documents = new WeakSet<Document>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Adds listeners to all frames, including new ones. */
  look(): void {
    if (typeof document !== 'undefined') this.#lookIn(outermost().window)
  }

  #lookIn(view: Window): void {
    this.#observe(view)
    for (let at = 0; at < view.length; at++) {
      const frame = view[at]
      if (frame && isReachable(frame)) this.#lookIn(frame)
    }
  }

  #observe(view: Window): void {
    if (this.#documents.has(view.document)) return
    this.#documents.add(view.document)
    const options = { capture: true, signal: this.#signal }
    for (const type of TYPES) view.addEventListener(type, notePress, options)
    // A frame gets the focus before anything is pressed in it.
    const onBlur = ({ target }: Event): void => {
      // A capturing listener also gets the event for each element of the page.
      if (target === view) this.#lookWhereFocusGoes(view.document)
    }
    view.addEventListener('blur', onBlur, options)
  }

  #lookWhereFocusGoes({ activeElement, body, documentElement }: Document): void {
    // Firefox moves the focus after this event: until then nothing has it, so it may go to any frame.
    if (activeElement && activeElement !== body) this.#lookInFocused(activeElement)
    else this.#lookWithin(documentElement)
  }

  #lookWithin(root: Element | ShadowRoot): void {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) this.#lookWithin(element.shadowRoot)
      this.#lookInFrame(element)
    }
  }

  /** Looks in the frame that has the focus, within any open shadow root. */
  #lookInFocused(focused: Element | null): void {
    if (focused?.shadowRoot) return this.#lookInFocused(focused.shadowRoot.activeElement)
    this.#lookInFrame(focused)
  }

  #lookInFrame(element: Element | null): void {
    const view = (element as Partial<HTMLIFrameElement> | null)?.contentWindow
    if (view && isReachable(view)) this.#lookIn(view)
  }
}

function isReachable(view: Window): boolean {
  try {
    return view.document !== null
  } catch {
    // The frame is of another origin.
    return false
  }
}
