import { cleanText, shorten } from '../clean-text.ts'
import { isTag } from '../dom.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { nameOf } from '../outline/name.ts'
import { isReadable } from '../outline/region.ts'
import { roleOf } from '../outline/role.ts'
import { checkedState, fieldValue } from '../outline/state.ts'
import { isMasked } from '../privacy.ts'
import { controlAround } from './activated.ts'
import { elementsOf, formSubmittedBy, type Activation } from './sites.ts'

/** What else goes along with what a person is asked about: the filled fields of its form that may be read. */
export interface FormFields {
  /** The first of them, for a person: `To "Ada", Amount "10"`. */
  readonly text: string
  /** Of all of them, in full. */
  readonly digest: number
}

const SHOWN = 6
const NAME_LIMIT = 30
const VALUE_LIMIT = 40
const WITHOUT_VALUE = /^(hidden|button|submit|reset|image)$/

/** `typed`: the field that the call itself fills. Null: nothing else goes along. */
export function fieldsBeside(
  element: Element,
  how: Activation,
  { live, typed }: { readonly live: LivePage; readonly typed: Element | null },
): FormFields | null {
  const form = formSubmittedBy(controlAround(element), how)
  if (!form) return null
  const filled = elementsOf(form).flatMap((field) => {
    const value = field === typed || !mayShow(field, live) ? '' : valueOf(field)
    return value ? [{ field, value }] : []
  })
  if (filled.length === 0) return null
  const shown = filled
    .filter(({ field }) => field !== element)
    .map(({ field, value }) => `${labelOf(field, live)}"${clean(value, VALUE_LIMIT, live)}"`)
  const more = shown.length > SHOWN ? `, and ${shown.length - SHOWN} more` : ''
  return {
    text: shown.slice(0, SHOWN).join(', ') + more,
    digest: digestOf(filled.map(({ field, value }) => [labelOf(field, live), value])),
  }
}

function mayShow(field: Element, { options }: LivePage): boolean {
  if (isTag(field, 'input') && WITHOUT_VALUE.test(field.type)) return false
  return (
    !/^(button|fieldset|object|output)$/.test(field.localName) &&
    isReadable(field, options) &&
    !isMasked(field, options)
  )
}

function valueOf(field: Element): string {
  const checked = checkedState(field)
  if (checked !== null) return checked === false ? '' : 'checked'
  return cleanText(fieldValue(field, roleOf(field)) ?? '')
}

function labelOf(field: Element, live: LivePage): string {
  const name = clean(nameOf(field, roleOf(field) || 'textbox', live.options).text, NAME_LIMIT, live)
  return name && `${name} `
}

function clean(text: string, limit: number, live: LivePage): string {
  return scrub(shorten(text, limit).replace(/"/g, "'"), live)
}

/** Values may be long: what is journaled of them is only whether they are the same. */
function digestOf(values: readonly (readonly string[])[]): number {
  let digest = 0
  for (const letter of JSON.stringify(values))
    digest = (Math.imul(digest, 31) + (letter.codePointAt(0) ?? 0)) | 0
  return digest
}
