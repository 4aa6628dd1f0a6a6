import { nextTurn } from '../../lib/next-turn.ts'
import { descendantsOf, focusedElement, isElement, viewOf } from '../dom.ts'
import { rootOf } from '../outline/region.ts'
import { PageError } from '../page-error.ts'
import { nameOf } from '../outline/name.ts'
import { roleOf } from '../outline/role.ts'
import { nextFrame, sleep } from '../waiting.ts'
import { clickElement } from './click.ts'
import { describeElement } from './describe.ts'
import {
  caretToEnd,
  deleteText,
  insertText,
  pasteText,
  selectAll,
  selectField,
} from './edit-text.ts'
import { editableIn, isPlainTextField } from './field-kind.ts'
import { textOf } from './field-text.ts'
import { keyOf, withShift } from './key.ts'
import { sendKeyPress, sendKey } from './keyboard.ts'
import type { ActionContext } from './perform.ts'
import { sendChange } from './set-value.ts'

/** The rest of a longer text is inserted at once after its first characters, as by a paste. */
const TYPED_CHARACTERS = 80
/** How long some editors take to read a selection. Milliseconds. */
const EDITOR_MS = 120

/**
 * Types a text key by key; resolves to the field as it is then. Rejects with `refused-value` when the page
 * prevents it, with `stale-ref` when the field is removed meanwhile.
 */
export async function typeCharacters(
  target: HTMLElement,
  text: string,
  { context, append }: { readonly context: ActionContext; readonly append: boolean },
): Promise<HTMLElement> {
  const first = editableIn(target) ?? target
  const currentField = trackField(first, context)
  await clickElement(first, context)
  const field = currentField() ?? first
  if (!fieldHasFocus(field)) field.focus()
  await letEditorUpdate(field, context)
  if (append) caretToEnd(field)
  else if (isPlainTextField(field)) selectField(field)
  else selectAll(field)
  await letEditorUpdate(field, context)
  if (text) await typeAll(text, { before: contentOf(field), currentField, context, append })
  else clear(field, currentField)
  const last = currentField() ?? field
  if (isPlainTextField(last)) sendChange(last)
  return last
}

/**
 * Editors read the focus and the selection from later events, in Firefox after the next frame, or from time
 * to time, and may set a selection of their own.
 */
async function letEditorUpdate(field: HTMLElement, { signal }: ActionContext): Promise<void> {
  if (!isPlainTextField(field)) await sleep(EDITOR_MS, signal)
}

interface Typing {
  /** The field's content before. */
  readonly before: string
  readonly currentField: FieldTracker
  readonly context: ActionContext
}

async function typeAll(
  text: string,
  { before, currentField, context, append }: Typing & { readonly append: boolean },
): Promise<void> {
  const characters = Array.from(text)
  const rest = characters.slice(TYPED_CHARACTERS).join('')
  let accepted = false
  for (const [index, character] of characters.slice(0, TYPED_CHARACTERS).entries()) {
    const reselect = index === 0 && !append
    accepted =
      typeCharacter(focusedField(requireField(currentField)), character, reselect) || accepted
    await nextTurn()
    context.signal?.throwIfAborted()
  }
  if (rest) accepted = (await insertRest(currentField, rest)) || accepted
  if (!accepted) await pasteInstead(text, { before, currentField, context })
}

/** Editors make paragraphs of Enter key presses, not of line breaks within a text. */
async function insertRest(currentField: FieldTracker, text: string): Promise<boolean> {
  const field = focusedField(requireField(currentField))
  if (isPlainTextField(field)) return insertText(field, text)
  let accepted = false
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) typeCharacter(focusedField(requireField(currentField)), '\n', false)
    if (line) accepted = insertText(focusedField(requireField(currentField)), line) || accepted
    await nextTurn()
  }
  return accepted
}

/** Returns the field that is typed into, or its replacement; null when there is none. */
type FieldTracker = () => HTMLElement | null

function requireField(currentField: FieldTracker): HTMLElement {
  const field = currentField()
  if (!field)
    throw new PageError('stale-ref', 'The page took the field away meanwhile. Read the page again.')
  return field
}

/** Finds a field again on a page that re-renders: the replacement has its focus, or its role and name. */
function trackField(first: HTMLElement, { live }: ActionContext): FieldTracker {
  const role = roleOf(first)
  const name = nameOf(first, role, live.options).text
  let field = first
  return () => {
    field = replacementOf(field)
    if (field.isConnected) return field
    for (const element of descendantsOf(rootOf(live.options))) {
      if (!isElement(element) || roleOf(element) !== role || editableIn(element) !== element)
        continue
      if (nameOf(element, role, live.options).text !== name) continue
      element.focus({ preventScroll: true })
      caretToEnd(element)
      field = element
      return field
    }
    return null
  }
}

/** A page may move the focus while someone types, as one-time-code fields do. */
export function focusedField(field: HTMLElement): HTMLElement {
  const now = focusedElement(field.ownerDocument)
  const elsewhere = isElement(now) && (isPlainTextField(now) || now.isContentEditable)
  return elsewhere ? now : field
}

/** The element that a page that re-rendered has focused in the field's place. */
function replacementOf(field: HTMLElement): HTMLElement {
  return field.isConnected ? field : focusedField(field)
}

/** Some fields prevent typing but accept a paste. */
async function pasteInstead(
  text: string,
  { before, currentField, context }: Typing,
): Promise<void> {
  // An editor that prevents typing may insert the text itself, a little later.
  const frame = (): Promise<void> => nextFrame(viewOf(requireField(currentField)))
  await frame()
  await frame()
  const field = requireField(currentField)
  if (contentOf(field) !== before || pasteText(field, text)) return
  const name = describeElement(field, context.live)
  throw new PageError('refused-value', `${name} does not take this text: the page prevents it.`)
}

function contentOf(field: HTMLElement): string {
  return isPlainTextField(field) ? textOf(field) : field.innerText
}

function clear(field: HTMLElement, currentField: FieldTracker): void {
  sendKeyPress(field, keyOf('Backspace'))
  const now = currentField()
  if (!now || !isPlainTextField(now) || textOf(now) === '') return
  selectField(now)
  deleteText(now, 'Backspace')
}

/**
 * Returns false when the page prevented it. A field that replaces this one at `keydown` is selected again.
 */
function typeCharacter(field: HTMLElement, character: string, reselect: boolean): boolean {
  if (character === '\n') {
    sendKeyPress(field, { ...keyOf('Enter'), shiftKey: isPlainTextField(field) })
    return true
  }
  const key = withShift(keyOf(character))
  const goesOn = sendKey(field, 'keydown', key) && sendKey(replacementOf(field), 'keypress', key)
  const now = replacementOf(field)
  if (reselect && now !== field && isPlainTextField(now)) selectField(now)
  const accepted = goesOn && insertText(now, character)
  sendKey(replacementOf(field), 'keyup', key)
  return accepted
}

function fieldHasFocus(field: HTMLElement): boolean {
  return focusedElement(field.ownerDocument)?.contains(field) ?? false
}
