import { isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { TextField } from './field-kind.ts'

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
