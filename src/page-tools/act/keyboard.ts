import { closest, descendantsOf, focusedElement, isElement, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { clickByKey, dispatchWithoutDefault } from './pointer.ts'
import {
  editContextOf,
  isEditable,
  isPlainTextField,
  sendChoice,
  setNativeValue,
} from './field-kind.ts'
import { checkKey, checkPressed, type GuardedCall } from './guard-actions.ts'
import { isOneCharacter, type Key } from './key.ts'
import type { Activation } from './sites.ts'
import { deleteText, insertText, moveCaret, selectAll, submitImplicitly } from './edit-text.ts'
import { hiddenReason } from '../outline/visibility.ts'

/**
 * Sends the events of a key press to an element, and runs the default action unless a listener prevents it: scripts
 * can't press real keys. Throws a `PageError` when the tools may not use the element that the key goes to. This is
 * checked again after a listener has moved the focus.
 */
export function sendKeyPress(target: Element, key: Key, call: KeyCall): void {
  checkKey(target, call, activationBy(key, target, call))
  if (!sendKey(target, 'keydown', key)) return void sendKey(target, 'keyup', key)
  const prints = isPrintable(key)
  const goesOn = !(prints || key.key === 'Enter') || sendKey(target, 'keypress', key)
  if (goesOn)
    defaultAction(checkedTarget(target, key, call), key, (one, how) => checkKey(one, call, how))
  // `keyup` goes to the element that has the focus after the default action.
  const after = connectedTarget(target)
  const receiver =
    key.key === 'Tab' ? nativeDocument.activeElement(native.ownerDocument(target)) : after
  if (receiver && sendKey(receiver, 'keyup', key) && goesOn && key.key === ' ')
    activateBySpace(checkedTarget(target, key, call), call)
}

interface KeyCall extends GuardedCall {
  /** Whether the key is part of a typed text, so that Enter is a line break. */
  readonly isText?: boolean
}

/** Enter and Space activate an element, also with modifiers. An Enter in a text typed into a textarea doesn't. */
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

/** The target, or the focused element if the page removed the target when it re-rendered. */
function connectedTarget(target: Element): Element {
  return native.isConnected(target)
    ? target
    : (focusedElement(native.ownerDocument(target)) ?? target)
}

function isPrintable({ key, ctrlKey, metaKey, altKey }: Key): boolean {
  return isOneCharacter(key) && !ctrlKey && !metaKey && !altKey
}

/** Returns false when a listener prevented the default. */
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

/** Activates a button or checkbox, as `keyup` of the space bar does. */
function activateBySpace(target: Element, call: KeyCall): void {
  const reacts =
    isTag(target, 'button') ||
    isTag(target, 'summary') ||
    (isTag(target, 'input') && /^(button|submit|reset|checkbox|radio)$/.test(target.type))
  if (reacts && isElement(target)) clickByKey(target, () => checkPressed(target, call, 'activate'))
}

/** The default action of a key whose event no listener prevented. `check` throws unless another element may be used. */
function defaultAction(target: Element, key: Key, check: KeyCheck): void {
  const { key: name } = key
  if (name === 'Tab') return moveFocus(target, key.shiftKey ? -1 : 1)
  if (name === 'Escape') return closeDialog(target)
  if (name === 'Enter') return pressEnter(target, key, check)
  if (/^(Arrow|Home$|End$|Page)/.test(name)) return moveByKey(target, key, check)
  if (!isElement(target)) return
  if (name === 'Backspace' || name === 'Delete') return deleteText(target, name)
  if ((key.ctrlKey || key.metaKey) && name.toLowerCase() === 'a') return selectAll(target)
  const prints = isOneCharacter(name) && !key.ctrlKey && !key.metaKey && !key.altKey
  const writes =
    isPlainTextField(target) || native.isContentEditable(target) || editContextOf(target) !== null
  if (prints && writes) insertText(target, name)
}

function pressEnter(target: Element, key: Key, check: KeyCheck): void {
  if (!isElement(target)) return
  if (isTag(target, 'textarea')) insertText(target, '\n')
  else if (native.isContentEditable(target) || editContextOf(target))
    insertText(target, '\n', key.shiftKey ? 'insertLineBreak' : 'insertParagraph')
  else if (isTag(target, 'input') && !/^(button|submit|reset|image|file|color)$/.test(target.type))
    submitImplicitly(target)
  else if (native.matches(target, 'a[href],button,summary,input'))
    clickByKey(target, () => check(target, 'activate'))
}

function moveByKey(target: Element, key: Key, check: KeyCheck): void {
  const { key: name } = key
  if (isTag(target, 'input') && /^(range|number)$/.test(target.type)) return stepField(target, name)
  if (isTag(target, 'input') && target.type === 'radio') return moveRadio(target, name, check)
  if (isTag(target, 'select')) return stepSelect(target, name, check)
  if (isElement(target) && (isPlainTextField(target) || native.isContentEditable(target)))
    return moveCaret(target, key)
  scrollByKey(target, name)
}

function scrollByKey(target: Element, name: string): void {
  const view = nativeDocument.defaultView(native.ownerDocument(target))
  if (!view) return
  const page = view.innerHeight * 0.9
  const down: Readonly<Record<string, number>> = {
    ArrowDown: 40,
    ArrowUp: -40,
    PageDown: page,
    PageUp: -page,
    Home: -1e6,
    End: 1e6,
  }
  view.scrollBy({ top: down[name] ?? 0, behavior: 'instant' })
}

function closeDialog(target: Element): void {
  const popover = closest(target, '[popover]:popover-open')
  if (isElement(popover)) return native.hidePopover(popover)
  const dialog =
    closest(target, 'dialog[open]') ??
    native.querySelector(native.ownerDocument(target), 'dialog:modal')
  if (!dialog || !isTag(dialog, 'dialog') || !dialog.matches(':modal')) return
  if (dialog.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close()
}

/** Throws unless a key may use the element that it leads to. */
type KeyCheck = (element: Element, activation?: Activation) => void

/** Handles arrow keys in a number or range field. */
function stepField(field: HTMLInputElement, key: string): void {
  const before = field.value
  const up = /^(ArrowUp|ArrowRight|PageUp)$/.test(key)
  const isRange = field.type === 'range'
  if (!isRange && /^(ArrowLeft|ArrowRight|Home|End)$/.test(key)) return
  if (key === 'Home') setNativeValue(field, field.min || '0')
  else if (key === 'End') setNativeValue(field, field.max || '100')
  else if (up) field.stepUp(key.startsWith('Page') ? 10 : 1)
  else field.stepDown(key.startsWith('Page') ? 10 : 1)
  if (field.value !== before) sendChoice(field)
}

/** Handles arrow keys in a group of radio buttons, which move the choice. */
function moveRadio(radio: HTMLInputElement, key: string, check: KeyCheck): void {
  if (!key.startsWith('Arrow')) return
  const scope = radio.form ?? (radio.getRootNode() as Document)
  const group = [...native.querySelectorAll<HTMLInputElement>(scope, 'input')].filter(
    (input) => input.type === 'radio' && input.name === radio.name && !input.matches(':disabled'),
  )
  const step = /(Right|Down)$/.test(key) ? 1 : -1
  const next = group.at((group.indexOf(radio) + step) % group.length)
  if (!next || next === radio) return
  check(next, 'click')
  next.focus()
  next.click()
}

/** Handles arrow keys in a closed native select. */
function stepSelect(select: HTMLSelectElement, key: string, check: KeyCheck): void {
  const options = [...select.options].filter(({ disabled }) => !disabled)
  const at = options.findIndex((option) => option.index === select.selectedIndex)
  const step = /(Right|Down)$/.test(key) ? 1 : -1
  const wanted = key === 'Home' ? 0 : key === 'End' ? options.length - 1 : Math.max(0, at + step)
  const option = options[Math.min(wanted, options.length - 1)]
  if (!option || option.index === select.selectedIndex) return
  check(option)
  select.selectedIndex = option.index
  sendChoice(select)
}

const FOCUSABLE =
  'a[href],area[href],button,input,select,textarea,summary,iframe,[tabindex],[contenteditable]'

/** The default action of the Tab key: focuses the next element in tab order, forwards or backwards. */
function moveFocus(from: Element, step: 1 | -1): void {
  const ownerDocument = native.ownerDocument(from)
  const modal = native.querySelector(ownerDocument, 'dialog:modal')
  const order = tabOrder(modal ?? nativeDocument.body(ownerDocument))
  const at = order.indexOf(from as HTMLElement)
  const next =
    at < 0 ? nearest(order, from, step) : order[(at + step + order.length) % order.length]
  if (next) native.focus(next)
}

function tabOrder(root: Element): HTMLElement[] {
  const found = [...descendantsOf(root)].filter(
    (element) =>
      isElement(element) &&
      native.matches(element, FOCUSABLE) &&
      native.tabIndex(element) >= 0 &&
      !native.matches(element, ':disabled') &&
      isTabStopOfGroup(element) &&
      hiddenReason(element) === null,
  ) as HTMLElement[]
  const rank = (element: HTMLElement): number =>
    native.tabIndex(element) || Number.POSITIVE_INFINITY
  return found.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
}

/** Whether Tab stops at the element. A group of radio buttons has one tab stop: the checked one, or the first. */
function isTabStopOfGroup(element: Element): boolean {
  if (!isTag(element, 'input') || element.type !== 'radio' || element.checked || !element.name)
    return true
  const scope = element.form ?? (element.getRootNode() as Document)
  const group = [...native.querySelectorAll<HTMLInputElement>(scope, 'input')].filter(
    (input) => input.type === 'radio' && input.name === element.name,
  )
  return !group.some(({ checked }) => checked) && group[0] === element
}

function nearest(
  order: readonly HTMLElement[],
  from: Element,
  step: 1 | -1,
): HTMLElement | undefined {
  const wanted = step === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING
  const side = order.filter((element) => native.compareDocumentPosition(from, element) & wanted)
  return step === 1 ? (side[0] ?? order[0]) : (side.at(-1) ?? order.at(-1))
}
