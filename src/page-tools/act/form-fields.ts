import { cleanText, quote, shorten } from '../clean-text.ts'
import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import { nameOf } from '../outline/name.ts'
import { isReadable } from '../outline/region.ts'
import { roleOf } from '../outline/role.ts'
import { checkedState, fieldValue } from '../outline/state.ts'
import type { PageOptions } from '../options.ts'
import { isMasked } from '../privacy.ts'
import { controlAround } from './activated.ts'
import { elementsOf, formSubmittedBy, type Activation } from './sites.ts'

/** What else goes along with what a person is asked about: the filled fields of its form that may be read. */
export interface FormFields {
  /** The first of them, for a person: `"To": "Ada", "Amount": "10"`. */
  readonly text: string
  /** Of all of them, in full. */
  readonly digest: number
}

const SHOWN = 6
const NAME_LIMIT = 30
const VALUE_LIMIT = 40
const WITHOUT_VALUE = /^(hidden|button|submit|reset|image)$/

interface Beside {
  readonly options: PageOptions
  /** Removes secrets. */
  readonly clean: (text: string) => string
  /** The field that the call itself fills. */
  readonly typed: Element | null
}

/** Null: nothing else goes along. */
export function fieldsBeside(
  element: Element,
  how: Activation,
  { options, clean, typed }: Beside,
): FormFields | null {
  const form = formSubmittedBy(controlAround(element), how)
  if (!form) return null
  const filled = elementsOf(form).flatMap((field) => {
    const value = field === typed || !mayShow(field, options) ? '' : valueOf(field)
    if (!value) return []
    return [{ field, name: nameOf(field, roleOf(field) || 'textbox', options).text, value }]
  })
  if (filled.length === 0) return null
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
    digest: digestOf(filled.map(({ name, value }) => [name, value])),
  }
}

function mayShow(field: Element, options: PageOptions): boolean {
  if (isTag(field, 'input') && WITHOUT_VALUE.test(field.type)) return false
  if (/^(button|fieldset|object|output)$/.test(native.localName(field))) return false
  return isReadable(field, options) && !isMasked(field, options)
}

function valueOf(field: Element): string {
  const checked = checkedState(field)
  if (checked !== null) return checked === false ? '' : 'checked'
  return cleanText(fieldValue(field, roleOf(field)) ?? '')
}

/** Values may be long: what is journaled of them is only whether they are the same. */
function digestOf(values: readonly (readonly string[])[]): number {
  let digest = 0
  for (const letter of JSON.stringify(values))
    digest = (Math.imul(digest, 31) + (letter.codePointAt(0) ?? 0)) | 0
  return digest
}
