import { isTag } from '../dom.ts'
import type { TextField } from './field-kind.ts'
import { setNativeValue } from './set-value.ts'

/** What number fields show of which they don't tell: a value is only what is a number already. */
const drafts = new WeakMap<TextField, { readonly text: string; readonly value: string }>()
const NUMBER = /^-?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?/i

/** The text that stands in a field, as far as it was typed by the tools. */
export function textOf(field: TextField): string {
  const draft = drafts.get(field)
  return draft?.value === field.value ? draft.text : field.value
}

/** On the way to `-2.5` a number field takes `-`, `-2` and `-2.`. */
export function setText(field: TextField, text: string): void {
  setNativeValue(field, text)
  if (!isTag(field, 'input') || field.type !== 'number') return
  if (!field.value) setNativeValue(field, NUMBER.exec(text)?.[0] ?? '')
  drafts.set(field, { text, value: field.value })
}
