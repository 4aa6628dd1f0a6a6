import { cleanText } from './clean-text.ts'
import { closest, descendantsOf, isTag } from './dom.ts'
import { labelsOf } from './labels.ts'
import type { PageOptions } from './options.ts'

export const MASKED = '[masked]'

const SECRET_AUTOCOMPLETE = /\b(cc-[a-z-]+|one-time-code|current-password|new-password)\b/
const SECRET_LABEL =
  /passw(or)?d|passwort|passphrase|passcode|\bpwd\b|card.?(number|no\b|num\b)|cc.?(num|number|csc|cvc|exp)|\bcv[cv]2?\b|\bcsc\b|security.?code|\botp\d*\b|one.?time|\bpin\d*\b|\biban\b|\bssn\b|secret|api.?key|密码|验证码|卡号/i

/** Fields that were password fields once: "show password" turns them into text fields. */
const passwords = new WeakSet<Element>()

const FIELDS = new Set(['input', 'textarea'])

/** A field whose value is nobody's business: passwords, payment, one-time codes. */
export function isSecretField(element: Element): boolean {
  if (!FIELDS.has(element.localName) && !element.hasAttribute('contenteditable')) return false
  if (isTag(element, 'input')) {
    if (element.type === 'password') passwords.add(element)
    if (!/^(text|password|tel|number|search|email|url)$/.test(element.type)) return false
  }
  if (passwords.has(element)) return true
  if (SECRET_AUTOCOMPLETE.test(element.getAttribute('autocomplete') ?? '')) return true
  const words = ['name', 'id', 'aria-label', 'placeholder', 'data-testid']
    .map((name) => element.getAttribute(name) ?? '')
    .concat(labelsOf(element).map((label) => label.textContent))
    .join(' ')
    // `cardNumber` and `card_number` are two words.
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ')
  return SECRET_LABEL.test(words)
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

/** Whether the element lies in a masked part of the page, or is a secret field. */
export function isMasked(element: Element, options: PageOptions): boolean {
  return isSecretField(element) || closest(element, maskSelector(options)) !== null
}

/**
 * Takes secrets out of what is about to be shown, wherever they came from: a label that refers to a
 * masked element, a field's own error message, an address. The last door, not the only one.
 */
export function scrubberFor(
  trees: Iterable<ParentNode>,
  options: PageOptions,
): (text: string) => string {
  for (const secret of secretsIn(trees, options)) rememberSecret(secret)
  // Longest first, so that one which holds another goes whole.
  const secrets = [...seen].toSorted((a, b) => b.length - a.length)
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, MASKED), text)
}

/** What was secret once stays so: the page may still show what a field no longer holds. */
const seen = new Set<string>()
const KEPT_SECRETS = 500

function rememberSecret(secret: string): void {
  seen.delete(secret)
  seen.add(secret)
  if (seen.size > KEPT_SECRETS) for (const oldest of seen) return void seen.delete(oldest)
}

function secretsIn(trees: Iterable<ParentNode>, options: PageOptions): Set<string> {
  const secrets = new Set<string>()
  for (const tree of trees) {
    for (const field of tree.querySelectorAll('input[type="password"]')) passwords.add(field)
    for (const field of tree.querySelectorAll('input,textarea,[contenteditable]'))
      if (isLong(valueOf(field)) && isSecretField(field)) addSecret(secrets, valueOf(field))
    for (const part of tree.querySelectorAll(maskSelector(options))) addTexts(secrets, part)
  }
  return secrets
}

function addTexts(secrets: Set<string>, part: Element): void {
  addSecret(secrets, valueOf(part))
  for (const element of [part, ...descendantsOf(part)]) {
    if ('value' in element) addSecret(secrets, String(element.value))
    for (const node of element.childNodes)
      if (node.nodeType === 3) addSecret(secrets, node.nodeValue ?? '')
  }
}

function valueOf(element: Element): string {
  const { value } = element as Partial<HTMLInputElement>
  return typeof value === 'string' ? value : (element.textContent ?? '')
}

/** Short words without digits are everywhere: taking them out would tear the text apart. */
function addSecret(secrets: Set<string>, text: string): void {
  const value = cleanText(text)
  if (value.length >= 8 || (isLong(value) && /\d/.test(value))) secrets.add(value)
}

function isLong(text: string): boolean {
  return text.length >= 3
}
