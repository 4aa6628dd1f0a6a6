import { focusedElement, isElement, isTag, viewOf } from '../dom.ts'
import { defaultAction } from './key-defaults.ts'
import { isOneCharacter, type Key } from './key.ts'
import { dispatchWithoutDefault } from './dispatch-without-default.ts'

/**
 * Sends the events of a key press to an element, and runs the default action unless a listener prevents it.
 * Scripts can't press real keys.
 */
export function sendKeyPress(target: Element, key: Key): void {
  if (!sendKey(target, 'keydown', key)) return void sendKey(target, 'keyup', key)
  const prints = isPrintable(key)
  const goesOn = !(prints || key.key === 'Enter') || sendKey(target, 'keypress', key)
  if (goesOn) defaultAction(connectedTarget(target), key)
  // `keyup` goes to the element that has the focus then.
  const after = connectedTarget(target)
  const receiver = key.key === 'Tab' ? target.ownerDocument.activeElement : after
  if (receiver && sendKey(receiver, 'keyup', key) && goesOn && key.key === ' ')
    activateBySpace(connectedTarget(target))
}

/** A page that re-rendered at the key has focused another element. */
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

/** Buttons and checkboxes are activated by `keyup` of the space bar. */
function activateBySpace(target: Element): void {
  const reacts =
    isTag(target, 'button') ||
    isTag(target, 'summary') ||
    (isTag(target, 'input') && /^(button|submit|reset|checkbox|radio)$/.test(target.type))
  if (reacts && isElement(target)) target.click()
}
