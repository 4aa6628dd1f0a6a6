import { outermost } from '../protocol/page-acts.ts'
import { notePress } from './presses.ts'

const TYPES = ['click', 'keydown', 'keyup']

/** Notes the presses in all windows of this origin, around and in this one, until the signal is aborted. */
export class PressWatch {
  readonly #signal: AbortSignal
  /** A frame that navigates loses its listeners, and keeps its window. */
  readonly #documents = new WeakSet<Document>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Also in frames that came since. */
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
    // The focus goes to a frame before anything is pressed in it.
    const onBlur = ({ target }: Event): void => {
      // Captured, it comes for each element of the page, too.
      if (target === view) this.#lookWhereFocusGoes(view.document)
    }
    view.addEventListener('blur', onBlur, options)
  }

  #lookWhereFocusGoes({ activeElement, body, documentElement }: Document): void {
    // Firefox moves the focus after this event: until then nothing has it, and the frame may be any.
    if (activeElement && activeElement !== body) this.#lookInFocused(activeElement)
    else this.#lookWithin(documentElement)
  }

  #lookWithin(root: Element | ShadowRoot): void {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) this.#lookWithin(element.shadowRoot)
      this.#lookInFrame(element)
    }
  }

  /** The frame that has the focus, in whatever open shadow root it is. */
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
    // Of another origin.
    return false
  }
}
