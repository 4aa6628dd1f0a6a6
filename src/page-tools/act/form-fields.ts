import { textDigest } from '../../lib/text-digest.ts'
import { cleanText, quote, shorten } from '../clean-text.ts'
import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import { nameOf } from '../outline/name.ts'
import { isReadable } from '../outline/region.ts'
import { roleOf } from '../outline/role.ts'
import { checkedState, fieldValue } from '../outline/state.ts'
import type { PageOptions } from '../options.ts'
import { isMasked } from '../privacy.ts'
import { elementsOf, formSubmittedBy, type Activation } from './sites.ts'

/** Other fields of the form that an approved action sends: filled ones that may be read, and hidden ones. */
export interface FormFields {
  /** The first of them, for the approval: `"To": "Ada", "Amount": "10"`. */
  readonly text: string
  /** Digest of all fields in full: values may be long, and the journal only needs to tell whether they changed. */
  readonly digest: string
}

const SHOWN = 6
const NAME_LIMIT = 30
const VALUE_LIMIT = 40
const WITHOUT_VALUE = /^(button|submit|reset|image)$/
/** Names of hidden fields that scripts renew by themselves. */
export const RENEWED: RegExp = /csrf|xsrf|token|nonce|captcha|verification/i

interface Beside {
  readonly options: PageOptions
  /** Removes secrets. */
  readonly clean: (text: string) => string
  /** The field that the call itself fills. */
  readonly typed: Element | null
}

/** Returns null if nothing else is sent. */
export function fieldsBeside(
  element: Element,
  how: Activation,
  { options, clean, typed }: Beside,
): FormFields | null {
  const form = formSubmittedBy(element, how)
  if (!form) return null
  const filled = elementsOf(form).flatMap((field) => {
    const value = field === typed || !mayShow(field, options) ? '' : valueOf(field)
    if (!value) return []
    const name = nameOf(field, roleOf(field) || 'textbox', options).text
    return [{ field, name, value, sent: sentBy(field) }]
  })
  const hidden = hiddenIn(form, options)
  if (filled.length + hidden.length === 0) return null
  const short = (whole: string, limit: number): string =>
    quote(shorten(clean(whole), limit).replace(/"/g, "'"))
  const shown = filled
    .filter(({ field }) => field !== element)
    .map(
      ({ name, value }) => `${name && `${short(name, NAME_LIMIT)}: `}${short(value, VALUE_LIMIT)}`,
    )
  const more = shown.length > SHOWN ? `, and ${shown.length - SHOWN} more` : ''
  return {
    text: shown.slice(0, SHOWN).join(', ') + more,
    digest: textDigest(
      JSON.stringify([filled.map(({ name, value, sent }) => [name, value, sent]), hidden]),
    ),
  }
}

/** Digest of everything that a form sends. Of the fields that a call fills in, only the names count. */
export function digestBeside(
  form: HTMLFormElement,
  filled: readonly Element[],
  options: PageOptions,
): string {
  const sent = elementsOf(form).flatMap((field) => {
    if (!mayShow(field, options)) return []
    if (!filled.includes(field)) return [[...sentBy(field), valueOf(field)]]
    return [isTag(field, 'select') ? [] : sentBy(field)]
  })
  return textDigest(JSON.stringify([sent, hiddenIn(form, options)]))
}

function mayShow(field: Element, options: PageOptions): boolean {
  if (isTag(field, 'input') && (WITHOUT_VALUE.test(field.type) || isHidden(field))) return false
  if (/^(button|fieldset|object|output)$/.test(native.localName(field))) return false
  return isReadable(field, options) && !isMasked(field, options)
}

function valueOf(field: Element): string {
  const checked = checkedState(field)
  if (checked !== null) return checked === false ? '' : 'checked'
  return cleanText(fieldValue(field, roleOf(field)) ?? '')
}

/** The name and value that a field sends. For a choice, the value differs from the text that is shown. */
function sentBy(field: Element): readonly string[] {
  const name = native.getAttribute(field, 'name') ?? ''
  if (isTag(field, 'select')) return [name, ...[...field.selectedOptions].map(({ value }) => value)]
  return checkedState(field) === null ? [name] : [name, native.getAttribute(field, 'value') ?? '']
}

/** Names and values of the fields that nobody sees. */
function hiddenIn(form: HTMLFormElement, options: PageOptions): readonly (readonly string[])[] {
  return elementsOf(form).flatMap((field) =>
    isHidden(field) && !RENEWED.test(field.name) && !isMasked(field, options)
      ? [[field.name, field.value]]
      : [],
  )
}

function isHidden(field: Element): field is HTMLInputElement {
  return isTag(field, 'input') && field.type === 'hidden'
}
