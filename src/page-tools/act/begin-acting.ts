import { hasUserActivation, pageActs, type PageActs } from '../../protocol/page-acts.ts'
import { once } from '../once.ts'

/** No browser keeps a transient user activation for longer. Milliseconds. */
const ACTIVATION_MS = 5000
/** Trusted ones can't be caused by scripts, whereas a `click` that comes from one on a label can. */
const PRESSES = ['pointerdown', 'pointerup', 'keydown', 'keyup']

/** Until when a window's presses are noticed. */
const watched = new WeakMap<Window, AbortSignal>()

/**
 * Opens a span in which nothing that happens on the page counts as a person's. Returns its end. A
 * person's presses after it are noticed in these windows until the signal is aborted.
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
  // A frame that goes ends the code in it, and the record outlives it.
  addEventListener('pagehide', end)
  return end
}

function watchPresses(view: Window, acts: PageActs, signal: AbortSignal): void {
  if (watched.get(view)?.aborted === false) return
  watched.set(view, signal)
  const note = ({ isTrusted }: Event): void => {
    if (isTrusted) acts.pressed = acts.turns
  }
  for (const type of PRESSES) view.addEventListener(type, note, { capture: true })
  signal.addEventListener('abort', () => {
    for (const type of PRESSES) view.removeEventListener(type, note, { capture: true })
  })
}
