import { hasUserActivation, pageActs, type PageActs } from '../../protocol/page-acts.ts'
import { once } from '../../lib/once.ts'

/** No browser keeps a transient user activation for longer. Milliseconds. */
const ACTIVATION_MS = 5000
/**
 * Scripts can't cause trusted ones of these, whereas a `click` of a script on a label causes a trusted one
 * on its control.
 */
const PRESSES = ['pointerdown', 'pointerup', 'keydown', 'keyup']

/** The signal until which a window's presses are observed. */
const watched = new WeakMap<Window, AbortSignal>()

/**
 * Opens a span in which no event on the page counts as a person's, and returns the function that ends it. A
 * person's presses after it are observed in these windows until the signal is aborted.
 */
export function beginActing(
  views: Iterable<Window> = [],
  released: AbortSignal = AbortSignal.abort(),
): () => void {
  const acts = pageActs()
  for (const view of views) watchPresses(view, acts, released)
  acts.open++
  acts.turns++
  const end = once(() => {
    removeEventListener('pagehide', end)
    acts.open--
    acts.turns++
    acts.staleUntil = hasUserActivation() ? Date.now() + ACTIVATION_MS : 0
  })
  // A frame that is removed stops its code, and the record outlives it.
  addEventListener('pagehide', end)
  return end
}

function watchPresses(view: Window, acts: PageActs, signal: AbortSignal): void {
  if (watched.get(view)?.aborted === false) return
  watched.set(view, signal)
  const note = ({ isTrusted }: Event): void => {
    if (isTrusted) acts.pressed = acts.turns
  }
  for (const type of PRESSES) view.addEventListener(type, note, { capture: true, signal })
}
