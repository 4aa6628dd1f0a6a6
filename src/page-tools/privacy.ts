import { closest, isTag, referenced } from './dom.ts'
import { labelsOf } from './labels.ts'
import type { PageOptions } from './options.ts'

export const MASKED = '[masked]'

const SECRET_AUTOCOMPLETE = /\b(cc-[a-z-]+|one-time-code|current-password|new-password)\b/
const SECRET_LABEL = new RegExp(
  [
    'passw(or)?d|passwort|passphrase|passcode|\\bpwd\\b|secret|api.?key|密码',
    'card.?(number|no\\b|num\\b)|cc.?(num|number|csc|cvc|exp)|\\bcv[cv]2?\\b|\\bcsc\\b|security.?code|卡号',
    'card.{0,12}expir|expir.{0,12}card|\\bmm ?/ ?yy|bank.?account|routing.?(number|no\\b)|sort.?code|\\biban\\b|\\bssn\\b',
    '\\botp\\d*\\b|one.?time|\\bpin\\d*\\b|(verification|authenticat\\w+|sms|2fa|mfa).?code|验证码',
  ].join('|'),
  'i',
)

/** Fields that were password fields before: "show password" turns them into text fields. */
const passwords = new WeakSet<Element>()

/** Remembers a password field that `isSecretField` was not called for. */
export function rememberPassword(field: Element): void {
  passwords.add(field)
}

const FIELDS = new Set(['input', 'textarea', 'select'])

/** Whether a field's value is secret: passwords, payment, one-time codes. */
export function isSecretField(element: Element): boolean {
  if (!FIELDS.has(element.localName) && !element.hasAttribute('contenteditable')) return false
  if (isTag(element, 'input')) {
    if (element.type === 'password') passwords.add(element)
    if (!/^(text|password|tel|number|search|email|url)$/.test(element.type)) return false
  }
  if (passwords.has(element)) return true
  const purpose = element.getAttribute('autocomplete') ?? ''
  // Comboboxes have a password purpose to keep browsers from filling them in.
  const isDecoy = purpose.endsWith('-password') && element.getAttribute('role') === 'combobox'
  if (SECRET_AUTOCOMPLETE.test(purpose) && !isDecoy) return true
  if (isTag(element, 'input') && element.maxLength === 1 && isOneTimeCodeBox(element)) return true
  const labels = [...labelsOf(element), ...referenced(element, 'aria-labelledby')]
  const words = ['name', 'id', 'aria-label', 'placeholder', 'title', 'data-testid']
    .map((name) => element.getAttribute(name) ?? '')
    .concat(labels.map((label) => label.textContent))
    .join(' ')
    // `cardNumber` and `card_number` count as two words.
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ')
  return SECRET_LABEL.test(words)
}

/**
 * Whether the input is one of the boxes of a one-time code: one for each character, of which one at most
 * has a label that says so.
 */
function isOneTimeCodeBox({ parentElement }: HTMLInputElement): boolean {
  for (const around of [parentElement, parentElement?.parentElement]) {
    const fields = [...(around?.querySelectorAll('input') ?? [])]
    const boxes = fields.filter(
      // Not by the property, which is empty for values that a browser doesn't know.
      (field) => field.maxLength === 1 || field.getAttribute('autocomplete') === 'one-time-code',
    )
    if (boxes.length >= CODE_LENGTH.least && boxes.length <= CODE_LENGTH.most) return true
  }
  return false
}

const CODE_LENGTH = { least: 4, most: 10 }

const selectors = new WeakMap<PageOptions, string>()

export function maskSelector(options: PageOptions): string {
  let selector = selectors.get(options)
  if (selector === undefined) {
    selector = ['[data-offstage-mask]', ...(options.mask ?? [])].join(',')
    selectors.set(options, selector)
  }
  return selector
}

/** Whether the element lies in a masked part of the page, or is a secret field. */
export function isMasked(element: Element, options: PageOptions): boolean {
  return isSecretField(element) || closest(element, maskSelector(options)) !== null
}
