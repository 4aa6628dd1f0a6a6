import { hasUserActivation, pageActs, type PageActs } from '../../protocol/page-acts.ts'
import { once } from '../../lib/once.ts'

/** Longest time for which any browser keeps a transient user activation. Milliseconds. */
const ACTIVATION_MS = 5000
/**
 * Events that a script can't cause with `isTrusted` set. `click` isn't one of them: a script's click on a label causes
 * a trusted click on the label's control.
 */
const PRESSES = ['pointerdown', 'pointerup', 'keydown', 'keyup']

/** Signals that end the observation of user gestures, by window. */
const watched = new WeakMap<Window, AbortSignal>()

/**
 * Starts a period in which no event on the page counts as a user gesture, and returns the function that ends it. Later
 * user gestures in these windows are observed until the signal is aborted.
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
  // Removing a frame stops the code in it, but the page-wide record remains.
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
