import { pathOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { dispatchWithoutDefault } from './dispatch-without-default.ts'

/**
 * Dispatches a click. A listener may give a link another address or a new tab. So the page's listeners run first,
 * without the default action. Then `check` throws unless the link may be followed as it is now. A second click, hidden
 * from all listeners, follows it.
 */
export function dispatchClick(target: Element, init: MouseEventInit, check: () => void): void {
  const { PointerEvent } = viewOf(target)
  const click = (): MouseEvent =>
    new PointerEvent('click', { ...init, bubbles: true, cancelable: true, composed: true })
  if (pathOf(target, 'a,area').length === 0) return void native.dispatchEvent(target, click())
  if (!dispatchWithoutDefault(target, click())) return
  check()
  silently('click', target, () => native.dispatchEvent(target, click()))
}

/** Clicks as Enter and Space do: disabled elements ignore them. */
export function clickByKey(target: HTMLElement, check: () => void): void {
  if (pathOf(target, 'a,area').length === 0) native.click(target)
  else if (!native.matches(target, ':disabled')) dispatchClick(target, {}, check)
}

/** Runs `act`, hiding its events of this type from the page's listeners. */
function silently(type: string, target: Element, act: () => void): void {
  const { EventTarget } = viewOf(target)
  // Browsers follow a link even if a listener has removed it from the page.
  const outermost = native.isConnected(target) ? viewOf(target) : native.getRootNode(target)
  const silence = (event: Event): void => event.stopImmediatePropagation()
  const silenced = new AbortController()
  const options = { capture: true, signal: silenced.signal }
  EventTarget.prototype.addEventListener.call(outermost, type, silence, options)
  act()
  silenced.abort()
}
