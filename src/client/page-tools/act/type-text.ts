import { nextTurn } from '../../next-turn.ts'
import { cleanText, quote, shorten } from '../clean-text.ts'
import { focusedElement, isElement, isTag, viewOf } from '../dom.ts'
import { livePage } from '../live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import { roleOf } from '../read/role.ts'
import { fieldValue, isReadOnly } from '../read/state.ts'
import { nextFrame } from '../waiting.ts'
import { clickElement } from './click.ts'
import { describeElement } from './describe.ts'
import { caretToEnd, insertText, selectAll, selectField } from './edit-text.ts'
import { isPickedField, isPlainTextField } from './field-kind.ts'
import { giveFiles } from './give-files.ts'
import { keyOf } from './key.ts'
import { pressKey, sendKey } from './keyboard.ts'
import { perform, type ActionContext, type ActionReport } from './perform.ts'
import { pickValue } from './pick-value.ts'
import { sendChange } from './set-value.ts'
import { slideTo } from './slide-to.ts'
import { resolveTarget, type Target } from './target.ts'

export interface TypeOptions extends ActOptions {
  /** `replace` what the field holds, or type behind it. Default `replace`. */
  readonly mode?: 'replace' | 'append'
  /** Press Enter afterwards. */
  readonly enter?: boolean
}

/** Longer texts arrive at once behind their first characters, as a paste does. */
const TYPED = 80

/** Types into a field, an editor, a slider; picks dates, times, colours and files. */
export async function typeText(
  target: Target,
  text: string,
  options: TypeOptions = {},
): Promise<ActionReport> {
  const { page, signal } = options
  const element = await resolveTarget(target, { page, live: livePage(page), signal })
  return perform(options, async (context) => ({
    said: await typeInto(element, text, { context, options }),
    element,
    expectsChange: false,
  }))
}

/** The typing alone; says what the field holds then. */
export async function typeInto(
  target: HTMLElement,
  text: string,
  { context, options }: { readonly context: ActionContext; readonly options: TypeOptions },
): Promise<string> {
  const { live } = context
  if (isTag(target, 'input') && target.type === 'file') return giveFiles(target, text, context)
  if (isReadOnly(target))
    throw new PageError('read-only', `${describeElement(target, live)} is read-only.`)
  if (isTag(target, 'select'))
    throw new PageError(
      'unsupported',
      `${describeElement(target, live)} is a list: use select_option.`,
    )
  if (isPickedField(target)) await pickValue(target, text, context)
  else if (isSlid(target)) await slideTo(target, text, context)
  else await typeCharacters(target, text, { context, options })
  const field = editableIn(target) ?? target
  if (options.enter) pressKey(focused(field), keyOf('Enter'))
  return `${options.enter ? 'Typed, then pressed Enter' : 'Typed'} in ${describeElement(field, live)}.${outcome(field, text, context)}`
}

/** Its value has a range and is moved by keys: sliders, spin buttons, the bar between two panes. */
function isSlid(target: HTMLElement): boolean {
  return (
    /^(slider|spinbutton|separator|scrollbar)$/.test(target.getAttribute('role') ?? '') &&
    target.hasAttribute('aria-valuenow') &&
    !editableIn(target)
  )
}

/** The element that takes the characters: itself, or the one field inside a combobox or web component. */
export function editableIn(target: HTMLElement): HTMLElement | null {
  if (isPlainTextField(target) || target.isContentEditable) return target
  for (const scope of [target.shadowRoot, target]) {
    for (const inner of scope?.querySelectorAll('input,textarea,[contenteditable]') ?? [])
      if (isElement(inner) && (isPlainTextField(inner) || inner.isContentEditable)) return inner
    for (const host of scope?.querySelectorAll('*') ?? [])
      if (isElement(host) && host.shadowRoot) {
        const inner = editableIn(host)
        if (inner) return inner
      }
  }
  return null
}

async function typeCharacters(
  target: HTMLElement,
  text: string,
  { context, options }: { readonly context: ActionContext; readonly options: TypeOptions },
): Promise<void> {
  const field = editableIn(target)
  if (!field) throw takesNoText(target, context)
  await clickElement(field, context)
  if (focusedElement(field.ownerDocument) !== field && !fieldHasFocus(field)) field.focus()
  if (options.mode === 'append') caretToEnd(field)
  else if (isPlainTextField(field)) selectField(field)
  else selectAll(field)
  // Editors learn of a selection by an event that comes later, in Firefox behind the next frame.
  for (let frame = 0; frame < 2 && !isPlainTextField(field); frame += 1)
    await nextFrame(viewOf(field))
  if (!text) return clear(field)
  const characters = Array.from(text)
  for (const character of characters.slice(0, TYPED)) {
    typeCharacter(focused(field), character)
    await nextTurn()
    context.signal?.throwIfAborted()
  }
  const rest = characters.slice(TYPED).join('')
  if (rest) await insertRest(field, rest)
  if (isPlainTextField(field)) sendChange(field)
}

/** Editors make paragraphs of what Enter divides, not of line breaks within a text. */
async function insertRest(field: HTMLElement, text: string): Promise<void> {
  if (isPlainTextField(field)) return insertText(focused(field), text)
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) typeCharacter(focused(field), '\n')
    if (line) insertText(focused(field), line)
    await nextTurn()
  }
}

function takesNoText(target: HTMLElement, { live }: ActionContext): PageError {
  const isList = /^(combobox|listbox|menu|radiogroup)$/.test(roleOf(target))
  const advice = isList ? 'Use select_option.' : 'Click it, or use press_key.'
  return new PageError('unsupported', `${describeElement(target, live)} takes no text. ${advice}`)
}

function clear(field: HTMLElement): void {
  pressKey(field, keyOf('Backspace'))
  if (isPlainTextField(field)) sendChange(field)
}

function typeCharacter(field: HTMLElement, character: string): void {
  if (character === '\n')
    return pressKey(field, { ...keyOf('Enter'), shiftKey: isPlainTextField(field) })
  const key = keyOf(character)
  if (sendKey(field, 'keydown', key) && sendKey(field, 'keypress', key))
    insertText(field, character)
  sendKey(field, 'keyup', key)
}

/** A page may move the focus while someone types, as one-time-code fields do. */
function focused(field: HTMLElement): HTMLElement {
  const now = focusedElement(field.ownerDocument)
  const elsewhere = isElement(now) && (isPlainTextField(now) || now.isContentEditable)
  return elsewhere ? now : field
}

function fieldHasFocus(field: HTMLElement): boolean {
  return focusedElement(field.ownerDocument)?.contains(field) ?? false
}

function outcome(field: HTMLElement, wanted: string, { live }: ActionContext): string {
  if (!field.isConnected) return ''
  const { validity, validationMessage } = field as HTMLInputElement
  const secret = isMasked(field, live.options)
  const problem =
    validity?.valid === false && !secret ? ` The field says: ${validationMessage}` : ''
  const value = fieldValue(field, roleOf(field) || 'textbox')
  if (secret || value === null) return problem
  const holds = cleanText(value)
  const expected = holds.includes(cleanText(wanted))
  return expected ? problem : ` It now holds ${quote(shorten(holds, 100))}.${problem}`
}
