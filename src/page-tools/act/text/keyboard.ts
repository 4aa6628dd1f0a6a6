import {
  closest,
  contains,
  descendantsOf,
  focusedElement,
  isElement,
  isTag,
  viewOf,
} from '../../dom.ts'
import * as native from '../../native.ts'
import * as nativeDocument from '../../native-document.ts'
import { clickByKey, dispatchWithoutDefault, FOCUSABLE } from '../pointer.ts'
import {
  editContextOf,
  isEditable,
  blocksSubmission,
  isPlainTextField,
  isTypedField,
  radiosOf,
  sendChoice,
  setNativeValue,
  type EditContext,
  sendInput,
  setText,
  type TextField,
  fieldText,
} from '../field-kind.ts'
import { checkKey, checkPressed, type ActionContext } from '../guard-actions.ts'
import { isOneCharacter, type Key } from './key.ts'
import { type Activation, defaultButtonOf, elementsOf } from '../sites.ts'
import { openModal } from '../../outline/live-outline.ts'
import type { LivePage } from '../../outline/live-page.ts'
import { isAllowed } from '../../outline/region.ts'
import { isDisabled } from '../../outline/state.ts'
import { hiddenReason } from '../../outline/visibility.ts'

/**
 * Sends the events of a key press to an element, and runs the default action unless a listener prevents it: scripts
 * can't press real keys. Throws a `PageError` when the tools aren't allowed to use the element that the key goes to.
 * This is checked again after a listener has moved the focus.
 */
export function sendKeyPress(target: Element, key: Key, call: KeyCall): void {
  checkKey(target, call, activationBy(key, target, call))
  if (!sendKey(target, 'keydown', key)) return void sendKey(target, 'keyup', key)
  const prints = isPrintable(key)
  const isAllowed = !(prints || key.key === 'Enter') || sendKey(target, 'keypress', key)
  if (isAllowed) defaultAction(checkTarget(target, key, call), key, call)
  // `keyup` goes to the element that has the focus after the default action.
  const after = findConnectedTarget(target)
  const receiver =
    key.key === 'Tab' ? nativeDocument.activeElement(native.ownerDocument(target)) : after
  if (receiver && sendKey(receiver, 'keyup', key) && isAllowed && key.key === ' ')
    activateBySpace(checkTarget(target, key, call), call)
}

interface KeyCall extends ActionContext {
  /** Whether the key is part of a typed text, so that Enter is a line break. */
  readonly isText?: boolean
}

/**
 * Enter and Space activate an element, also with modifiers. Exceptions: a Space in a text field, and an Enter in a text
 * typed into a textarea.
 */
export function activationBy(
  { key }: Key,
  receiver: Element,
  { isText }: Pick<KeyCall, 'isText'> = {},
): Activation | undefined {
  if (key !== 'Enter' && (key !== ' ' || isEditable(receiver))) return undefined
  return key === 'Enter' && isText && isTag(receiver, 'textarea') ? undefined : 'activate'
}

function checkTarget(target: Element, key: Key, call: KeyCall): Element {
  const current = findConnectedTarget(target)
  const activation = activationBy(key, current, call)
  if (current !== target) checkKey(current, call, activation)
  else if (activation) checkPressed(current, call, activation)
  return current
}

/** The target, or the focused element if the page removed the target when it re-rendered. */
function findConnectedTarget(target: Element): Element {
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

/** The default action of a key whose event no listener prevented. */
function defaultAction(target: Element, key: Key, call: KeyCall): void {
  const { key: name } = key
  const check: KeyCheck = (element, activation) => checkKey(element, call, activation)
  if (name === 'Tab') return moveFocus(target, key.shiftKey ? -1 : 1)
  if (name === 'Escape') return closeDialog(target, call.live)
  if (name === 'Enter') return pressEnter(target, key, check)
  if (/^(Arrow|Home$|End$|Page)/.test(name)) return moveByKey(target, key, check)
  if (!isElement(target)) return
  if (name === 'Backspace' || name === 'Delete') return deleteText(target, name)
  if ((key.ctrlKey || key.metaKey) && name.toLowerCase() === 'a') return selectAll(target)
  const acceptsText = isTypedField(target) || editContextOf(target) !== null
  if (isPrintable(key) && acceptsText) insertText(target, name)
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
  if (isElement(target) && isTypedField(target)) return moveCaret(target, key)
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

/** Open popovers that Escape closes, wherever the focus is. */
const POPOVERS = '[popover]:not([popover=manual]):popover-open'

/** Closes the popover or dialog on top, unless it lies outside of what the tools may use. */
function closeDialog(target: Element, { options }: LivePage): void {
  const ownerDocument = native.ownerDocument(target)
  const popovers = [...native.querySelectorAll(ownerDocument, POPOVERS)]
  const popover =
    popovers.findLast((candidate) => isAllowed(candidate, options)) ?? closest(target, POPOVERS)
  if (isElement(popover)) return native.hidePopover(popover)
  const dialog = closest(target, 'dialog:modal') ?? openModal(ownerDocument)
  if (!dialog || !isTag(dialog, 'dialog') || native.matches(dialog, '[closedby=none]')) return
  if (!contains(dialog, target) && !isAllowed(dialog, options)) return
  if (dialog.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close()
}

/** Throws if the tools may not use the element that a key leads to. */
type KeyCheck = (element: Element, activation?: Activation) => void

/** Handles arrow keys in a number or range field. */
function stepField(field: HTMLInputElement, key: string): void {
  const before = field.value
  const isRange = field.type === 'range'
  if (!isRange && (field.readOnly || /^(ArrowLeft|ArrowRight|Home|End)$/.test(key))) return
  if (key === 'Home') setNativeValue(field, field.min || '0')
  else if (key === 'End') setNativeValue(field, field.max || '100')
  else {
    const amount = key.startsWith('Page') ? 10 : 1
    field.stepUp(/^(ArrowUp|ArrowRight|PageUp)$/.test(key) ? amount : -amount)
  }
  if (field.value !== before) sendChoice(field)
}

/** Handles arrow keys in a group of radio buttons, which move the choice. */
function moveRadio(radio: HTMLInputElement, key: string, check: KeyCheck): void {
  if (!key.startsWith('Arrow')) return
  const group = radiosOf(radio).filter((candidate) => !isDisabled(candidate))
  const step = /(Right|Down)$/.test(key) ? 1 : -1
  const next = group.at((group.indexOf(radio) + step) % group.length)
  if (!isElement(next) || next === radio) return
  check(next, 'click')
  next.focus()
  next.click()
}

/** Handles arrow keys in a closed native select. */
function stepSelect(select: HTMLSelectElement, key: string, check: KeyCheck): void {
  const options = [...select.options].filter((option) => !isDisabled(option))
  const at = options.findIndex((option) => option.index === select.selectedIndex)
  const step = /(Right|Down)$/.test(key) ? 1 : -1
  const targetIndex = key === 'Home' ? 0 : key === 'End' ? options.length : Math.max(0, at + step)
  const option = options[targetIndex] ?? options.at(-1)
  if (!option || option.index === select.selectedIndex) return
  check(option)
  select.selectedIndex = option.index
  sendChoice(select)
}

/** The default action of the Tab key: focuses the next element in tab order, forwards or backwards. */
function moveFocus(from: Element, step: 1 | -1): void {
  const ownerDocument = native.ownerDocument(from)
  const order = tabOrder(openModal(ownerDocument) ?? nativeDocument.body(ownerDocument))
  const at = order.indexOf(from as HTMLElement)
  const next =
    at < 0 ? findNearest(order, from, step) : order[(at + step + order.length) % order.length]
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
  const group = radiosOf(element)
  return group[0] === element && !group.some((candidate) => native.matches(candidate, ':checked'))
}

function findNearest(
  order: readonly HTMLElement[],
  from: Element,
  step: 1 | -1,
): HTMLElement | undefined {
  const positionMask =
    step === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING
  const candidates = order.filter(
    (element) => native.compareDocumentPosition(from, element) & positionMask,
  )
  return step === 1 ? (candidates[0] ?? order[0]) : (candidates.at(-1) ?? order.at(-1))
}

/** A selection in a text. For a caret, both ends are equal. */
interface TextRange {
  readonly start: number
  readonly end: number
}

/**
 * The range that a key deletes: the selection or, without a selection, the whole character before or after the caret.
 */
function getDeletedRange(
  { start, end }: TextRange,
  text: string,
  key: 'Backspace' | 'Delete',
): TextRange {
  if (start !== end) return { start, end }
  const [after = ''] = text.slice(start)
  const before = Array.from(text.slice(0, start)).at(-1) ?? ''
  return key === 'Delete'
    ? { start, end: start + after.length }
    : { start: start - before.length, end }
}

// An element with an `EditContext` shows no typed text by itself: the browser reports the text to the page, which draws
// it. https://w3c.github.io/edit-context/

type TextUpdateEventMaker = new (type: string, init: object) => Event

/** Types over the selection with the events that a browser sends. Returns false if the page prevented it. */
function typeIntoContext(target: Element, context: EditContext, text: string): boolean {
  if (text === '\n') return sendInput(target, 'beforeinput', { inputType: 'insertParagraph' })
  if (!sendInput(target, 'beforeinput', { inputType: 'insertText', data: text })) return false
  updateContext(target, context, { ...contextSelection(context), text })
  return true
}

function deleteInContext(target: Element, context: EditContext, key: 'Backspace' | 'Delete'): void {
  const inputType = key === 'Backspace' ? 'deleteContentBackward' : 'deleteContentForward'
  if (!sendInput(target, 'beforeinput', { inputType })) return
  const deleted = getDeletedRange(contextSelection(context), context.text, key)
  if (deleted.start < deleted.end) updateContext(target, context, { ...deleted, text: '' })
}

/** Returns the selection in order: its ends are swapped if it was made backwards. */
function contextSelection({ selectionStart, selectionEnd }: EditContext): TextRange {
  return {
    start: Math.min(selectionStart, selectionEnd),
    end: Math.max(selectionStart, selectionEnd),
  }
}

function updateContext(
  target: Element,
  context: EditContext,
  { start, end, text }: TextRange & { readonly text: string },
): void {
  const caret = start + text.length
  context.updateText(start, end, text)
  context.updateSelection(caret, caret)
  const { TextUpdateEvent } = viewOf(target) as unknown as {
    readonly TextUpdateEvent: TextUpdateEventMaker
  }
  context.dispatchEvent(
    new TextUpdateEvent('textupdate', {
      text,
      updateRangeStart: start,
      updateRangeEnd: end,
      selectionStart: caret,
      selectionEnd: caret,
    }),
  )
}

interface Caret {
  readonly node: Node
  readonly offset: number
}

type Edge = 'start' | 'end'

/**
 * The start or end of an editable element's text, as deep inside as a click there would put the caret.
 * `selectAllChildren` ends at a position between blocks, where Firefox types outside of them.
 */
export function textEdge(editable: Element, edge: Edge): Caret {
  let node: Node = editable
  for (
    let inner = getEdgeChild(node, edge);
    inner && canHoldText(inner);
    inner = getEdgeChild(node, edge)
  )
    node = inner
  if (edge === 'start') return { node, offset: 0 }
  if (native.nodeType(node) === 3) return { node, offset: native.nodeValue(node)?.length ?? 0 }
  const last = getEdgeChild(node, edge)
  const onlyBreak = isElement(last) && native.localName(last) === 'br'
  return {
    node,
    offset: onlyBreak ? [...native.childNodes(node)].indexOf(last) : native.childNodes(node).length,
  }
}

/** The first or last child, skipping whitespace and placeholder line breaks. */
function getEdgeChild(node: Node, edge: Edge): ChildNode | null {
  const children = [...native.childNodes(node)].filter(
    (child) =>
      isElement(child) ||
      (native.nodeType(child) === 3 && /[^ \t\r\n\f]/.test(native.nodeValue(child) ?? '')),
  )
  // A trailing line break only makes the last line visible.
  const last = children.at(-1)
  if (edge === 'end' && children.length > 1 && isElement(last) && native.localName(last) === 'br')
    children.pop()
  return children.at(edge === 'start' ? 0 : -1) ?? native.firstChild(node)
}

function canHoldText(node: Node): boolean {
  if (native.nodeType(node) === 3) return true
  return (
    isElement(node) && native.isContentEditable(node) && !WITHOUT_TEXT.has(native.localName(node))
  )
}

const WITHOUT_TEXT = new Set(['br', 'hr', 'img', 'input', 'wbr', 'video', 'audio', 'iframe'])

/** Name of a line break in a rich editor, as an input type and as an editing command. */
type LineBreak = 'insertParagraph' | 'insertLineBreak'

/**
 * Inserts at the caret, replacing the selection. A rich editor may handle `beforeinput` itself. Returns
 * false when the page prevented it.
 */
export function insertText(
  target: HTMLElement,
  text: string,
  breaks: LineBreak = 'insertParagraph',
): boolean {
  const context = editContextOf(target)
  if (context) return typeIntoContext(target, context, text)
  const line = text === '\n'
  const inputType = line ? breaks : 'insertText'
  const data = line ? null : text
  if (!isPlainTextField(target)) {
    if (!sendInput(target, 'beforeinput', { inputType, data })) return false
    keepSpaceBefore(target, () => edit(native.ownerDocument(target), inputType, text))
    return true
  }
  return insertPlainText(
    target,
    text,
    line ? { inputType: 'insertLineBreak' } : { inputType, data },
  )
}

function insertPlainText(
  field: TextField,
  text: string,
  details: Parameters<typeof sendInput>[2],
): boolean {
  if (field.readOnly || !sendInput(field, 'beforeinput', details)) return false
  replaceSelection(field, cutToMaxLength(field, text))
  sendInput(field, 'input', details)
  return true
}

/** Pastes a text; the page may handle it itself. Returns false when the page prevents it. */
export function pasteText(target: HTMLElement, text: string): boolean {
  const view = viewOf(target)
  const clipboardData = new view.DataTransfer()
  clipboardData.setData('text/plain', text)
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData }
  if (!native.dispatchEvent(target, new view.ClipboardEvent('paste', init))) return true
  const details = { inputType: 'insertFromPaste', data: text }
  if (isPlainTextField(target)) return insertPlainText(target, text, details)
  if (!sendInput(target, 'beforeinput', details)) return false
  keepSpaceBefore(target, () => edit(native.ownerDocument(target), 'insertText', text))
  return true
}

export function deleteText(target: HTMLElement, key: 'Backspace' | 'Delete'): void {
  const context = editContextOf(target)
  if (context) return deleteInContext(target, context, key)
  const inputType = key === 'Backspace' ? 'deleteContentBackward' : 'deleteContentForward'
  if (!isPlainTextField(target)) {
    if (!native.isContentEditable(target) || !sendInput(target, 'beforeinput', { inputType }))
      return
    edit(native.ownerDocument(target), key === 'Backspace' ? 'delete' : 'forwardDelete')
    return
  }
  if (target.readOnly || !sendInput(target, 'beforeinput', { inputType })) return
  const before = fieldText(target)
  const deleted = getDeletedRange(getSelectionRange(target), before, key)
  if (deleted.start === deleted.end) return
  setText(target, before.slice(0, deleted.start) + before.slice(deleted.end))
  setCaret(target, deleted.start)
  sendInput(target, 'input', { inputType })
}

/**
 * Runs an editing command. Silences the `beforeinput` that WebKit sends itself, since listeners have already accepted
 * this event.
 */
function edit(document: Document, command: string, text?: string): void {
  const silence = (event: Event): void => event.stopImmediatePropagation()
  const view = viewOf(document)
  view.addEventListener('beforeinput', silence, { capture: true })
  nativeDocument.execCommand(document, command, false, text)
  view.removeEventListener('beforeinput', silence, { capture: true })
}

export function selectAll(target: HTMLElement): void {
  if (isPlainTextField(target)) selectField(target)
  else if (native.isContentEditable(target)) {
    const [first, last] = [textEdge(target, 'start'), textEdge(target, 'end')]
    viewOf(target)
      .getSelection()
      ?.setBaseAndExtent(first.node, first.offset, last.node, last.offset)
  }
}

function moveCaret(target: HTMLElement, { key, shiftKey = false }: Key): void {
  if (isPlainTextField(target)) {
    const { value } = target
    const rangeAtCaret = (key: 'Backspace' | 'Delete'): TextRange =>
      getDeletedRange(getSelectionRange(target), value, key)
    const position = {
      ArrowLeft: rangeAtCaret('Backspace').start,
      ArrowRight: rangeAtCaret('Delete').end,
      ArrowUp: 0,
      Home: 0,
    }[key]
    return setCaret(target, position ?? value.length)
  }
  const isForward = /^(ArrowRight|ArrowDown|End)$/.test(key)
  const unit = /(Up|Down)$/.test(key)
    ? 'line'
    : key.startsWith('Arrow')
      ? 'character'
      : 'lineboundary'
  viewOf(target)
    .getSelection()
    ?.modify(shiftKey ? 'extend' : 'move', isForward ? 'forward' : 'backward', unit)
}

/** Moves the caret to the end of the content. */
export function caretToEnd(target: HTMLElement): void {
  if (isPlainTextField(target)) return setCaret(target, target.value.length)
  const { node, offset } = textEdge(target, 'end')
  viewOf(target).getSelection()?.collapse(node, offset)
}

/** Submits a field's form on Enter, by the rules of implicit submission. */
function submitImplicitly(input: HTMLInputElement): void {
  const { form } = input
  if (!form) return
  const button = defaultButtonOf(input)
  // A click on a disabled button does nothing.
  if (button) return button.click()
  if (elementsOf(form).filter(blocksSubmission).length <= 1)
    HTMLFormElement.prototype.requestSubmit.call(form)
}

function replaceSelection(field: TextField, text: string): void {
  const { start, end } = getSelectionRange(field)
  const before = fieldText(field)
  setText(field, before.slice(0, start) + text + before.slice(end))
  setCaret(field, start + text.length)
}

/** Cuts a text to the field's `maxlength`, which browsers enforce only while a person types. */
function cutToMaxLength(field: TextField, text: string): string {
  if (field.maxLength < 0) return text
  const { start, end } = getSelectionRange(field)
  return text.slice(0, Math.max(0, field.maxLength - (field.value.length - (end - start))))
}

/** Number and e-mail fields don't expose their caret: it is assumed to be at the end. */
function getSelectionRange(field: TextField): TextRange {
  const { length } = fieldText(field)
  const isWhole = field.selectionStart === null && selectedWhole.has(field)
  return isWhole
    ? { start: 0, end: length }
    : { start: field.selectionStart ?? length, end: field.selectionEnd ?? length }
}

const selectedWhole = new WeakSet<Element>()

/** Selects the field's whole content, so that typed text replaces it. */
export function selectField(field: TextField): void {
  field.select()
  if (field.selectionStart === null) selectedWhole.add(field)
}

function setCaret(field: TextField, at: number): void {
  selectedWhole.delete(field)
  if (field.selectionStart !== null) field.setSelectionRange(at, at)
}

/**
 * Inserts in place of the selection, and keeps the space before it. Firefox drops that space when `one` is replaced in
 * `Second <b>one</b>` at the end of a line.
 */
function keepSpaceBefore(editor: HTMLElement, insert: () => void): void {
  const node = textBeforeSelection(editor)
  const before = node?.data ?? ''
  const trimmed = before.trimEnd()
  insert()
  if (node && trimmed !== before && node.data === trimmed)
    node.appendData(before.slice(trimmed.length))
}

/** The text node that ends where the selection begins. */
function textBeforeSelection(editor: HTMLElement): Text | null {
  const selection = viewOf(editor).getSelection()
  if (!selection || selection.isCollapsed) return null
  const { startContainer, startOffset } = selection.getRangeAt(0)
  const isText = native.nodeType(startContainer) === 3
  if (isText && startOffset > 0) return null
  const walker = nativeDocument.createTreeWalker(
    native.ownerDocument(editor),
    editor,
    NodeFilter.SHOW_TEXT,
  )
  walker.currentNode =
    (isText ? null : native.childNodes(startContainer)[startOffset]) ?? startContainer
  return walker.previousNode() as Text | null
}
