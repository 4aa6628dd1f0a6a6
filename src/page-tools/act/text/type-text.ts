import { isTag, viewOf } from '../../dom.ts'
import * as native from '../../native.ts'
import { scrubber } from '../../outline/live-page.ts'
import { type ActOptions, PageError, type PageOptions } from '../../page.ts'
import { isMasked, MASKED } from '../../secrets/secret-fields.ts'
import { getShownRole } from '../../outline/role.ts'
import { fieldValue, isReadOnly } from '../../outline/state.ts'
import { describeElement, validationMessageOf, resolveTarget, type Target } from '../target.ts'
import {
  editableIn,
  editContextOf,
  isPickerField,
  isPlainTextField,
  sendChange,
  sendChoice,
  sendInput,
  setNativeValue,
  takesEnter,
} from '../field-kind.ts'
import { checkAction, checkKey, type ActionContext } from '../guard-actions.ts'
import { showAction } from '../highlight.ts'
import { keyOf } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import { type ActionReport, perform, type ResultReporter } from '../perform.ts'
import {
  focusedField,
  isLost,
  partsOf,
  partsText,
  typeCharacters,
  typeParts,
} from './type-characters.ts'
import { type CharacterRange, selectedRange, type TypingPlace } from './select-text.ts'
import { requireAllowed } from '../../outline/region.ts'
import {
  markAsSent,
  cleanText,
  normalize,
  quote,
  quoteSent,
  quoteTyped,
  rememberTyped,
  shorten,
} from '../../clean-text.ts'
import { makeReady } from '../make-ready.ts'
import { getLongText, textInRange } from '../../read/long-text.ts'
import { sendDrag } from '../drag.ts'
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts'
import { nextFrame } from '../../waiting.ts'
import { focusElement } from '../pointer.ts'

const MAX_STEPS = 400

/** Moves a slider or spin button to a value with the arrow keys, as keyboard users do. */
async function setSlider(
  slider: HTMLElement,
  text: string,
  { live, signal }: ActionContext,
): Promise<void> {
  const goal = Number(text)
  const name = describeElement(slider, live)
  const isNumber = text.trim() !== '' && !Number.isNaN(goal)
  if (isNumber ? !isInRange(slider, goal) : !native.hasAttribute(slider, 'aria-valuetext'))
    throw new PageError(
      'refused-value',
      `${name} takes ${formatRange(slider)}, not ${quoteSent(text)}.`,
    )
  await makeReady(slider, { live, signal, byKeys: true })
  await showAction(live, slider)
  checkAction(slider, { live, signal })
  focusElement(slider)
  const start = getValue(slider)
  const step = (key: string): Promise<boolean> => pressArrow(slider, key, { live, signal })
  const isReached = isNumber
    ? await stepToNumber(slider, goal, step)
    : await stepToText(slider, text, step)
  if (isReached) return
  if (!isNumber) await stepToNumber(slider, start, step)
  const current = isMasked(slider, live.options)
    ? MASKED
    : (native.getAttribute(slider, 'aria-valuetext') ?? getValue(slider))
  throw new PageError(
    'refused-value',
    `${name} is now at ${current}: it can't be brought to ${markAsSent(text.slice(0, 120))} by its arrow keys. It takes ${formatRange(slider)}.`,
  )
}

type Step = (key: string) => Promise<boolean>

/** Keys that raise and lower a value. Some sliders listen to one pair only; the last pair is for right-to-left text. */
const KEYS = [
  ['ArrowUp', 'ArrowDown'],
  ['ArrowRight', 'ArrowLeft'],
  ['ArrowLeft', 'ArrowRight'],
] as const

async function stepToNumber(slider: HTMLElement, goal: number, step: Step): Promise<boolean> {
  const start = getValue(slider)
  for (const keys of KEYS) {
    if (await stepWithKeys(slider, goal, { keys, step })) return true
    // These keys moved the slider the right way, as far as they can. Other keys won't help.
    if ((getValue(slider) - start) * (goal - start) > 0) break
  }
  return false
}

async function stepWithKeys(
  slider: HTMLElement,
  goal: number,
  { keys: [up, down], step }: { readonly keys: (typeof KEYS)[number]; readonly step: Step },
): Promise<boolean> {
  for (let count = 0; count < MAX_STEPS; count += 1) {
    const before = getValue(slider)
    if (before === goal) return true
    const hasMoved = await step(before < goal ? up : down)
    // The last step passed the wanted value or reached an end.
    if (!hasMoved || Math.abs(getValue(slider) - goal) > Math.abs(before - goal)) break
  }
  return getValue(slider) === goal
}

async function stepToText(slider: HTMLElement, text: string, step: Step): Promise<boolean> {
  let hasMoved = false
  for (const keys of KEYS.slice(0, 2)) {
    for (const key of keys) {
      const stepOnce = async (): Promise<boolean> => {
        const moved = await step(key)
        hasMoved ||= moved
        return moved
      }
      if (await stepWithKey(slider, text, stepOnce)) return true
    }
    if (hasMoved) break
  }
  return false
}

/** Steps until the slider shows this text. Some sliders wrap around. */
async function stepWithKey(
  slider: HTMLElement,
  text: string,
  step: () => Promise<boolean>,
): Promise<boolean> {
  const isAtText = (): boolean =>
    normalize(native.getAttribute(slider, 'aria-valuetext') ?? '') === normalize(text)
  const start = getValue(slider)
  for (let count = 0; count < MAX_STEPS && !isAtText(); count += 1)
    if (!(await step()) || getValue(slider) === start) break
  return isAtText()
}

/** Whether the key moved the value. */
async function pressArrow(slider: HTMLElement, key: string, call: ActionContext): Promise<boolean> {
  const before = getValue(slider)
  sendKeyPress(slider, keyOf(key), call)
  await yieldToEventLoop()
  if (getValue(slider) === before) await nextFrame(viewOf(slider))
  call.signal?.throwIfAborted()
  return getValue(slider) !== before
}

function getValue(slider: HTMLElement): number {
  return Number(native.getAttribute(slider, 'aria-valuenow') ?? Number.NaN)
}

function isInRange(slider: HTMLElement, value: number): boolean {
  const { min, max } = getLimits(slider)
  return !(value < min) && !(value > max)
}

function getLimits(slider: HTMLElement): { readonly min: number; readonly max: number } {
  return {
    min: Number.parseFloat(native.getAttribute(slider, 'aria-valuemin') ?? ''),
    max: Number.parseFloat(native.getAttribute(slider, 'aria-valuemax') ?? ''),
  }
}

function formatRange(slider: HTMLElement): string {
  const { min, max } = getLimits(slider)
  return Number.isNaN(min) || Number.isNaN(max) ? 'a number' : `a number from ${min} to ${max}`
}

/** Options of `typeText`: where the text goes, and whether Enter follows. */
export interface TypeOptions extends ActOptions {
  /** `replace` the field's content, `append` to it, or `insert` in place of the selection. Default `replace`. */
  readonly mode?: 'replace' | 'append' | 'insert'
  /** Replaces only these characters of the field. */
  readonly replace?: CharacterRange
  /** Press Enter afterwards. */
  readonly enter?: boolean
}

export async function typeText(
  target: Target,
  text: string,
  options: TypeOptions = {},
): Promise<ActionReport> {
  const element = await resolveTarget(target, options)
  return perform(options, async (context) => ({
    summary: await typeInto(element, text, { context, options }),
    element,
    expectsChange: false,
    reactsLater: canSuggest(element),
  }))
}

/**
 * Whether suggestions may appear a while after the last key: the field has suggestions, or turns off the browser's own.
 */
function canSuggest(target: HTMLElement): boolean {
  const field = editableIn(target) ?? target
  const hasSuggestions =
    /^(combobox|searchbox)$/.test(getShownRole(field)) ||
    native.ariaAutoComplete(field) !== null ||
    native.getAttribute(field, 'autocomplete') === 'off'
  return hasSuggestions && native.ariaExpanded(field) !== 'true'
}

/** Only types, for actions of several steps. The returned function reports the field's value, too. */
export async function typeInto(
  target: HTMLElement,
  input: string,
  { context, options }: { readonly context: ActionContext; readonly options: TypeOptions },
): Promise<ResultReporter> {
  const { live } = context
  const text = input.replace(/\r\n?/g, '\n')
  const files = findFileField(target)
  if (files) {
    requireAllowed(files, live.options)
    return provideFiles({ field: files }, text, context)
  }
  let field = editableIn(target) ?? target
  if (isReadOnly(target) || isReadOnly(field))
    throw new PageError(
      'read-only',
      `${describeElement(target, live)} is read-only.${getShownRole(target) === 'combobox' ? ' Use select_option.' : ''}`,
    )
  if (isTag(target, 'select'))
    throw new PageError(
      'unsupported',
      `${describeElement(target, live)} is a list: use select_option.`,
    )
  const parts = partsOf(target)
  const before = readContent(field, context)
  // Checking the range would reveal the length of a secret.
  if (options.replace && isMasked(field, live.options))
    throw new PageError(
      'unsupported',
      `${describeElement(field, live)} is masked: it can only be replaced whole.`,
    )
  let place = getPlace(options)
  if (place === 'selection') place = selectedRange(field) ?? place
  // Check before anything is typed: Enter may submit the form.
  if (options.enter || (text.includes('\n') && takesEnter(target)))
    checkKey(field, context, 'activate')
  if (isPickerField(target)) await setPickerValue(target, text, context)
  else if (isSliderLike(target)) await setSlider(target, text, context)
  else if (!(await typeParts(parts, text, context))) {
    if (!editableIn(target)) return dropOrRefuse(target, text, context)
    field = await typeCharacters(target, text, { context, place })
  }
  if (parts.length > 0) field = target
  if (options.enter) sendKeyPress(focusedField(field), keyOf('Enter'), context)
  rememberText(field, { text, place }, context)
  const { enter = false } = options
  return ({ changed }) => {
    const note = contentNote(field, { text, place, before, enter, changed }, context)
    return `${enter ? 'Typed, then pressed Enter' : 'Typed'} in ${describeElement(field, live)}.${note}`
  }
}

function getPlace({ mode = 'replace', replace }: TypeOptions): TypingPlace {
  if (replace) return replace
  const placesByMode = { replace: 'all', append: 'end', insert: 'selection' } as const
  return placesByMode[mode]
}

/** Whether the element has a range of values that keys change: sliders, spin buttons, splitters. */
function isSliderLike(target: HTMLElement): boolean {
  return (
    /^(slider|spinbutton|separator|scrollbar)$/.test(native.getAttribute(target, 'role') ?? '') &&
    native.hasAttribute(target, 'aria-valuenow') &&
    !editableIn(target)
  )
}

/** An element that accepts no text may accept dropped files. */
function dropOrRefuse(
  target: HTMLElement,
  text: string,
  context: ActionContext,
): Promise<ResultReporter> {
  const { live } = context
  const isList = /^(combobox|listbox|menu|radiogroup)$/.test(getShownRole(target))
  if (live.options.files && !isList) return provideFiles({ zone: target }, text, context)
  const advice = isList ? 'Use select_option.' : 'Click it, or use press_key.'
  const name = describeElement(target, live)
  throw new PageError('unsupported', `${name} takes no text. ${advice}`)
}

const FORMS: Readonly<Record<string, string>> = {
  date: 'a date like 2026-03-09',
  time: 'a time like 14:30',
  month: 'a month like 2026-03',
  week: 'a week like 2026-W09',
  'datetime-local': 'a date and time like 2026-03-09T14:30',
  color: 'a colour like #ff8800',
  range: 'a number',
}

/** Sets a field whose picker only people can open. Rejects with `refused-value` if the browser changes the value. */
async function setPickerValue(
  field: HTMLInputElement,
  text: string,
  { live, signal }: ActionContext,
): Promise<void> {
  await makeReady(field, { live, signal, byKeys: true })
  await showAction(live, field)
  field.focus({ preventScroll: true })
  const before = field.value
  const value = field.type === 'datetime-local' ? text.trim().replace(/ (?=\d)/, 'T') : text.trim()
  checkAction(field, { live, signal })
  setNativeValue(field, value)
  if (value && !isEquivalent(field, value)) {
    const current = field.value
    setNativeValue(field, before)
    throw refusal(field, { text, now: current, name: describeElement(field, live) })
  }
  if (field.value === before) return
  sendInput(field, 'input', { inputType: 'insertReplacementText' })
  sendChange(field)
}

/** Browsers normalise values: `14:30` and `14:30:00`, `#F80` and `#ff8800`. */
function isEquivalent(field: HTMLInputElement, value: string): boolean {
  if (field.type === 'range') return Number(field.value) === Number(value)
  return field.value !== '' && field.value.toLowerCase().startsWith(value.toLowerCase().slice(0, 5))
}

function refusal(
  field: HTMLInputElement,
  { text, now, name }: { readonly text: string; readonly now: string; readonly name: string },
): PageError {
  const { min, max, step } = field
  const limits = [min && `from ${min}`, max && `to ${max}`, step && `in steps of ${step}`]
    .filter(Boolean)
    .join(' ')
  const nearestNote = field.type === 'range' ? ` The nearest it takes is ${now}.` : ''
  return new PageError(
    'refused-value',
    `${name} does not take ${quoteSent(text)}: it wants ${FORMS[field.type] ?? 'another value'}${limits ? `, ${limits}` : ''}.${nearestNote}`,
  )
}

/** Maximum characters of a field's value in a report. */
const VALUE_LIMIT = 100

/** A typed text, with what its report needs. */
interface Input {
  readonly text: string
  readonly place: TypingPlace
  /** The field's content before. */
  readonly before: FieldContent
  readonly enter: boolean
  /** Something on the page changed. */
  readonly changed: boolean
}

interface FieldContent {
  readonly value: string
  /** Text in which characters are counted. */
  readonly text: string
}

function readContent(field: Element, { live }: ActionContext): FieldContent {
  return {
    value: cleanText(fieldValue(field, getShownRole(field) || 'textbox') ?? ''),
    text: getLongText(field, live.options),
  }
}

/** Remembers the text that a field holds as the model's own, so reports don't mask it. Skips masked fields. */
function rememberText(
  field: HTMLElement,
  { text, place }: Pick<Input, 'text' | 'place'>,
  { live }: ActionContext,
): void {
  const value = fieldValue(field, getShownRole(field) || 'textbox')
  if (value === null || !native.isConnected(field) || isMasked(field, live.options)) return
  rememberTyped(field, { value, typed: text, append: place === 'end' })
}

/**
 * Note on the field's value, if it isn't the expected one, and its validation message. Throws if the page kept nothing.
 */
function contentNote(field: HTMLElement, typing: Input, context: ActionContext): string {
  const { text, place, before, enter, changed } = typing
  const { live } = context
  if (!native.isConnected(field)) return enter ? '' : ' The page replaced it since.'
  // The page draws this content itself, so it can't be read.
  if (editContextOf(field)) return " What it holds can't be read here."
  const isSecret = isMasked(field, live.options)
  const parts = partsOf(field)
  if (parts.length > 0 && !isSecret)
    return ` It now holds ${quoteTyped(partsText(parts), text, VALUE_LIMIT)}.`
  const message = isSecret ? null : validationMessageOf(field, live.options)
  const problem = message === null ? '' : ` The field says: ${message}`
  const value = fieldValue(field, getShownRole(field) || 'textbox')
  if (value === null) return problem
  const content = cleanText(value)
  const isEmptied = content === '' && cleanText(text) !== ''
  // Reports of a masked field only that it is empty: comparing it with its old value would hint at its content.
  if (isSecret)
    return isEmptied && !enter ? ' It is empty now: the page did not keep the text.' : ''
  if (typeof place === 'object') return partNote(field, { ...typing, place }, context) + problem
  if (place === 'all' && content === cleanText(text)) return problem
  if (isEmptied) {
    if (before.value === '' && !enter && !changed) throw createError(field, 'it is empty', context)
    return ` It is empty now.${problem}`
  }
  const suffix = content === before.value ? ', as before' : ''
  if (!enter && (suffix ? place === 'all' && !changed : isPartKept(field, content, typing)))
    throw createError(field, `it holds ${quoteTyped(content, text, VALUE_LIMIT)}${suffix}`, context)
  return ` It now holds ${quoteTyped(content, text, VALUE_LIMIT)}${suffix}.${problem}`
}

/** Whether a field holds nothing but a part of the text. False if the text is longer than the field's `maxlength`. */
function isPartKept(field: HTMLElement, content: string, { text, place, before }: Input): boolean {
  return (
    isPlainTextField(field) &&
    (field.maxLength < 0 || field.maxLength >= text.length) &&
    focusedField(field) === field &&
    Number(content) !== Number(text) &&
    isLost(text, content) &&
    !isLost(content, (place === 'all' ? '' : before.value) + text)
  )
}

/** Note on a part of a longer text that was replaced. */
function partNote(
  field: HTMLElement,
  { text, place, before, enter, changed }: Input & { readonly place: Exclude<TypingPlace, string> },
  context: ActionContext,
): string {
  const { from, to } = place
  const expected = before.text.slice(0, from) + text + before.text.slice(to)
  const current = getLongText(field, context.live.options)
  const isSame = (first: string, second: string): boolean =>
    normalizeSpaces(first) === normalizeSpaces(second)
  if (isSame(current, expected)) return ` It now holds ${current.length} characters.`
  if (isSame(current, before.text)) {
    if (!enter && !changed) throw createError(field, 'it holds what it held before', context)
    return ' It now holds what it held before.'
  }
  const excerpt = textInRange(field, current, {
    from: Math.max(0, from - 20),
    to: from + text.length + 20,
    clean: scrubber(context.live),
  })
  return ` It now holds ${current.length} characters, there ${quoteTyped(cleanText(excerpt), text, VALUE_LIMIT)}.`
}

/** Treats no-break spaces as spaces: editors use them to keep a space. */
function normalizeSpaces(text: string): string {
  return text.replaceAll('\u00A0', ' ')
}

function createError(field: HTMLElement, reason: string, { live }: ActionContext): PageError {
  const name = describeElement(field, live)
  return new PageError('refused-value', `${name} did not keep the text: ${reason}.`)
}

/** A file field, or an element that files can be dropped on. */
type FileTarget = { readonly field: HTMLInputElement } | { readonly zone: HTMLElement }

/** The file field of a target: itself, one inside it, or the control of a label. */
function findFileField(target: HTMLElement): HTMLInputElement | null {
  if (isFileField(target)) return target
  if (isTag(target, 'label') && isFileField(target.control)) return target.control
  const fileFields = [...native.querySelectorAll(target, 'input')].filter(isFileField)
  return fileFields.length === 1 ? (fileFields[0] ?? null) : null
}

function isFileField(element: Element | null): element is HTMLInputElement {
  return element !== null && isTag(element, 'input') && element.type === 'file'
}

/** Sets a field's files, or drops them on an element, by names that the page's `files` option resolves. */
async function provideFiles(
  fileTarget: FileTarget,
  names: string,
  context: ActionContext,
): Promise<ResultReporter> {
  const target = 'field' in fileTarget ? fileTarget.field : fileTarget.zone
  const name = describeElement(target, context.live)
  const { files } = context.live.options
  if (!files)
    throw new PageError(
      'unsupported',
      `${name}: this page offers no files. Ask the person to choose one.`,
    )
  if (native.matches(target, ':disabled')) throw new PageError('disabled', `${name} is disabled.`)
  const transfer = new (viewOf(target).DataTransfer)()
  const foundFiles = await findFiles(names, files)
  for (const file of foundFiles.values()) transfer.items.add(file)
  checkAction(target, context)
  if ('zone' in fileTarget) await dropFiles(fileTarget.zone, transfer, context)
  else setFiles(fileTarget.field, transfer.files, name)
  const summary = `Gave ${Array.from(foundFiles.keys(), quoteSent).join(', ')} to ${name}`
  return ({ changed }) => {
    if (!('field' in fileTarget)) return changed ? `${summary}.` : `${summary}. Nothing changed.`
    if (foundFiles.size === 0 || (fileTarget.field.files?.length ?? 0) > 0) return `${summary}.`
    // Many pages take the file and empty the field.
    if (changed) return `${summary}. The field is empty again.`
    throw new PageError('refused-value', `${name} did not keep the file: it is empty.`)
  }
}

/** The files of a list of names. A comma may also be a part of a single name. */
async function findFiles(
  names: string,
  files: NonNullable<PageOptions['files']>,
): Promise<ReadonlyMap<string, File>> {
  const found = new Map<string, File>()
  const fullName = names.trim()
  for (const fileName of fullName.split(/\s*[\n,]\s*/).filter(Boolean)) {
    const file = await files(fileName)
    const wholeFile = !file && fullName !== fileName && (await files(fullName))
    if (wholeFile) return new Map([[fullName, wholeFile]])
    if (!file) throw new PageError('not-found', `There is no file named ${quoteSent(fileName)}.`)
    found.set(fileName, file)
  }
  return found
}

function setFiles(field: HTMLInputElement, files: FileList, name: string): void {
  if (files.length > 1 && !field.multiple)
    throw new PageError('refused-value', `${name} takes one file only.`)
  const refused = [...files].find((file) => !isAccepted(file, field.accept))
  if (refused)
    throw new PageError(
      'refused-value',
      `${name} does not take ${quote(refused.name)}: it wants ${quote(shorten(cleanText(field.accept), 80))}.`,
    )
  field.files = files
  sendChoice(field)
}

/** Whether a field's `accept` allows the file: by extension, type, or a group such as `image/*` or `*` itself. */
function isAccepted({ name, type }: File, accept: string): boolean {
  const accepted = accept
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  return (
    accepted.length === 0 ||
    accepted.some((pattern) => {
      if (pattern.startsWith('.')) return name.toLowerCase().endsWith(pattern)
      return pattern.includes('*') ? type.startsWith(pattern.replace(/\*.*/, '')) : type === pattern
    })
  )
}

async function dropFiles(
  zone: HTMLElement,
  data: DataTransfer,
  { live, signal }: ActionContext,
): Promise<void> {
  const { point, receiver } = await makeReady(zone, { live, signal })
  await showAction(live, zone)
  const send = (type: string): boolean => sendDrag(receiver, type, { point, data })
  send('dragenter')
  // A target that accepts a drop cancels `dragover`, and also `drop`, whose default opens the file.
  if (!send('dragover')) {
    if (!send('drop')) return
  } else send('dragleave')
  throw new PageError(
    'unsupported',
    `${describeElement(zone, live)} takes neither text nor files. Click it, or use press_key.`,
  )
}
