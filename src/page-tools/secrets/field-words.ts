import { cleanText } from '../clean-text.ts'
import { childrenOf, closest, isElement, isTag, labelsOf, referenced } from '../dom.ts'
import { addGeneratedText } from '../generated-text.ts'
import * as native from '../native.ts'
import { normalizeLetters, normalizeWords, LETTERS } from '../../lib/normalize-words.ts'
import { findSecretWord } from '../../lib/secret-words.ts'
import { lazyPattern } from '../../lib/once.ts'

/**
 * Meaning of a field's words. A `code`, `expiry` or `due` date is secret only if the field's format or place agrees.
 */
type WordSense = 'secret' | 'code' | 'expiry' | 'due' | null

const senses = new Map<string, WordSense>()
const MAX_KNOWN = 1000

/** "Enter the 6-digit code". */
const countedCode =
  /\b[4-8][ -]?(?:digit|stellig|cifre|digitos|chiffres|cijfer|cyfr)|[4-8] ?(?:桁|位|자리|значн|haneli|chu so|رقم)/u
/** Normalizes the tables like the words that they are compared with. Accents in the tables only help readers. */
const harmless = lazyPattern(() => normalizeLetters(HARMLESS_CODES))
const code = lazyPattern(() => normalizeLetters(CODE_WORDS))
const expiry = lazyPattern(() => normalizeLetters(EXPIRY_WORDS))
const due = lazyPattern(() => normalizeLetters(DUE_WORDS))

/** A harmless code, such as a postal code, makes the field harmless, unless other words are clearly secret. */
export function senseOf(words: string): WordSense {
  const sense = senses.get(words)
  if (sense !== undefined) return sense
  if (senses.size >= MAX_KNOWN) senses.clear()
  const computed = computeSense(normalizeWords(words))
  senses.set(words, computed)
  return computed
}

function computeSense(text: string): WordSense {
  const found = findSecretWord(text)
  // Together with words for an address, a PIN code is a postal code.
  if (found && !(found.startsWith('pin') && harmless().test(text))) return 'secret'
  if (harmless().test(text)) return null
  if (countedCode.test(text)) return 'secret'
  if (expiry().test(text)) return 'expiry'
  if (due().test(text)) return 'due'
  return code().test(text) ? 'code' : null
}

/** Harmless things that are called a code, a PIN or a number, too: a postal code is a PIN in India. */
const HARMLESS_CODES =
  'postal|post ?code|postcode|\\bzip\\b|pin ?code.{0,20}(area|city)|postleitzahl|\\bplz\\b|郵便|邮编|郵遞|우편|codigo postal|\\bcp\\b|code postal|\\bcep\\b|индекс|поштовии|\\bcap\\b|pocztowy|posta kodu|پستی|ma buu|kode pos|\\bpsc\\b|بریدی|ταχυδρομικ|מיקוד|promo|coupon|cupon|cupom|voucher|gift|discount|gutschein|rabatt|クーポン|купон|korting|rabatowy|indirim|优惠|優惠|تخفیف|خصم|giam gia|diskon|slev|할인|쿠폰|знижк|εκπτωσ|קופון|referral|invit|country|area|dial|colou?r|product|item|bar ?code|qr|error|status|currency|language|tax ?code|source|airport|booking|confirmation|tracking|course|class|postnummer|postnr'

/** Words for a code. The field is secret if it has the format of a one-time code. */
const CODE_WORDS: string = `\\bcodes?\\b|codigo|codice|code\\b|コード|(?<![${LETTERS}])код|\\bkod|\\bkode|验证|驗證|代码|\\bma\\b|\\bcod\\b|رمز|کد|코드|번호|κωδικ|קוד|\\bkoodi|\\bkoden?\\b|รหัส|\\btan\\b`

/** Words for a card's expiry date. Expiry dates of other things have date fields. */
const EXPIRY_WORDS =
  'expir(y|ation) ?date|(valid|good) (thru|until)|fecha de (caducidad|vencimiento|expiracion)|gultig bis|ablaufdatum|有効期限|date d.expiration|data de (validade|vencimento)|срок деиствия|scadenza (della )?carta|data waznosci|son kullanma|有效期|تاریخ انقضا|ngay het han|masa berlaku|platnost do|تاريخ الانتهاء|유효 ?기간|термін дії|ημερομηνια ληξης'

/** Words for many kinds of dates, which count only beside a card's number. */
const DUE_WORDS = '\\bscadenza\\b|vervaldatum'

/** Attributes of a field that say what it is for. */
const NAMING =
  'name,id,aria-label,placeholder,aria-placeholder,title,data-testid,aria-roledescription'.split(
    ',',
  )
/** Attributes that name a field for people. */
const NAME_ATTRIBUTES = ['aria-label', 'placeholder', 'aria-placeholder', 'title']
const HOST_NAMING = ['aria-label', 'label', 'placeholder', 'name', 'id', 'title']
const GROUPS = 'fieldset,[role=group],[role=radiogroup]'

/** Names of fields as the outline last showed them. */
const shownNames = new WeakMap<Element, string>()

/** Records the name by which the outline shows a field, since it may say that the value is secret. */
export function rememberName(field: Element, name: string): void {
  if (shownNames.get(field) === name) return
  shownNames.set(field, name)
  cache.delete(field)
}

/** How long the words of a field are cached: one reading asks for them several times. Milliseconds. */
const FRESH_MS = 50
const cache = new WeakMap<Element, { readonly words: string; readonly until: number }>()

/** All words that say what a field is for: more than its accessible name. */
export function wordsOf(field: Element): string {
  const cached = cache.get(field)
  if (cached && performance.now() < cached.until) return cached.words
  const words = readWords(field)
  cache.set(field, { words, until: performance.now() + FRESH_MS })
  return words
}

function readWords(field: Element): string {
  const labels = labelWords(field)
  const isNamed = labels !== '' || NAME_ATTRIBUTES.some((name) => native.hasAttribute(field, name))
  const parts = [...NAMING.map((name) => native.getAttribute(field, name) ?? ''), labels]
  const shownName = shownNames.get(field)
  if (shownName) parts.push(shownName)
  const { host } = native.getRootNode(field) as Partial<ShadowRoot>
  if (host) parts.push(hostWords(field, host, isNamed))
  if (!isNamed || isPart(field, labels)) parts.push(groupWords(field))
  if (!isNamed) parts.push(cellWords(field))
  return cleanText(parts.join(' '))
}

function labelWords(field: Element): string {
  const labels = new Set([
    ...labelsOf(field),
    ...referenced(field, 'aria-labelledby'),
    ...(native.ariaLabelledByElements(field as object) ?? []),
  ])
  return [...labels].map((label) => readShownWords(label)).join(' ')
}

const LEVELS = 6
/** Elements whose text is a value, or isn't displayed. */
const WITHOUT_WORDS = /^(script|style|template|textarea|select|option|input)$/

/** Words of an element: its texts, also slotted ones, and the words of pictures, attributes and styles. */
function readShownWords(element: Element, level = 0): string {
  const attributeWords = ['aria-label', 'alt', 'title'].map(
    (name) => native.getAttribute(element, name) ?? '',
  )
  if (level > LEVELS) return attributeWords.join(' ')
  // Several elements may hold the parts of one word.
  const content = childrenOf(element).map((node) => {
    if (!isElement(node)) return native.nodeType(node) === 3 ? (native.nodeValue(node) ?? '') : ''
    return WITHOUT_WORDS.test(native.localName(node)) ? ' ' : readShownWords(node, level + 1)
  })
  return [...attributeWords, addGeneratedText(element, content.join(''))].filter(Boolean).join(' ')
}

/**
 * Words of the component around a field. If the component has several fields, the words are used only for a field
 * without a name.
 */
function hostWords(field: Element, host: Element, isNamed: boolean): string {
  if (isNamed && (native.getRootNode(field) as ShadowRoot).querySelectorAll(FIELDS).length > 1)
    return ''
  const parentLabel = native.closest(host, 'label')
  const forHost = native.id(host)
    ? (native.getRootNode(host) as ShadowRoot).querySelector(
        `label[for="${CSS.escape(native.id(host))}"]`,
      )
    : null
  return [
    ...HOST_NAMING.map((name) => native.getAttribute(host, name) ?? ''),
    ...[parentLabel, forHost].map((label) => (label ? readShownWords(label) : '')),
    ...referenced(host, 'aria-labelledby').map((label) => readShownWords(label)),
  ].join(' ')
}

const FIELDS = 'input:not([type=hidden]),textarea,select,[contenteditable],[role=textbox]'
/** Names of numbered parts of a group: "1.", "Word 3". */
const ORDINAL = /^\D{0,14}\b\d{1,2}\D{0,3}$/u
const LONGEST_PART = 6

function isPart(field: Element, labels: string): boolean {
  if (isTag(field, 'input') && field.maxLength > 0 && field.maxLength <= LONGEST_PART) return true
  return ORDINAL.test(cleanText(labels || (native.getAttribute(field, 'aria-label') ?? '')))
}

/** Name of the group around a field without a name of its own, such as one of several fields for a number. */
function groupWords(field: Element): string {
  const group = closest(field, GROUPS)
  if (!group) return ''
  const legend = isTag(group, 'fieldset') ? group.querySelector('legend') : null
  return [
    native.getAttribute(group, 'aria-label') ?? '',
    ...[legend, ...referenced(group, 'aria-labelledby')].map((item) =>
      item ? readShownWords(item) : '',
    ),
  ].join(' ')
}

/** Heading of the table row around a field. */
function cellWords(field: Element): string {
  const cell = native.closest(field, 'td')
  const row = cell && native.parentElement(cell)
  const heading = row && native.querySelector(row, 'th')
  return heading ? readShownWords(heading) : ''
}

/** Prefixes and lengths of card numbers, by issuer. */
const ISSUERS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(6011|64[4-9]|65)/, [16, 17, 18, 19]],
  [/^(30[0-5]|3095|36|38|39)/, [14, 16, 19]],
  [/^35(2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(5018|5020|5038|5893|6304|6759|676[1-3])/, [16, 18, 19]],
  [/^220[0-4]/, [16, 19]],
]

/** Digits of any script, with the gaps that people leave. */
const NUMBER = /^\p{Nd}(?:[\s.\-‐-―/·]{0,3}\p{Nd}){12,18}$/u

/** Converts digits of any script to ASCII. Unicode lists each script's digits in sequence, from zero to nine. */
function asciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let zero = code
    while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
    return String(code - zero)
  })
}

/** Whether a text is only a card number, with or without gaps: prefix, length and check digit are valid. */
export function isCardNumber(text: string): boolean {
  const trimmed = text.trim()
  if (!NUMBER.test(trimmed)) return false
  const digits = asciiDigits(trimmed).replace(/\D/g, '')
  const isIssued = ISSUERS.some(
    ([beginning, lengths]) => beginning.test(digits) && lengths.includes(digits.length),
  )
  return isIssued && hasCheckDigit(digits)
}

/** Luhn check: every second digit from the right is doubled. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (const [index, digit] of Array.from(digits).toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

const CODE_LENGTH = { least: 4, most: 10 }

/**
 * Whether the input is one of the boxes of a one-time code. Each box takes one character, and usually at most one box
 * has a label that mentions the code.
 */
export function isOneTimeCodeBox(field: HTMLInputElement): boolean {
  return getGroups(field).some((fields) => {
    const boxes = fields.filter(
      // The `autocomplete` property is empty for values that a browser doesn't know.
      (candidate) =>
        candidate.maxLength === 1 || candidate.getAttribute('autocomplete') === 'one-time-code',
    )
    return boxes.length >= CODE_LENGTH.least && boxes.length <= CODE_LENGTH.most
  })
}

/** Whether the input is one of several for a card number: four with four digits each, or three with 4, 6 and 5. */
export function isCardPart(field: HTMLInputElement): boolean {
  return getGroups(field).some((fields) => {
    const parts = fields.filter(({ maxLength }) => maxLength >= 4 && maxLength <= 6)
    const lengths = parts.map(({ maxLength }) => maxLength).join(' ')
    if (!/^(4 4 4 4( [1-3])?|4 6 5)$/.test(lengths) || !parts.includes(field)) return false
    return parts.every(takesDigits) || isCardNumber(parts.map(({ value }) => value).join(''))
  })
}

const CARD = /card|cart|kaart/i

/** Whether the same form or group has a field for a card number. */
export function isBesideCardNumber(field: Element): boolean {
  const container = closest(field, 'form,fieldset,[role=form],[role=group]')
  if (!container) return false
  return [...native.querySelectorAll(container, 'input')].some((candidate) => {
    if (candidate === field) return false
    if (native.getAttribute(candidate, 'autocomplete')?.includes('cc-number')) return true
    const words = wordsOf(candidate)
    return CARD.test(words) && senseOf(words) === 'secret'
  })
}

/** Whether the field takes digits, by its type, input mode and pattern. Its value may still be empty. */
export function takesDigits(field: HTMLInputElement): boolean {
  return (
    /^(tel|number)$/.test(field.type) ||
    /^(numeric|decimal)$/.test(field.inputMode) ||
    /\\d|0-9/.test(field.pattern)
  )
}

/** The inputs in the field's parent, and those in its grandparent: each box of a code may have a wrapper of its own. */
function getGroups({ parentElement }: HTMLInputElement): HTMLInputElement[][] {
  return [parentElement, parentElement && native.parentElement(parentElement)].map((container) =>
    [...((container && native.querySelectorAll(container, 'input')) ?? [])].filter((candidate) =>
      isTag(candidate, 'input'),
    ),
  )
}
