import { closest, isTag, viewOf } from './dom.ts'
import { drawsDots } from './generated-text.ts'
import * as native from './native.ts'
import type { PageOptions } from './options.ts'
import {
  isBesideCardNumber,
  isCardNumber,
  isCardPart,
  isOneTimeCodeBox,
  takesDigits,
} from './secrets/split-fields.ts'
import { senseOf, wordsOf } from './secrets/field-words.ts'
import { isOncePassword } from './secrets/once-passwords.ts'

export const MASKED = '[masked]'

const SECRET_AUTOCOMPLETE = /\b(cc-[a-z-]+|one-time-code|current-password|new-password)\b/
const FIELDS = new Set(['input', 'textarea', 'select'])
const FIELD_ROLES = /^(textbox|searchbox|spinbutton|combobox|slider)$/
const WITHOUT_VALUE = /^(checkbox|radio|button|submit|reset|image|file|color|hidden)$/
/** Types with full dates: a card's date has only a month. */
const OF_DAYS = /^(date|datetime-local|week|range)$/
/** Characters of a one-time code. */
const CODE_LENGTH = { least: 4, most: 8 }
/** Longest text of an editor that may be a card's number. */
const LONGEST_CARD = 60

/** Whether a field's value is secret: passwords, payment, one-time codes, numbers that identify a person. */
export function isSecretField(element: Element): boolean {
  if (!isField(element)) return false
  if (isTag(element, 'input') && WITHOUT_VALUE.test(element.type)) return false
  if (isOncePassword(element)) return true
  const purpose = native.getAttribute(element, 'autocomplete') ?? ''
  // Comboboxes have a password purpose to keep browsers from filling them in.
  const isDecoy =
    purpose.endsWith('-password') && native.getAttribute(element, 'role') === 'combobox'
  if (SECRET_AUTOCOMPLETE.test(purpose) && !isDecoy) return true
  if (isSecretByForm(element)) return true
  const sense = purpose === 'postal-code' ? null : senseOf(wordsOf(element))
  if (sense === 'secret') return true
  if (sense === 'code' && isTag(element, 'input') && hasFormOfCode(element)) return true
  const isDate = isTag(element, 'input') && OF_DAYS.test(element.type)
  if (sense === 'expiry' && !isDate) return true
  if (sense === 'due' && !isDate && isBesideCardNumber(element)) return true
  return isDrawnAsDots(element)
}

/** Whether the outline shows a value of the element. */
export function isField(element: Element): boolean {
  if (FIELDS.has(native.localName(element))) return true
  // Half of a page's elements have no attributes.
  if (!native.hasAttributes(element)) return false
  return (
    native.hasAttribute(element, 'contenteditable') ||
    FIELD_ROLES.test(native.getAttribute(element, 'role') ?? '')
  )
}

/** Whether its form makes the field secret, whatever it is called. */
function isSecretByForm(field: Element): boolean {
  if (!isTag(field, 'input')) {
    const text = isTag(field, 'textarea') ? field.value : (native.textContent(field) ?? '')
    return text.length <= LONGEST_CARD && !isTag(field, 'select') && isCardNumber(text)
  }
  const { maxLength, value } = field
  if (maxLength === 1 && isOneTimeCodeBox(field)) return true
  if (maxLength >= 4 && maxLength <= 6 && isCardPart(field)) return true
  return isCardNumber(value)
}

/** Whether the field takes digits only, as many as a code has. */
function hasFormOfCode(field: HTMLInputElement): boolean {
  if (!takesDigits(field)) return false
  const length = Number(/\{(\d)\}/.exec(field.pattern)?.[1] ?? field.maxLength)
  return length >= CODE_LENGTH.least && length <= CODE_LENGTH.most
}

/** Whether the page draws its text as dots, like a password. */
function isDrawnAsDots(element: Element): boolean {
  return drawsDots(viewOf(element).getComputedStyle(element))
}

/** Whether an element is secret itself: a field, an option of one, or a text drawn as dots. */
export function isSecretPart(element: Element): boolean {
  return (
    isSecretField(element) ||
    isSecretChoice(element) ||
    (holdsText(element) && isDrawnAsDots(element))
  )
}

/** Whether the element has text of its own. Dots are inherited, so they only matter where there is text. */
export function holdsText(element: Element): boolean {
  for (let node = native.firstChild(element); node; node = native.nextSibling(node))
    if (native.nodeType(node) === 3 && native.nodeValue(node)?.trim()) return true
  return false
}

/** Whether it is one of the choices of a secret field. */
function isSecretChoice(element: Element): boolean {
  if (isTag(element, 'option') || isTag(element, 'optgroup')) {
    const list = element.closest('select,datalist')
    if (!list) return false
    if (isTag(list, 'select')) return isSecretField(list)
    const root = native.getRootNode(list) as ParentNode
    const fields = native.id(list)
      ? native.querySelectorAll(root, `input[list="${CSS.escape(native.id(list))}"]`)
      : []
    return [...fields].some(isSecretField)
  }
  return false
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
  return closest(element, maskSelector(options)) !== null || isSecretChoice(element)
}

/** Whether the element lies in a masked part of the page, or is a secret field. */
export function isMasked(element: Element, options: PageOptions): boolean {
  return isSecretPart(element) || isInMaskedPart(element, options)
}
