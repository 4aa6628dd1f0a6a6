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
import { pressKey, sendKey } from './keyboard.ts'
import type { ActionContext } from './perform.ts'
import { sendChange } from './set-value.ts'

/** Longer texts arrive at once behind their first characters, as a paste does. */
const TYPED = 80
/** How long some editors take to hear of a selection. Milliseconds. */
const EDITOR_MS = 120

/**
 * Types a text key by key into what takes it; resolves to the field as it is then. Rejects with
 * `refused-value` when the page prevents it, with `stale-ref` when it takes the field away meanwhile.
 */
export async function typeCharacters(
  target: HTMLElement,
  text: string,
  { context, append }: { readonly context: ActionContext; readonly append: boolean },
): Promise<HTMLElement> {
  const first = editableIn(target) ?? target
  const present = keepTrack(first, context)
  await clickElement(first, context)
  const field = present() ?? first
  if (!fieldHasFocus(field)) field.focus()
  await letEditorUpdate(field, context)
  if (append) caretToEnd(field)
  else if (isPlainTextField(field)) selectField(field)
  else selectAll(field)
  await letEditorUpdate(field, context)
  if (text) await typeAll(text, { before: contentOf(field), present, context, append })
  else clear(field, present)
  const last = present() ?? field
  if (isPlainTextField(last)) sendChange(last)
  return last
}

/**
 * Editors learn of the focus and of a selection by events that come later, in Firefox behind the next
 * frame, look at them only now and then, and may put a selection of their own in the place.
 */
async function letEditorUpdate(field: HTMLElement, { signal }: ActionContext): Promise<void> {
  if (!isPlainTextField(field)) await sleep(EDITOR_MS, signal)
}

interface Typing {
  /** What the field held. */
  readonly before: string
  readonly present: Present
  readonly context: ActionContext
}

async function typeAll(
  text: string,
  { before, present, context, append }: Typing & { readonly append: boolean },
): Promise<void> {
  const characters = Array.from(text)
  const rest = characters.slice(TYPED).join('')
  let taken = false
  for (const [index, character] of characters.slice(0, TYPED).entries()) {
    const reselect = index === 0 && !append
    taken = typeCharacter(focusedField(mustBe(present)), character, reselect) || taken
    await nextTurn()
    context.signal?.throwIfAborted()
  }
  if (rest) taken = (await insertRest(present, rest)) || taken
  if (!taken) await pasteInstead(text, { before, present, context })
}

/** Editors make paragraphs of what Enter divides, not of line breaks within a text. */
async function insertRest(present: Present, text: string): Promise<boolean> {
  const field = focusedField(mustBe(present))
  if (isPlainTextField(field)) return insertText(field, text)
  let taken = false
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) typeCharacter(focusedField(mustBe(present)), '\n', false)
    if (line) taken = insertText(focusedField(mustBe(present)), line) || taken
    await nextTurn()
  }
  return taken
}

/** The field that is typed into, wherever it is now; null when it is gone. */
type Present = () => HTMLElement | null

function mustBe(present: Present): HTMLElement {
  const field = present()
  if (!field)
    throw new PageError('stale-ref', 'The page took the field away meanwhile. Read the page again.')
  return field
}

/** Follows a field on a page that draws itself anew: its place is taken by what has its focus or its name. */
function keepTrack(first: HTMLElement, { live }: ActionContext): Present {
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

/** What a page that draws itself anew while someone types has focused in the field's place. */
function replacementOf(field: HTMLElement): HTMLElement {
  return field.isConnected ? field : focusedField(field)
}

/** Some fields refuse typing but take what is pasted. */
async function pasteInstead(text: string, { before, present, context }: Typing): Promise<void> {
  // An editor that prevents typing may write the text itself, a little later.
  const frame = (): Promise<void> => nextFrame(viewOf(mustBe(present)))
  await frame()
  await frame()
  const field = mustBe(present)
  if (contentOf(field) !== before || pasteText(field, text)) return
  const name = describeElement(field, context.live)
  throw new PageError('refused-value', `${name} does not take this text: the page prevents it.`)
}

function contentOf(field: HTMLElement): string {
  return isPlainTextField(field) ? textOf(field) : field.innerText
}

function clear(field: HTMLElement, present: Present): void {
  pressKey(field, keyOf('Backspace'))
  const now = present()
  if (!now || !isPlainTextField(now) || textOf(now) === '') return
  selectField(now)
  deleteText(now, 'Backspace')
}

/** False when the page prevented it. What replaces the field when the key goes down is selected again. */
function typeCharacter(field: HTMLElement, character: string, reselect: boolean): boolean {
  if (character === '\n') {
    pressKey(field, { ...keyOf('Enter'), shiftKey: isPlainTextField(field) })
    return true
  }
  const key = withShift(keyOf(character))
  const goesOn = sendKey(field, 'keydown', key) && sendKey(replacementOf(field), 'keypress', key)
  const now = replacementOf(field)
  if (reselect && now !== field && isPlainTextField(now)) selectField(now)
  const taken = goesOn && insertText(now, character)
  sendKey(replacementOf(field), 'keyup', key)
  return taken
}

function fieldHasFocus(field: HTMLElement): boolean {
  return focusedElement(field.ownerDocument)?.contains(field) ?? false
}
