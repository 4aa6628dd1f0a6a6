import { isTag } from '../dom.ts'
import type { TextField } from './field-kind.ts'
import { setNativeValue } from './set-value.ts'

/** Texts that the tools typed into number fields. The field's `value` is empty until its text is a number. */
const drafts = new WeakMap<TextField, { readonly text: string; readonly value: string }>()
const NUMBER = /^-?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?/i

/** The text that a field shows. In a number field, an incomplete number is known only if the tools typed it. */
export function textOf(field: TextField): string {
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
