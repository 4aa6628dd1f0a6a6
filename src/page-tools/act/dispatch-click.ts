import { pathOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { dispatchWithoutDefault } from './dispatch-without-default.ts'

/**
 * Dispatches a click. A listener may give a link another address or a new tab, so the page's listeners run first and
 * without the default action. `check` then throws unless the link may be followed as it is now. A second click follows
 * it, which no listener receives.
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

/** Handles Enter and Space likewise, since disabled buttons ignore them. */
export function clickByKey(target: HTMLElement, check: () => void): void {
  if (pathOf(target, 'a,area').length === 0) native.click(target)
  else if (!native.matches(target, ':disabled')) dispatchClick(target, {}, check)
}

/** Does something whose events of this type reach no listener of the page. */
function silently(type: string, target: Element, act: () => void): void {
  const { EventTarget } = viewOf(target)
  // A link that a listener has removed is followed all the same.
  const outermost = native.isConnected(target) ? viewOf(target) : native.getRootNode(target)
  const silence = (event: Event): void => event.stopImmediatePropagation()
  const silenced = new AbortController()
  const options = { capture: true, signal: silenced.signal }
  EventTarget.prototype.addEventListener.call(outermost, type, silence, options)
  act()
  silenced.abort()
}
