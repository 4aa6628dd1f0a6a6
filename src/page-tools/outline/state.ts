import { isTag } from '../dom.ts'
import * as native from '../native.ts'

/** State of an element that a snapshot shows in addition to role and name. */
export interface ElementState {
  /** Flags as a snapshot shows them in brackets: `checked`, `level=2`. */
  readonly flags: readonly string[]
  /** Value of a field, not masked yet. Null if it is no field. */
  readonly value: string | null
}

const NO_STATE: ElementState = { flags: [], value: null }

/** Elements whose state is in their own attributes, apart from what forms and disabled ancestors add. */
const STATED_BY_ATTRIBUTES = new Set('button,a,section,li,tr,td,ul,ol,table,nav,main'.split(','))

/** Reads attributes and properties only: no styles, no layout. */
export function stateOf(element: Element, role: string): ElementState {
  if (!role) return NO_STATE
  if (STATED_BY_ATTRIBUTES.has(native.localName(element)) && hasNoState(element))
    return stateWithoutAttributes(element)
  const flags: string[] = []
  const addFlag = (flag: string | false | null | undefined): void => {
    if (flag) flags.push(flag)
  }
  addFlag(checkedFlag(element))
  addFlag(isDisabled(element) && 'disabled')
  addFlag(expandedFlag(element))
  addFlag(native.getAttribute(element, 'aria-pressed') === 'true' && 'pressed')
  addFlag(isSelected(element) && 'selected')
  addFlag(currentFlag(element))
  addFlag(role === 'heading' && `level=${headingLevel(element)}`)
  addFlag(sortFlag(element))
  addFlag(fieldType(element))
  for (const limit of limitFlags(element, role)) flags.push(limit)
  addFlag(isReadOnly(element) && 'readonly')
  addFlag(isRequired(element) && 'required')
  addFlag(isInvalid(element) && 'invalid')
  addFlag(native.getAttribute(element, 'aria-busy') === 'true' && 'busy')
  return { flags, value: fieldValue(element, role) }
}

const STATELESS = new Set('class,id,style,href,target,rel,title,aria-label,onclick,type'.split(','))

/** Whether no attribute can hold a state. Comparing names costs less than reading each possible attribute. */
function hasNoState(element: Element): boolean {
  return (
    !native.hasAttributes(element) ||
    native.getAttributeNames(element).every((name) => STATELESS.has(name))
  )
}

function stateWithoutAttributes(element: Element): ElementState {
  const flags: string[] = []
  if (isDisabled(element)) flags.push('disabled')
  if (isInvalid(element)) flags.push('invalid')
  return flags.length > 0 ? { flags, value: null } : NO_STATE
}

const FORM_CONTROLS = new Set('button,input,select,textarea,option,optgroup,fieldset'.split(','))

/** Whether form pseudo-classes can match the element; custom elements may be form controls, too. */
function isFormControl(element: Element): boolean {
  const localName = native.localName(element)
  return FORM_CONTROLS.has(localName) || localName.includes('-')
}

export function isDisabled(element: Element): boolean {
  return (
    (isFormControl(element) && native.matches(element, ':disabled')) ||
    native.closest(element, '[aria-disabled="true"]') !== null
  )
}

export function isReadOnly(element: Element): boolean {
  return (
    ((isTag(element, 'input') || isTag(element, 'textarea')) && element.readOnly) ||
    native.getAttribute(element, 'aria-readonly') === 'true'
  )
}

/** `true`, `false` or `'mixed'`. Null if it can't be checked. */
export function checkedState(element: Element): boolean | 'mixed' | null {
  if (isTag(element, 'input') && /^(checkbox|radio)$/.test(element.type))
    return element.indeterminate ? 'mixed' : element.checked
  const checked = native.getAttribute(element, 'aria-checked')
  return checked === null ? null : checked === 'mixed' ? 'mixed' : checked === 'true'
}

function checkedFlag(element: Element): string | null {
  const checked = checkedState(element)
  return checked === 'mixed' ? 'checked=mixed' : checked ? 'checked' : null
}

function expandedFlag(element: Element): string | null {
  if (isTag(element, 'summary')) {
    const parent = native.parentElement(element)
    return parent && native.hasAttribute(parent, 'open') ? 'expanded' : 'collapsed'
  }
  const expanded = native.getAttribute(element, 'aria-expanded')
  return expanded === 'true' ? 'expanded' : expanded === 'false' ? 'collapsed' : null
}

function isSelected(element: Element): boolean {
  return isTag(element, 'option')
    ? element.selected
    : native.getAttribute(element, 'aria-selected') === 'true'
}

// Values that are shown as they are. Others are shown as `current` or `sort=other`.
const CURRENT = /^(page|step|location|date|time)$/
const SORT = /^(ascending|descending)$/

function currentFlag(element: Element): string | null {
  const current = native.getAttribute(element, 'aria-current')
  if (!current || current === 'false') return null
  return CURRENT.test(current) ? `current=${current}` : 'current'
}

function sortFlag(element: Element): string | null {
  const sort = native.getAttribute(element, 'aria-sort')
  return sort && sort !== 'none' ? `sort=${SORT.test(sort) ? sort : 'other'}` : null
}

function headingLevel(element: Element): string {
  const level =
    native.getAttribute(element, 'aria-level') ?? /^h([1-6])$/.exec(native.localName(element))?.[1]
  return /^\s*(\d{1,2})\s*$/.exec(level ?? '')?.[1] ?? '2'
}

/** Returns only types that say how to fill the field. */
function fieldType(element: Element): string | null {
  if (!isTag(element, 'input')) return null
  return /^(date|datetime-local|time|month|week|color|file|password|email|url|tel|number|range)$/.test(
    element.type,
  )
    ? `type=${element.type}`
    : null
}

const RANGES = /^(slider|spinbutton|scrollbar)$/
const NUMBER = /^-?\d{1,12}(\.\d{1,6})?$/

/** Limits of a value on a scale. Without attributes, `type=range` goes from 0 to 100. */
function limitFlags(element: Element, role: string): string[] {
  if (!RANGES.test(role)) return []
  const isNative = isTag(element, 'input')
  const isRange = isNative && element.type === 'range'
  return (['min', 'max'] as const).flatMap((limit) => {
    const attributeValue = native
      .getAttribute(element, isNative ? limit : `aria-value${limit}`)
      ?.trim()
    const value = attributeValue || (isRange ? { min: '0', max: '100' }[limit] : '')
    return NUMBER.test(value) ? [`${limit}=${value}`] : []
  })
}

function isRequired(element: Element): boolean {
  return (
    (element as Partial<HTMLInputElement>).required === true ||
    native.getAttribute(element, 'aria-required') === 'true'
  )
}

function isInvalid(element: Element): boolean {
  const invalid = native.getAttribute(element, 'aria-invalid')
  if (invalid && invalid !== 'false') return true
  return isFormControl(element) && native.matches(element, ':user-invalid')
}

/** A field's value as text; null for elements that aren't fields. */
export function fieldValue(element: Element, role: string): string | null {
  if (isTag(element, 'input')) return inputValue(element)
  if (isTag(element, 'textarea')) return element.value
  if (isTag(element, 'select'))
    return [...element.selectedOptions].map((option) => option.label).join(', ')
  if (isTag(element, 'progress') || isTag(element, 'meter')) return String(element.value)
  // The last line break of an editor only makes its last line visible.
  if (role === 'textbox' && native.isContentEditable(element as HTMLElement))
    return native.innerText(element as HTMLElement).replace(/\n$/, '')
  const ariaValueText = native.ariaValueText(element)
  const ariaValueNow = native.ariaValueNow(element)
  if (ariaValueText !== null) return ariaValueText
  // The text of an editable part of a date says more than its number.
  if (ariaValueNow !== null)
    return (
      (native.isContentEditable(element as HTMLElement) && native.textContent(element)) ||
      ariaValueNow
    )
  return role === 'combobox' || role === 'textbox' || role === 'searchbox'
    ? native.textContent(element)
    : null
}

function inputValue(input: HTMLInputElement): string | null {
  if (/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(input.type)) return null
  return input.type === 'file'
    ? [...(input.files ?? [])].map((file) => file.name).join(', ')
    : input.value
}
