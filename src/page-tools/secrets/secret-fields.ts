import { closest, isTag, viewOf, labelsOf, descendantsOf } from '../dom.ts'
import { drawsDots } from '../generated-text.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../page.ts'
import {
  isBesideCardNumber,
  isCardNumber,
  isCardPart,
  isOneTimeCodeBox,
  takesDigits,
  senseOf,
  wordsOf,
} from './field-words.ts'
import { cleanText } from '../clean-text.ts'
import { isShortWord, SecretMatcher, withoutEncoded, withoutTokens } from './secret-matcher.ts'

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
  // Some comboboxes have a password's `autocomplete`, to keep browsers from filling them in.
  const isDecoy =
    purpose.endsWith('-password') && native.getAttribute(element, 'role') === 'combobox'
  if (SECRET_AUTOCOMPLETE.test(purpose) && !isDecoy) return true
  if (isSecretByForm(element)) return true
  const sense = purpose === 'postal-code' ? null : senseOf(wordsOf(element))
  if (sense === 'secret') return true
  if (sense === 'code' && isTag(element, 'input') && looksLikeCode(element)) return true
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

/** Whether the field's content or format makes it secret, whatever its name. */
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

/** Whether the field takes only digits, as many as a one-time code has. */
function looksLikeCode(field: HTMLInputElement): boolean {
  if (!takesDigits(field)) return false
  const length = Number(/\{(\d)\}/.exec(field.pattern)?.[1] ?? field.maxLength)
  return length >= CODE_LENGTH.least && length <= CODE_LENGTH.most
}

/** Whether the page draws the element's text as dots, like a password. */
function isDrawnAsDots(element: Element): boolean {
  return drawsDots(viewOf(element).getComputedStyle(element))
}

/** Whether an element is secret itself: a secret field, an option in a secret field, or a text drawn as dots. */
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

/** Whether the element is one of the choices of a secret field. */
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

/** Maximum secrets to keep that the page no longer has. */
const MOST_GONE = 500
/** Maximum secrets to keep. Beyond it, even secrets that are still on the page are dropped. */
const MOST_SHOWN = 3000

/**
 * Secrets, or parts of them, found so far, oldest first. The page may still show a value that its field no longer
 * contains. Secrets still on the page are dropped last.
 */
export class KnownSecrets {
  readonly #secrets = new Set<string>()
  #changes = 0

  /** `shown`: all secrets on the page now. */
  add(shown: ReadonlySet<string>): void {
    for (const secret of shown) {
      if (!this.#secrets.delete(secret)) this.#changes += 1
      this.#secrets.add(secret)
    }
    const limit = Math.min(MOST_SHOWN, shown.size + MOST_GONE)
    for (const oldest of this.#secrets) {
      if (this.#secrets.size <= limit) return
      this.#secrets.delete(oldest)
      this.#changes += 1
    }
  }

  /** Changes whenever the set changes. */
  get version(): number {
    return this.#changes
  }

  get size(): number {
    return this.#secrets.size
  }

  get all(): readonly string[] {
    return [...this.#secrets]
  }
}

/** Fields that are or were password fields. "Show password" turns them into text fields. */
const passwords = new WeakSet<Element>()

/** Password fields by name, id and label. Some pages replace the field with a text field to show the password. */
const twins = new Map<string, WeakRef<Element>>()
const MAX_TWINS = 200

/** Whether the field is a password field, was one, or has replaced one. */
function isOncePassword(field: Element): boolean {
  if (isTag(field, 'input') && field.type === 'password') rememberPassword(field)
  if (passwords.has(field)) return true
  if (twins.size === 0 || !getFieldKeys(field).some(isFree)) return false
  passwords.add(field)
  return true
}

function rememberPassword(field: Element): void {
  if (passwords.has(field)) return
  passwords.add(field)
  for (const key of getFieldKeys(field)) {
    twins.delete(key)
    twins.set(key, new WeakRef(field))
  }
  while (twins.size > MAX_TWINS)
    for (const oldest of twins.keys()) {
      twins.delete(oldest)
      break
    }
}

/** Whether the password field with this key is gone or not displayed, so that another field may have replaced it. */
function isFree(key: string): boolean {
  const twin = twins.get(key)
  if (!twin) return false
  const field = twin.deref()
  return !(field && native.isConnected(field)) || !native.checkVisibility(field)
}

function getFieldKeys(field: Element): string[] {
  const label = labelsOf(field)
    .map(({ textContent }) => cleanText(textContent))
    .join(' ')
  return [
    ['name', native.getAttribute(field, 'name')],
    ['id', native.id(field)],
    ['label', label || native.getAttribute(field, 'aria-label')],
  ].flatMap(([kind, value]) => (value ? [`${kind} ${value}`] : []))
}

const SOURCES = ['masked-part', 'secret-field'] as const

/** Secrets of fields are stored separately, so that a table of masked cells can't push them out. */
const knownSecrets = { 'secret-field': new KnownSecrets(), 'masked-part': new KnownSecrets() }
/** The last cleaner and its key: most texts are cleaned of the same secrets as the text before. */
let last: { readonly key: string; readonly clean: (text: string) => string } | undefined

/**
 * Removes secrets from a text that is about to be returned, wherever they came from: a label that refers to
 * a masked element, a field's own error message, an address. The last of several checks.
 */
export function scrubberFor(
  trees: Iterable<Document | ShadowRoot>,
  options: PageOptions,
): (text: string) => string {
  const found = findSecrets(trees, options)
  for (const source of SOURCES) knownSecrets[source].add(found[source])
  if (!hasSecrets()) return (text) => withoutTokens(text, MASKED)
  const key = SOURCES.map((source) => knownSecrets[source].version).join()
  if (last?.key !== key)
    last = { key, clean: createCleaner(SOURCES.flatMap((source) => knownSecrets[source].all)) }
  return last.clean
}

function createCleaner(secrets: readonly string[]): (text: string) => string {
  const matcher = new SecretMatcher(secrets)
  return (text) =>
    withoutTokens(withoutEncoded(matcher.replace(text, MASKED), matcher, MASKED), MASKED)
}

export function hasSecrets(): boolean {
  return SOURCES.some((source) => knownSecrets[source].size > 0)
}

type Secrets = Readonly<Record<(typeof SOURCES)[number], Set<string>>>

function findSecrets(trees: Iterable<ParentNode>, options: PageOptions): Secrets {
  const found: Secrets = { 'secret-field': new Set(), 'masked-part': new Set() }
  for (const tree of trees) {
    for (const field of native.querySelectorAll(tree, 'input[type="password"]'))
      rememberPassword(field)
    for (const field of native.querySelectorAll(tree, VALUE_FIELDS)) {
      const values = getValues(field).filter(({ length }) => length >= SHORTEST)
      if (values.length === 0 || !isSecretField(field)) continue
      for (const value of values) addValue(found['secret-field'], value)
    }
    for (const part of native.querySelectorAll(tree, maskSelector(options)))
      addTexts(found['masked-part'], part)
  }
  return found
}

const VALUE_FIELDS =
  'input,textarea,select,[contenteditable],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider]'
/**
 * Attributes of masked elements that may hold secrets. Values without digits are skipped, since other elements often
 * have the same value.
 */
const ATTRIBUTES = 'aria-label,aria-valuetext,aria-description,title,placeholder,alt'.split(',')

function addTexts(found: Set<string>, part: Element): void {
  const add = (text: string | null): void => {
    const value = cleanText(text ?? '')
    // A short word of a masked part usually occurs elsewhere, too.
    if (value.length >= SHORTEST && !isShortWord(value)) found.add(value)
  }
  add(getValue(part))
  for (const element of [part, ...descendantsOf(part)]) {
    const { value: ownValue } = element as { value?: unknown }
    if (typeof ownValue === 'string' || typeof ownValue === 'number') add(String(ownValue))
    for (const name of ATTRIBUTES) {
      const value = native.getAttribute(element, name)
      if (value && /\d/.test(value)) add(value)
    }
    for (let node = native.firstChild(element); node; node = native.nextSibling(node))
      if (native.nodeType(node) === 3) add(native.nodeValue(node))
  }
}

function getValue(element: Element): string {
  const { value } = element as Partial<HTMLInputElement>
  return typeof value === 'string' ? value : (native.textContent(element) ?? '')
}

/** Values of a field: the chosen options of a list, and a number in words, too. */
function getValues(field: Element): string[] {
  if (isTag(field, 'select')) return [...field.selectedOptions].map(({ label }) => label)
  const ariaValues = ['aria-valuetext', 'aria-valuenow'].map(
    (name) => native.getAttribute(field, name) ?? '',
  )
  return [getValue(field), ...ariaValues]
}

const SHORTEST = 3

/** Adds a field's value, even a word. Leaves out words of three letters, and anything shorter. */
function addValue(found: Set<string>, text: string): void {
  const value = cleanText(text)
  if (value.length > SHORTEST || (value.length === SHORTEST && !isShortWord(value)))
    found.add(value)
}
