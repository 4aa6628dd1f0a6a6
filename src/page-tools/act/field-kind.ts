import { closest, isElement, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { getShownRole } from '../outline/role.ts'
import { checkedState, fieldValue } from '../outline/state.ts'

/** `EditContext` is missing in TypeScript's DOM types. */
export interface EditContext extends EventTarget {
  readonly text: string
  readonly selectionStart: number
  readonly selectionEnd: number
  updateText(start: number, end: number, text: string): void
  updateSelection(start: number, end: number): void
}

/** The element's `EditContext`, or null. Only Chromium supports it. */
export function editContextOf(element: Element): EditContext | null {
  return (native.editContext(element) as EditContext | null | undefined) ?? null
}

/**
 * Sets a field's value with the prototype's setter, as typing does. Frameworks override the setter on the field itself
 * and remember the last value. They detect a change only if the prototype's setter makes it.
 */
export function setNativeValue(field: TextField | HTMLSelectElement, value: string): void {
  const view = viewOf(field)
  const prototype = isTag(field, 'textarea')
    ? view.HTMLTextAreaElement.prototype
    : isTag(field, 'select')
      ? view.HTMLSelectElement.prototype
      : view.HTMLInputElement.prototype
  const setter = Object.getOwnPropertyDescriptor(prototype, 'value')?.set
  if (setter) setter.call(field, value)
  else field.value = value
}

export function sendInput(
  target: Element,
  type: 'beforeinput' | 'input',
  details: { readonly inputType: string; readonly data?: string | null },
): boolean {
  const view = viewOf(target)
  return native.dispatchEvent(
    target,
    new view.InputEvent(type, {
      ...details,
      data: details.data ?? null,
      bubbles: true,
      cancelable: type === 'beforeinput',
      composed: true,
      view,
    }),
  )
}

export function sendChange(target: Element): void {
  native.dispatchEvent(target, new (viewOf(target).Event)('change', { bubbles: true }))
}

/** Sends the events of a choice: fields without text send `change` at once. */
export function sendChoice(target: Element): void {
  native.dispatchEvent(
    target,
    new (viewOf(target).Event)('input', { bubbles: true, composed: true }),
  )
  sendChange(target)
}

/** Texts that the tools typed into number fields. The field's `value` is empty until its text is a number. */
const drafts = new WeakMap<TextField, { readonly text: string; readonly value: string }>()
const NUMBER = /^-?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?/i

/** The text that a field shows. In a number field, an incomplete number is known only if the tools typed it. */
export function fieldText(field: TextField): string {
  const draft = drafts.get(field)
  return draft?.value === field.value ? draft.text : field.value
}

/** Sets the text. A number field accepts `-`, `-2` and `-2.` on the way to `-2.5`. */
export function setText(field: TextField, text: string): void {
  setNativeValue(field, text)
  if (!isTag(field, 'input') || field.type !== 'number') return
  if (!field.value) setNativeValue(field, NUMBER.exec(text)?.[0] ?? '')
  drafts.set(field, { text, value: field.value })
}

/** Inputs with one value in a fixed format, rather than characters. */
const PICKER_TYPES = /^(date|time|month|week|datetime-local|color|range)$/
const TEXTLESS_TYPES = /^(checkbox|radio|button|submit|reset|image|hidden|file)$/

export type TextField = HTMLInputElement | HTMLTextAreaElement

export function isPlainTextField(element: Element): element is TextField {
  if (isTag(element, 'textarea')) return true
  return (
    isTag(element, 'input') &&
    !PICKER_TYPES.test(element.type) &&
    !TEXTLESS_TYPES.test(element.type)
  )
}

/** Whether the field blocks submission by Enter: a form with two such fields and no button isn't submitted. */
export function blocksSubmission(element: Element): element is HTMLInputElement {
  return (
    isTag(element, 'input') &&
    (/date|time|month|week/.test(element.type) || isPlainTextField(element))
  )
}

/** Whether keys write into the element. */
export function isEditable(element: Element): boolean {
  return (
    isPlainTextField(element) ||
    (isElement(element) && native.isContentEditable(element)) ||
    /^(textbox|searchbox)$/.test(native.getAttribute(element, 'role') ?? '')
  )
}

export function isPickerField(element: Element): element is HTMLInputElement {
  return isTag(element, 'input') && PICKER_TYPES.test(element.type)
}

/** Whether a typed line break counts as Enter, which may submit a form: in every field but a textarea. */
export function takesEnter(target: Element): boolean {
  const field = findTypingTarget(target)
  return !isTag(field, 'textarea') && isEditable(field)
}

/** The element that receives typed text: the field in a label, a combobox or a component, or the target itself. */
export function findTypingTarget(target: Element): Element {
  return (isElement(target) && editableIn(target)) || target
}

/**
 * The element to type into: the target, or the field inside of a combobox or web component. Skips fields that aren't
 * displayed: they only carry a value, as in the thumbs of sliders.
 */
export function editableIn(target: HTMLElement): HTMLElement | null {
  if (isTypedField(target)) return target
  if (editContextOf(target)) return target
  for (const scope of [native.shadowRoot(target), target]) {
    for (const inner of (scope &&
      native.querySelectorAll(scope, 'input,textarea,[contenteditable]')) ??
      [])
      if (isElement(inner) && isTypedField(inner) && native.checkVisibility(inner)) return inner
    for (const host of (scope && native.querySelectorAll(scope, '*')) ?? [])
      if (isElement(host) && native.shadowRoot(host)) {
        const inner = editableIn(host)
        if (inner) return inner
      }
  }
  return null
}

/** Whether typed characters become the element's content. */
export function isTypedField(element: HTMLElement): boolean {
  return isPlainTextField(element) || native.isContentEditable(element)
}

/**
 * The content of a field, as a text to compare: its value, its choices, or whether it is checked. Null if it is no
 * field.
 */
export function contentOf(element: Element): string | null {
  const field = isTag(element, 'label') ? element.control : element
  if (!field || isTag(field, 'option')) return null
  if (isTag(field, 'select'))
    return JSON.stringify([...field.selectedOptions].map(({ index, value }) => [index, value]))
  const radios = radiosOf(field)
  if (radios.length > 0)
    return String(radios.findIndex((candidate) => checkedState(candidate) === true))
  const checked = checkedState(field) ?? native.getAttribute(field, 'aria-pressed')
  return checked === null ? fieldValue(field, getShownRole(field)) : String(checked)
}

/** The radio buttons of a group, in order. Empty for other elements. */
export function radiosOf(radio: Element): readonly Element[] {
  if (isTag(radio, 'input') && radio.type === 'radio') {
    const root = native.getRootNode(radio) as Document | ShadowRoot
    return [...native.querySelectorAll<HTMLInputElement>(root, 'input[type=radio]')].filter(
      (candidate) =>
        candidate === radio ||
        (radio.name && candidate.name === radio.name && candidate.form === radio.form),
    )
  }
  const group = native.matches(radio, '[role=radio]') && closest(radio, '[role=radiogroup]')
  return group ? [...native.querySelectorAll(group, '[role=radio]')] : []
}
