import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import { livePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import { roleOf } from '../outline/role.ts'
import { isReadOnly } from '../outline/state.ts'
import { describeElement } from './describe.ts'
import { editableIn, isPickerField, takesEnter } from './field-kind.ts'
import { checkKey } from './guard-actions.ts'
import { fileFieldOf, provideFiles } from './provide-files.ts'
import { keyOf } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import { perform, type ActionContext, type ActionReport, type Telling } from './perform.ts'
import { setPickerValue } from './set-picker-value.ts'
import { slideTo } from './slide-to.ts'
import { resolveTarget, type Target } from './target.ts'
import { focusedField, typeCharacters } from './type-characters.ts'
import { partsOf, typeParts } from './type-parts.ts'
import { contentNote, heldBy, noteTyped } from './typed-note.ts'
import { type CharacterRange, selectedRange, type TypingPlace } from './typing-place.ts'
import { requireAllowed } from '../outline/region.ts'

export interface TypeOptions extends ActOptions {
  /** `replace` the field's content, `append` to it, or `insert` in the place of what is selected. Default `replace`. */
  readonly mode?: 'replace' | 'append' | 'insert'
  /** Replaces only these characters of it. */
  readonly replace?: CharacterRange
  /** Press Enter afterwards. */
  readonly enter?: boolean
}

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

/** The typing alone, for actions of several steps; told is the field's value, too. */
export async function typeInto(
  target: HTMLElement,
  given: string,
  { context, options }: { readonly context: ActionContext; readonly options: TypeOptions },
): Promise<Telling> {
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
  const before = heldBy(typed, context)
  // Whether it holds that many would tell how long its secret is.
  if (options.replace && isMasked(typed, live.options))
    throw new PageError(
      'unsupported',
      `${describeElement(typed, live)} is masked: it can only be replaced whole.`,
    )
  let place = placeOf(options)
  if (place === 'selection') place = selectedRange(typed) ?? place
  // What Enter would send is known before anything is typed.
  if (options.enter || (text.includes('\n') && takesEnter(target)))
    checkKey(typed, context, 'activate')
  if (isPickerField(target)) await setPickerValue(target, text, context)
  else if (isSliderLike(target)) await slideTo(target, text, context)
  else if (!(await typeParts(parts, text, context))) {
    if (!editableIn(target)) return dropOrRefuse(target, text, context)
    typed = await typeCharacters(target, text, { context, place })
  }
  if (parts.length > 0) typed = target
  if (options.enter) sendKeyPress(focusedField(typed), keyOf('Enter'), context)
  noteTyped(typed, { text, place }, context)
  const { enter = false } = options
  return ({ changed }) => {
    const note = contentNote(typed, { text, place, before, enter, changed }, context)
    return `${enter ? 'Typed, then pressed Enter' : 'Typed'} in ${describeElement(typed, live)}.${note}`
  }
}

function placeOf({ mode = 'replace', replace }: TypeOptions): TypingPlace {
  if (replace) return replace
  const places = { replace: 'all', append: 'end', insert: 'selection' } as const
  return places[mode]
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
function dropOrRefuse(target: HTMLElement, text: string, context: ActionContext): Promise<Telling> {
  const { live } = context
  const isList = /^(combobox|listbox|menu|radiogroup)$/.test(roleOf(target))
  if (live.options.files && !isList) return provideFiles({ zone: target }, text, context)
  const advice = isList ? 'Use select_option.' : 'Click it, or use press_key.'
  const name = describeElement(target, live)
  throw new PageError('unsupported', `${name} takes no text. ${advice}`)
}
