import { closest, isElement, isTag, referenced, viewOf } from './dom.ts'
import { labelsOf } from './labels.ts'
import type { PageOptions } from './options.ts'
import { isCardNumber } from './secrets/card-number.ts'
import { isOncePassword } from './secrets/once-passwords.ts'
import { senseOf } from './secrets/read-words.ts'
import { isCardPart, isOneTimeCodeBox, takesDigits } from './secrets/split-fields.ts'

export const MASKED = '[masked]'

const SECRET_AUTOCOMPLETE = /\b(cc-[a-z-]+|one-time-code|current-password|new-password)\b/
const FIELDS = new Set(['input', 'textarea', 'select'])
const FIELD_ROLES = /^(textbox|searchbox|spinbutton|combobox)$/
const TEXT_TYPES = /^(text|password|tel|number|search|email|url)$/
/** Characters of a one-time code. */
const CODE_LENGTH = { least: 4, most: 8 }

/** Whether a field's value is secret: passwords, payment, one-time codes, numbers that identify a person. */
export function isSecretField(element: Element): boolean {
  if (!isField(element)) return false
  if (isTag(element, 'input') && !TEXT_TYPES.test(element.type)) return false
  if (isOncePassword(element)) return true
  const purpose = element.getAttribute('autocomplete') ?? ''
  // Comboboxes have a password purpose to keep browsers from filling them in.
  const isDecoy = purpose.endsWith('-password') && element.getAttribute('role') === 'combobox'
  if (SECRET_AUTOCOMPLETE.test(purpose) && !isDecoy) return true
  if (isTag(element, 'input') && isSecretByForm(element)) return true
  const sense = purpose === 'postal-code' ? null : senseOf(wordsOf(element))
  if (sense === 'secret') return true
  if (sense === 'code' && isTag(element, 'input') && hasFormOfCode(element)) return true
  return isDrawnAsDots(element)
}

function isField(element: Element): boolean {
  if (FIELDS.has(element.localName)) return true
  // Half of a page's elements.
  if (!element.hasAttributes()) return false
  return (
    element.hasAttribute('contenteditable') || FIELD_ROLES.test(element.getAttribute('role') ?? '')
  )
}

/** Whatever it is called. */
function isSecretByForm(field: HTMLInputElement): boolean {
  const { maxLength, value } = field
  if (maxLength === 1 && isOneTimeCodeBox(field)) return true
  if (maxLength >= 4 && maxLength <= 6 && isCardPart(field)) return true
  return isCardNumber(value)
}

/** Digits only, as many as a code has. */
function hasFormOfCode(field: HTMLInputElement): boolean {
  if (!takesDigits(field)) return false
  const length = Number(/\{(\d)\}/.exec(field.pattern)?.[1] ?? field.maxLength)
  return length >= CODE_LENGTH.least && length <= CODE_LENGTH.most
}

/** `-webkit-text-security`, by which a page has a text field look like one for a password. */
function isDrawnAsDots(element: Element): boolean {
  const drawn = viewOf(element).getComputedStyle(element).getPropertyValue('-webkit-text-security')
  return drawn !== '' && drawn !== 'none'
}

const NAMING = ['name', 'id', 'aria-label', 'placeholder', 'title', 'data-testid']

function wordsOf(element: Element): string {
  const labels = [
    ...labelsOf(element),
    ...referenced(element, 'aria-labelledby'),
    ...legendOf(element),
  ]
  return NAMING.map((name) => element.getAttribute(name) ?? '')
    .concat(labels.map((label) => label.textContent))
    .join(' ')
}

/** What names a group of fields without names of their own: the parts of one number. */
function legendOf(element: Element): readonly Element[] {
  const isPart = isTag(element, 'input') && element.maxLength > 0 && element.maxLength <= 6
  const group = isPart ? element.closest('fieldset') : null
  const legend = group?.querySelector('legend')
  return isElement(legend) ? [legend] : []
}

const selectors = new WeakMap<PageOptions, string>()

export function maskSelector(options: PageOptions): string {
  let selector = selectors.get(options)
  if (selector === undefined) {
    selector = ['[data-offstage-mask]', ...(options.mask ?? [])].join(',')
    selectors.set(options, selector)
  }
  return selector
}

/** Whether the page or the host has masked the part that the element lies in. */
export function isInMaskedPart(element: Element, options: PageOptions): boolean {
  return closest(element, maskSelector(options)) !== null
}

/** Whether the element lies in a masked part of the page, or is a secret field. */
export function isMasked(element: Element, options: PageOptions): boolean {
  return isSecretField(element) || isInMaskedPart(element, options)
}
