import { showAction } from '../highlight.ts'
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts'
import { descendantsOf, focusedElement, isElement, isAgentElement, viewOf } from '../../dom.ts'
import * as native from '../../native.ts'
import { isAllowed, rootOf } from '../../outline/region.ts'
import { PageError } from '../../page.ts'
import { getAccessibleName } from '../../outline/name.ts'
import { getShownRole } from '../../outline/role.ts'
import { hiddenReason } from '../../outline/visibility.ts'
import { createTimeLimit, nextFrame, poll, sleep } from '../../waiting.ts'
import { clickElement } from '../click.ts'
import { describeElement } from '../target.ts'
import {
  caretToEnd,
  deleteText,
  insertText,
  pasteText,
  selectField,
  sendKey,
  sendKeyPress,
} from './keyboard.ts'
import { editableIn, isPlainTextField, isTypedField, sendChange, fieldText } from '../field-kind.ts'
import { focusElement, focusFrame } from '../pointer.ts'
import { checkKey, type ActionContext } from '../guard-actions.ts'
import { keyOf, withShift } from './key.ts'
import { hasSelection, selectedRange, selectPlace, type TypingPlace } from './select-text.ts'
import { fieldValue } from '../../outline/state.ts'
import { makeReady } from '../make-ready.ts'
import { lazyPattern } from '../../../lib/once.ts'

/** The parts of a field with separate parts for day, month and year; empty for other fields. */
export function partsOf(target: Element): HTMLElement[] {
  const parts = [
    ...native.querySelectorAll<HTMLElement>(target, '[role=spinbutton][aria-valuemax]'),
  ]
  return parts.length > 1 ? parts : []
}

/** The values of the parts, in their order. */
export function partsText(parts: readonly HTMLElement[]): string {
  return parts.map((part) => fieldValue(part, 'spinbutton') ?? '').join(' ')
}

/**
 * Types a date or time into a field of parts, in any order of the parts. Returns false, and types nothing, when the
 * text isn't a date or time, or when the field has other parts.
 */
export async function typeParts(
  parts: readonly HTMLElement[],
  text: string,
  { live, signal }: ActionContext,
): Promise<boolean> {
  const dateParts = readDateParts(text)
  const plan = dateParts && planParts(parts, dateParts)
  if (!plan) return false
  for (const { field, text: value } of plan) {
    await makeReady(field, { live, signal, byKeys: true })
    await showAction(live, field)
    focusElement(field)
    const before = native.ariaValueNow(field)
    for (const character of value) {
      sendKeyPress(field, withShift(keyOf(character)), { live, signal })
      await yieldToEventLoop()
    }
    // The letters of AM and PM depend on the language.
    const isHalf = /[AP]/.test(value)
    if (
      isHalf &&
      native.ariaValueNow(field) !== (value === 'P' ? '1' : '0') &&
      native.ariaValueNow(field) === before
    )
      sendKeyPress(field, keyOf('ArrowUp'), { live, signal })
  }
  return true
}

/** The parts of a date, a time or both that a text contains. */
interface DateParts {
  readonly year?: number
  readonly month?: number
  readonly day?: number
  readonly hour?: number
  readonly minute?: number
  readonly second?: number
}

const DATE = String.raw`(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})`
const TIME = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?(?: ?(?<half>[ap])\.?m\.?)?`
const FORMS = [DATE, TIME, `${DATE}[T ]${TIME}`].map((pattern) =>
  lazyPattern(() => `^${pattern}$`, 'i'),
)

/** Reads `2026-03-09`, `14:30`, `2:30 PM`, `2026-03-09T14:30`; null for any other text. */
export function readDateParts(text: string): DateParts | null {
  for (const pattern of FORMS) {
    const { half, ...found } = pattern().exec(text.trim())?.groups ?? {}
    const entries = Object.entries(found).filter(([, value]) => value !== undefined)
    if (entries.length === 0) continue
    const parts: DateParts = Object.fromEntries(
      entries.map(([name, value]) => [name, Number(value)]),
    )
    const { hour } = parts
    if (!half || hour === undefined) return parts
    return { ...parts, hour: (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0) }
  }
  return null
}

/** The text for a part; `A` and `P` stand for AM and PM. */
interface PartPlan {
  readonly field: HTMLElement
  readonly text: string
}

/**
 * The text for each part, or null when a part is missing. Parts are identified by their highest value, since names
 * depend on the language.
 */
export function planParts(fields: readonly HTMLElement[], dateParts: DateParts): PartPlan[] | null {
  const kinds = detectKinds(fields.map((field) => Number(field.ariaValueMax)))
  if (Object.keys(dateParts).some((name) => !kinds.includes(name as keyof DateParts))) return null
  return fields.flatMap((field, index) => {
    const text = formatPart(kinds[index] ?? null, Number(field.ariaValueMax), dateParts)
    return text === null ? [] : [{ field, text }]
  })
}

type Kind = keyof DateParts | 'half' | null

function detectKinds(maxValues: readonly number[]): Kind[] {
  const minute = maxValues.indexOf(59)
  return maxValues.map((max, index) => {
    if (max > 60) return 'year'
    if (max === 59) return index === minute ? 'minute' : 'second'
    if (max >= 28) return 'day'
    if (max <= 1) return 'half'
    if (index === minute - 1) return 'hour'
    return max === 12 || max === 13 ? 'month' : null
  })
}

function formatPart(kind: Kind, max: number, dateParts: DateParts): string | null {
  const { hour } = dateParts
  if (kind === 'half') return hour === undefined ? null : hour < 12 ? 'A' : 'P'
  const value = kind && dateParts[kind]
  if (value === null || value === undefined) return null
  if (kind === 'year') return String(max < 100 ? value % 100 : value).padStart(2, '0')
  const displayed = kind === 'hour' && max <= 12 ? value % 12 || (max === 12 ? 12 : 0) : value
  return String(displayed).padStart(2, '0')
}

/** Maximum characters that are typed one by one. The rest of a longer text is inserted at once, as by a paste. */
const TYPED_CHARACTERS = 80
/** Time that some editors take to read a selection. Milliseconds. */
const EDITOR_MS = 120

/**
 * Types a text key by key; resolves to the field, or to its replacement. Rejects with `refused-value` when the page
 * prevents typing, and with `stale-ref` when it removes the field. Also rejects when the page moves the focus to an
 * element that tools must not type into.
 */
export async function typeCharacters(
  target: HTMLElement,
  text: string,
  { context, place }: { readonly context: ActionContext; readonly place: TypingPlace },
): Promise<HTMLElement> {
  const initialField = editableIn(target) ?? target
  const currentField = trackField(initialField, context)
  await clickElement(initialField, context)
  const field = currentField() ?? initialField
  if (!fieldHasFocus(field)) native.focus(field)
  focusFrame(native.ownerDocument(field))
  await letEditorUpdate(field, context)
  selectPlace(field, place, context.live)
  await letEditorUpdate(field, context)
  const isAll = place === 'all'
  if (text) {
    const before = readContent(field)
    const { from, to } = (isAll ? null : selectedRange(field)) ?? {
      from: before.length,
      to: before.length,
    }
    const after = isAll ? text : before.slice(0, from) + text + before.slice(to)
    await typeAll(text, { before, after, currentField, context, isAll })
  } else if (isAll) clearField(field, currentField, context)
  else if (hasSelection(field)) sendKeyPress(field, keyOf('Backspace'), context)
  const finalField = currentField() ?? field
  if (isPlainTextField(finalField)) sendChange(finalField)
  return finalField
}

/**
 * Gives an editor time to read the focus and the selection. Editors read them on later events, at intervals, or (in
 * Firefox) after the next frame. They may also set a selection of their own.
 */
async function letEditorUpdate(field: HTMLElement, { signal }: ActionContext): Promise<void> {
  if (!isPlainTextField(field)) await sleep(EDITOR_MS, signal)
}

interface Typing {
  /** The field's content before typing, and the content to expect afterwards. */
  readonly before: string
  readonly after: string
  readonly currentField: FieldTracker
  readonly context: ActionContext
}

async function typeAll(
  text: string,
  { isAll, ...typing }: Typing & { readonly isAll: boolean },
): Promise<void> {
  const { currentField, context } = typing
  const characters = Array.from(text)
  const remaining = characters.slice(TYPED_CHARACTERS).join('')
  let hasAccepted = false
  // The page has rejected a character, so it chooses what the field accepts: other characters aren't lost.
  let isRefusing = false
  for (const [index, character] of characters.slice(0, TYPED_CHARACTERS).entries()) {
    const reselect = index === 0 && isAll
    const type = (): boolean =>
      typeCharacter(focusedField(requireField(currentField)), character, { reselect, context })
    const isAccepted = reporting(type, index)
    hasAccepted ||= isAccepted
    isRefusing ||= !isAccepted
    await yieldToEventLoop()
    context.signal?.throwIfAborted()
    const typed = characters.slice(0, index + 1).join('')
    if (!isRefusing && isTypingLost(currentField(), typed)) return retype(typing)
  }
  if (remaining)
    hasAccepted = (await insertRemaining(currentField, remaining, context)) || hasAccepted
  if (!hasAccepted) await pasteInstead(text, typing)
  else if (remaining && !isRefusing && isTypingLost(currentField(), text)) await retype(typing)
}

/** How long a page may take to show the typed value in the field. Milliseconds. */
const KEPT_MS = 400

/**
 * Sets the whole value by one `input` event. If that fails, types again with slower keys. Keys get lost in a field
 * whose value comes from a state that is set later, such as the page's address: each is typed into an old value.
 */
async function retype({ after, currentField, context }: Typing): Promise<void> {
  const { signal } = context
  for (const pieces of [[after], Array.from(after)]) {
    let typed = ''
    for (const piece of pieces) {
      const field = requireField(currentField)
      if (!isPlainTextField(field)) return
      if (!typed) selectField(field)
      if (piece === after) {
        checkField(field, context)
        insertText(field, piece)
      } else typeCharacter(field, piece, { reselect: !typed, context })
      typed += piece
      await sleep(20, signal)
      const isKept = (): boolean => !isTypingLost(currentField(), typed)
      if (!(await poll(isKept, createTimeLimit(KEPT_MS), { signal, everyMs: 20 }))) break
    }
    if (!isTypingLost(currentField(), after)) return
  }
}

/**
 * Whether a field has lost a part of a text. False if the field is full, or if the page moved the focus to another
 * field.
 */
function isTypingLost(field: HTMLElement | null, typed: string): boolean {
  return (
    field !== null &&
    isPlainTextField(field) &&
    focusedField(field) === field &&
    field.value.length !== field.maxLength &&
    isLost(typed, fieldText(field))
  )
}

/** Whether letters or digits of a text are missing in a value. Text before a comma may have become a chip. */
export function isLost(text: string, value: string): boolean {
  const expected = reduceToLetters(text.split(/[,;\n]/).at(-1) ?? '')
  let matchedCount = 0
  for (const letter of reduceToLetters(value))
    if (letter === expected[matchedCount]) matchedCount += 1
  return matchedCount < expected.length
}

/** Keeps only letters and digits, because fields change accents, case and punctuation. */
function reduceToLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

/** Adds to an error how many characters were typed before it. */
function reporting(type: () => boolean, typed: number): boolean {
  try {
    return type()
  } catch (error) {
    if (!PageError.is(error) || typed === 0) throw error
    throw new PageError(
      error.code,
      `Only the first ${typed} characters were typed. ${error.message}`,
    )
  }
}

/** Sends line breaks to editors as Enter key presses: editors don't make paragraphs of line breaks within a text. */
async function insertRemaining(
  currentField: FieldTracker,
  text: string,
  context: ActionContext,
): Promise<boolean> {
  const getCurrent = (): HTMLElement => {
    const field = focusedField(requireField(currentField))
    checkField(field, context)
    return field
  }
  const first = getCurrent()
  if (isPlainTextField(first)) return insertText(first, text)
  let isAccepted = false
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) typeCharacter(getCurrent(), '\n', { reselect: false, context })
    if (line) isAccepted = insertText(getCurrent(), line) || isAccepted
    await yieldToEventLoop()
  }
  return isAccepted
}

/** Returns the field that is typed into, or its replacement; null when there is none. */
type FieldTracker = () => HTMLElement | null

function requireField(currentField: FieldTracker): HTMLElement {
  const field = currentField()
  if (!field)
    throw new PageError('stale-ref', 'The page took the field away meanwhile. Read the page again.')
  return field
}

/**
 * Finds a field again after a re-render: the replacement has the focus, or is the only field with its role and name.
 */
function trackField(original: HTMLElement, context: ActionContext): FieldTracker {
  const { live } = context
  const role = getShownRole(original)
  const name = getAccessibleName(original, role, live.options).text
  let field = original
  return () => {
    field = checkReplacement(field, context)
    if (native.isConnected(field)) return field
    const [element, duplicate] = [...descendantsOf(rootOf(live.options))].filter(
      (candidate): candidate is HTMLElement =>
        isElement(candidate) &&
        getShownRole(candidate) === role &&
        editableIn(candidate) === candidate &&
        hiddenReason(candidate) === null &&
        getAccessibleName(candidate, role, live.options).text === name &&
        isAllowed(candidate, live.options),
    )
    if (!element || duplicate) return null
    checkField(element, context)
    focusElement(element)
    caretToEnd(element)
    field = element
    return field
  }
}

/** The field that has the focus now: one-time-code fields move it while someone types. */
export function focusedField(field: HTMLElement): HTMLElement {
  const focused = focusedElement(native.ownerDocument(field))
  const hasMoved = isElement(focused) && isTypedField(focused) && !isAgentElement(focused)
  return hasMoved ? focused : field
}

/**
 * Checks the element that keys would go to. Editors need the focus: while the user is typing in the chat, that element
 * is the chat. Plain fields accept text without the focus.
 */
function checkField(field: HTMLElement, context: ActionContext): void {
  const focused = focusedElement(native.ownerDocument(field))
  const isChatFocused = focused !== null && isAgentElement(focused) && !isPlainTextField(field)
  checkKey(isChatFocused ? focused : field, context)
}

/** The field, or the focused field if the page has removed the first one. */
function checkReplacement(field: HTMLElement, context: ActionContext): HTMLElement {
  const current = native.isConnected(field) ? field : focusedField(field)
  if (current !== field) checkField(current, context)
  return current
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
  if (readContent(field) !== before || pasteText(field, text)) return
  const name = describeElement(field, context.live)
  throw new PageError('refused-value', `${name} does not take this text: the page prevents it.`)
}

function readContent(field: HTMLElement): string {
  return isPlainTextField(field) ? fieldText(field) : native.innerText(field)
}

function clearField(field: HTMLElement, currentField: FieldTracker, context: ActionContext): void {
  sendKeyPress(field, keyOf('Backspace'), context)
  const current = currentField()
  if (!current || !isPlainTextField(current) || fieldText(current) === '') return
  selectField(current)
  deleteText(current, 'Backspace')
}

/**
 * Types one character. Returns false when the page prevented it. A field that replaces this one at `keydown` is
 * selected again.
 */
function typeCharacter(
  field: HTMLElement,
  character: string,
  { reselect, context }: { readonly reselect: boolean; readonly context: ActionContext },
): boolean {
  checkField(field, context)
  if (character === '\n') {
    const key = { ...keyOf('Enter'), shiftKey: isPlainTextField(field) }
    sendKeyPress(field, key, { ...context, isText: true })
    return true
  }
  const getCurrent = (): HTMLElement => checkReplacement(field, context)
  const key = withShift(keyOf(character))
  const isAllowed = sendKey(field, 'keydown', key) && sendKey(getCurrent(), 'keypress', key)
  const current = getCurrent()
  if (reselect && current !== field && isPlainTextField(current)) selectField(current)
  const isAccepted = isAllowed && insertText(current, character)
  sendKey(getCurrent(), 'keyup', key)
  return isAccepted
}

function fieldHasFocus(field: HTMLElement): boolean {
  const focused = focusedElement(native.ownerDocument(field))
  return focused !== null && native.contains(focused, field)
}
