import { isTag, viewOf } from '../dom.ts'
import type { TextField } from './field-kind.ts'

/**
 * Sets a field's value past what a framework put in front of it, as typing does. Frameworks compare
 * with the value that they know, so they notice only this way.
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
  return target.dispatchEvent(
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
  target.dispatchEvent(new (viewOf(target).Event)('change', { bubbles: true }))
}

/** A choice was made: fields without text say so at once. */
export function sendChoice(target: Element): void {
  target.dispatchEvent(new (viewOf(target).Event)('input', { bubbles: true, composed: true }))
  sendChange(target)
}
