import { quoteTyped, rememberTyped } from '../as-sent.ts'
import { cleanText } from '../clean-text.ts'
import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import { livePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import { roleOf } from '../outline/role.ts'
import { fieldValue, isReadOnly } from '../outline/state.ts'
import { validationMessageOf } from './validation-message.ts'
import { describeElement } from './describe.ts'
import { editableIn, isPickerField, takesEnter } from './field-kind.ts'
import { checkKey } from './guard-actions.ts'
import { fileFieldOf, provideFiles } from './provide-files.ts'
import { keyOf } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import { perform, type ActionContext, type ActionReport } from './perform.ts'
import { setPickerValue } from './set-picker-value.ts'
import { slideTo } from './slide-to.ts'
import { resolveTarget, type Target } from './target.ts'
import { focusedField, typeCharacters } from './type-characters.ts'
import { partsText, partsOf, typeParts } from './type-parts.ts'
import { requireAllowed } from '../outline/region.ts'

export interface TypeOptions extends ActOptions {
  /** `replace` the field's content, or `append` to it. Default `replace`. */
  readonly mode?: 'replace' | 'append'
  /** Press Enter afterwards. */
  readonly enter?: boolean
}

/** Of a field's value in a report. */
const VALUE_LIMIT = 100

/** Types into a field, an editor, a slider; picks dates, times, colours and files. */
export async function typeText(
  target: Target,
  text: string,
  options: TypeOptions = {},
): Promise<ActionReport> {
  const { page, signal } = options
  const element = await resolveTarget(target, { page, live: livePage(page), signal })
  return perform(options, async (context) => ({
    summary: await typeInto(element, text, { context, options }),
    element,
    expectsChange: false,
    reactsLater: maySuggest(element),
  }))
}

/**
 * Whether suggestions may appear a while after the last key: the field has some, or turned the browser's
 * off.
 */
function maySuggest(target: HTMLElement): boolean {
  const field = editableIn(target) ?? target
  const suggests =
    /^(combobox|searchbox)$/.test(roleOf(field)) ||
    native.ariaAutoComplete(field) !== null ||
    native.getAttribute(field, 'autocomplete') === 'off'
  return suggests && native.ariaExpanded(field) !== 'true'
}

/** The typing alone, for actions of several steps; returns a summary with the field's value. */
export async function typeInto(
  target: HTMLElement,
  given: string,
  { context, options }: { readonly context: ActionContext; readonly options: TypeOptions },
): Promise<string> {
  const { live } = context
  const text = given.replace(/\r\n?/g, '\n')
  const files = fileFieldOf(target)
  if (files) {
    requireAllowed(files, live.options)
    return provideFiles({ field: files }, text, context)
  }
  if (isReadOnly(target))
    throw new PageError(
      'read-only',
      `${describeElement(target, live)} is read-only.${roleOf(target) === 'combobox' ? ' Use select_option.' : ''}`,
    )
  if (isTag(target, 'select'))
    throw new PageError(
      'unsupported',
      `${describeElement(target, live)} is a list: use select_option.`,
    )
  let typed = editableIn(target) ?? target
  const parts = partsOf(target)
  // What Enter would send is known before anything is typed.
  if (options.enter || (text.includes('\n') && takesEnter(target)))
    checkKey(typed, context, 'activate')
  if (isPickerField(target)) await setPickerValue(target, text, context)
  else if (isSliderLike(target)) await slideTo(target, text, context)
  else if (!(await typeParts(parts, text, context))) {
    if (!editableIn(target)) return dropOrRefuse(target, text, context)
    typed = await typeCharacters(target, text, { context, append: options.mode === 'append' })
  }
  if (parts.length > 0) typed = target
  if (options.enter) sendKeyPress(focusedField(typed), keyOf('Enter'), context)
  const append = options.mode === 'append'
  return `${options.enter ? 'Typed, then pressed Enter' : 'Typed'} in ${describeElement(typed, live)}.${contentNote(typed, { text, append }, context)}`
}

/** Whether its value has a range and is changed by keys: sliders, spin buttons, splitters. */
function isSliderLike(target: HTMLElement): boolean {
  return (
    /^(slider|spinbutton|separator|scrollbar)$/.test(native.getAttribute(target, 'role') ?? '') &&
    native.hasAttribute(target, 'aria-valuenow') &&
    !editableIn(target)
  )
}

/** An element that accepts no text may accept dropped files. */
function dropOrRefuse(target: HTMLElement, text: string, context: ActionContext): Promise<string> {
  const { live } = context
  const isList = /^(combobox|listbox|menu|radiogroup)$/.test(roleOf(target))
  if (live.options.files && !isList) return provideFiles({ zone: target }, text, context)
  const advice = isList ? 'Use select_option.' : 'Click it, or use press_key.'
  const name = describeElement(target, live)
  throw new PageError('unsupported', `${name} takes no text. ${advice}`)
}

interface Typed {
  readonly text: string
  readonly append: boolean
}

/** The field's value where it isn't the expected one, and its validation message. */
function contentNote(field: HTMLElement, { text, append }: Typed, { live }: ActionContext): string {
  if (!native.isConnected(field)) return ''
  const secret = isMasked(field, live.options)
  const parts = partsOf(field)
  if (parts.length > 0 && !secret)
    return ` It now holds ${quoteTyped(partsText(parts), text, VALUE_LIMIT)}.`
  const message = secret ? null : validationMessageOf(field)
  const problem = message === null ? '' : ` The field says: ${message}`
  const value = fieldValue(field, roleOf(field) || 'textbox')
  if (secret || value === null) return problem
  const holds = cleanText(value)
  rememberTyped(field, { value: holds, typed: cleanText(text), append })
  const expected = !append && holds === cleanText(text)
  return expected ? problem : ` It now holds ${quoteTyped(holds, text, VALUE_LIMIT)}.${problem}`
}
