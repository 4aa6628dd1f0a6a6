import { isElement, isTag } from '../dom.ts'
import * as native from '../native.ts'
import { editContextOf } from './edit-context-of.ts'

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

/** Whether keys write into it. */
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
  const field = typedInto(target)
  return !isTag(field, 'textarea') && isEditable(field)
}

/** The element that receives typed text: the field in a label, a combobox or a component, else the target itself. */
export function typedInto(target: Element): Element {
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

function isTypedField(element: HTMLElement): boolean {
  return isPlainTextField(element) || native.isContentEditable(element)
}
