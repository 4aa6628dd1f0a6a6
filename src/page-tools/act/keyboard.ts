import { focusedElement, isElement, isTag, viewOf } from '../dom.ts'
import { defaultAction } from './key-defaults.ts'
import { isOneCharacter, type Key } from './key.ts'
import { dispatchWithoutDefault } from './dispatch-without-default.ts'

/**
 * Presses a key on an element: its events, and what a browser would do besides, unless a listener
 * prevents that. Scripts can't press real keys.
 */
export function sendKeyPress(target: Element, key: Key): void {
  if (!sendKey(target, 'keydown', key)) return void sendKey(target, 'keyup', key)
  const prints = isPrintable(key)
  const goesOn = !(prints || key.key === 'Enter') || sendKey(target, 'keypress', key)
  if (goesOn) defaultAction(connectedTarget(target), key)
  // The focus may have moved: the key comes up where it is now.
  const after = connectedTarget(target)
  const receiver = key.key === 'Tab' ? target.ownerDocument.activeElement : after
  if (receiver && sendKey(receiver, 'keyup', key) && goesOn && key.key === ' ')
    activateBySpace(connectedTarget(target))
}

/** A page that draws itself anew at the key has focused something else. */
function connectedTarget(target: Element): Element {
  return target.isConnected ? target : (focusedElement(target.ownerDocument) ?? target)
}

function isPrintable({ key, ctrlKey, metaKey, altKey }: Key): boolean {
  return isOneCharacter(key) && !ctrlKey && !metaKey && !altKey
}

/** False when a listener prevented the default. */
export function sendKey(target: Element, type: string, key: Key): boolean {
  const view = viewOf(target)
  const { keyCode, ...rest } = key
  const charCode = type === 'keypress' ? (key.key === 'Enter' ? 13 : key.key.charCodeAt(0)) : 0
  const init: KeyboardEventInit = {
    ...rest,
    keyCode: charCode || keyCode,
    charCode,
    which: charCode || keyCode,
    bubbles: true,
    cancelable: true,
    composed: true,
    view,
  }
  return dispatchWithoutDefault(target, new view.KeyboardEvent(type, init))
}

/** Buttons and boxes react when the space bar comes up. */
function activateBySpace(target: Element): void {
  const reacts =
    isTag(target, 'button') ||
    isTag(target, 'summary') ||
    (isTag(target, 'input') && /^(button|submit|reset|checkbox|radio)$/.test(target.type))
  if (reacts && isElement(target)) target.click()
}
