/** Stops of the arrow keys in a log, from top to bottom. */
const STOPS = '.message, .call:not(.calls .call), .earlier, .later'

/**
 * Handles `Alt+↑` and `Alt+↓`, which move the focus between messages and cards. From the composer, `Alt+↑` goes to a
 * card that waits for the person, otherwise to the newest message. After the newest message, `Alt+↓` returns to the
 * composer. Returns false for other keys.
 */
export function handleMessageKeys(root: ParentNode, event: KeyboardEvent): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event
  if (!altKey || ctrlKey || metaKey || shiftKey || (key !== 'ArrowUp' && key !== 'ArrowDown'))
    return false
  const stops = [...root.querySelectorAll<HTMLElement>(STOPS)]
  const prompt = root.querySelector<HTMLElement>('.prompt')
  const target = event.target as Element
  // Windows opens the control with these keys.
  if (target.matches('select, [type^=date]')) return false
  const from = target.closest<HTMLElement>(STOPS)
  const at = from ? stops.indexOf(from) : -1
  if (at < 0 && key === 'ArrowDown') return false
  const next =
    at < 0 ? (findWaitingCard(root) ?? stops.at(-1)) : stops[at + (key === 'ArrowUp' ? -1 : 1)]
  const stop = next ?? (key === 'ArrowDown' ? prompt : null)
  if (stop) goTo(stop)
  return true
}

/** The first card that waits for the person. */
export function findWaitingCard(root: ParentNode): HTMLElement | null {
  return root.querySelector<HTMLElement>('.call.waiting')
}

export function goTo(stop: HTMLElement): void {
  stop.focus({ preventScroll: true })
  stop.scrollIntoView({ block: 'nearest' })
}

/**
 * Whether an input method takes the key. Safari fires `compositionend` before the keydown that caused it, but gives
 * that keydown the code 229.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229
}

/** Handles an Escape that cancels an edit. It must not also close a bubble. */
export function onEscape(cancel: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape' || isComposing(event)) return
    event.preventDefault()
    cancel()
  }
}
