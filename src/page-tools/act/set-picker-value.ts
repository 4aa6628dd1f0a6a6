import { quoteSent } from '../as-sent.ts'
import { PageError } from '../page-error.ts'
import { describeElement } from './describe.ts'
import { makeReady } from './make-ready.ts'
import { sendChange, sendInput, setNativeValue } from './set-value.ts'
import type { ActionContext } from './perform.ts'
import { checkAction } from './guard-actions.ts'

const FORMS: Readonly<Record<string, string>> = {
  date: 'a date like 2026-03-09',
  time: 'a time like 14:30',
  month: 'a month like 2026-03',
  week: 'a week like 2026-W09',
  'datetime-local': 'a date and time like 2026-03-09T14:30',
  color: 'a colour like #ff8800',
  range: 'a number',
}

/**
 * Sets a field whose picker only people can open. Rejects with `refused-value` when the browser changes the
 * value.
 */
export async function setPickerValue(
  field: HTMLInputElement,
  text: string,
  { live, signal, show }: ActionContext,
): Promise<void> {
  await makeReady(field, { live, signal, byKeys: true })
  await show(field)
  field.focus({ preventScroll: true })
  const before = field.value
  const wanted = field.type === 'datetime-local' ? text.trim().replace(/ (?=\d)/, 'T') : text.trim()
  checkAction(field, { live, signal })
  setNativeValue(field, wanted)
  if (wanted && !isEquivalent(field, wanted)) {
    const now = field.value
    setNativeValue(field, before)
    throw refusal(field, { text, now, name: describeElement(field, live) })
  }
  if (field.value === before) return
  sendInput(field, 'input', { inputType: 'insertReplacementText' })
  sendChange(field)
}

/** Browsers normalise values: `14:30` and `14:30:00`, `#F80` and `#ff8800`. */
function isEquivalent(field: HTMLInputElement, wanted: string): boolean {
  if (field.type === 'range') return Number(field.value) === Number(wanted)
  return (
    field.value !== '' && field.value.toLowerCase().startsWith(wanted.toLowerCase().slice(0, 5))
  )
}

function refusal(
  field: HTMLInputElement,
  { text, now, name }: { readonly text: string; readonly now: string; readonly name: string },
): PageError {
  const { min, max, step } = field
  const limits = [min && `from ${min}`, max && `to ${max}`, step && `in steps of ${step}`]
    .filter(Boolean)
    .join(' ')
  const nearest = field.type === 'range' ? ` The nearest it takes is ${now}.` : ''
  return new PageError(
    'refused-value',
    `${name} does not take ${quoteSent(text)}: it wants ${FORMS[field.type] ?? 'another value'}${limits ? `, ${limits}` : ''}.${nearest}`,
  )
}
