import { isTag } from '../dom.ts'

/** Inputs that take one value in a fixed form, not characters. */
const PICKED = /^(date|time|month|week|datetime-local|color|range)$/
const NOT_TYPED = /^(checkbox|radio|button|submit|reset|image|hidden|file)$/

export type TextField = HTMLInputElement | HTMLTextAreaElement

export function isPlainTextField(element: Element): element is TextField {
  if (isTag(element, 'textarea')) return true
  return isTag(element, 'input') && !PICKED.test(element.type) && !NOT_TYPED.test(element.type)
}

export function isPickedField(element: Element): element is HTMLInputElement {
  return isTag(element, 'input') && PICKED.test(element.type)
}
