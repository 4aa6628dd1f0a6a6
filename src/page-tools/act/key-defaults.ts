import { closest, isElement, isTag } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { clickByKey } from './dispatch-click.ts'
import { moveFocus } from './focus-order.ts'
import { isOneCharacter, type Key } from './key.ts'
import { editContextOf } from './edit-context-of.ts'
import { isPlainTextField } from './field-kind.ts'
import { deleteText, insertText, moveCaret, selectAll, submitImplicitly } from './edit-text.ts'
import { type KeyCheck, moveRadio, stepField, stepSelect } from './step-field.ts'

/** The default action of a key whose event no listener prevented. `check`: throws unless another element may be used. */
export function defaultAction(target: Element, key: Key, check: KeyCheck): void {
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
