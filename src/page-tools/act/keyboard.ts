import { focusedElement, isElement, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { clickByKey } from './dispatch-click.ts'
import { defaultAction } from './key-defaults.ts'
import { isEditable } from './field-kind.ts'
import { checkKey, checkPressed, type GuardedCall } from './guard-actions.ts'
import { isOneCharacter, type Key } from './key.ts'
import { dispatchWithoutDefault } from './dispatch-without-default.ts'
import type { Activation } from './sites.ts'

/**
 * Sends the events of a key press to an element, and runs the default action unless a listener prevents it.
 * Scripts can't press real keys. Throws a `PageError` when the tools may not use what the key goes to, now or after a
 * listener moved it.
 */
export function sendKeyPress(target: Element, key: Key, call: KeyCall): void {
  checkKey(target, call, activationBy(key, target, call))
  if (!sendKey(target, 'keydown', key)) return void sendKey(target, 'keyup', key)
  const prints = isPrintable(key)
  const goesOn = !(prints || key.key === 'Enter') || sendKey(target, 'keypress', key)
  if (goesOn)
    defaultAction(checkedTarget(target, key, call), key, (one, how) => checkKey(one, call, how))
  // `keyup` goes to the element that has the focus then.
  const after = connectedTarget(target)
  const receiver =
    key.key === 'Tab' ? nativeDocument.activeElement(native.ownerDocument(target)) : after
  if (receiver && sendKey(receiver, 'keyup', key) && goesOn && key.key === ' ')
    activateBySpace(checkedTarget(target, key, call), call)
}

interface KeyCall extends GuardedCall {
  /** An Enter is a line break of a text that is typed. */
  readonly isText?: boolean
}

/** Enter and Space activate, with modifiers, too; but not as a part of a text where there can be several lines. */
function activationBy(
  { key }: Key,
  receiver: Element,
  { isText }: KeyCall,
): Activation | undefined {
  if (key !== 'Enter' && key !== ' ') return undefined
  return key === 'Enter' && isText && isTag(receiver, 'textarea') ? undefined : 'activate'
}

function checkedTarget(target: Element, key: Key, call: KeyCall): Element {
  const now = connectedTarget(target)
  const activation = activationBy(key, now, call)
  if (now !== target) checkKey(now, call, activation)
  else if (activation && (key.key === 'Enter' || !isEditable(now)))
    checkPressed(now, call, activation)
  return now
}

/** A page that re-rendered at the key has focused another element. */
function connectedTarget(target: Element): Element {
  return native.isConnected(target)
    ? target
    : (focusedElement(native.ownerDocument(target)) ?? target)
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
function activateBySpace(target: Element, call: KeyCall): void {
  const reacts =
    isTag(target, 'button') ||
    isTag(target, 'summary') ||
    (isTag(target, 'input') && /^(button|submit|reset|checkbox|radio)$/.test(target.type))
  if (reacts && isElement(target)) clickByKey(target, () => checkPressed(target, call, 'activate'))
}
