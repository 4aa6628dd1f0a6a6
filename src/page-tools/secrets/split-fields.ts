import { closest, isTag } from '../dom.ts'
import * as native from '../native.ts'
import { senseOf, wordsOf } from './field-words.ts'

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
 * Whether the input is one of the boxes of a one-time code. Each box takes one character, and usually at most one has a
 * label that says so.
 */
export function isOneTimeCodeBox(field: HTMLInputElement): boolean {
  return groupsAround(field).some((fields) => {
    const boxes = fields.filter(
      // The `autocomplete` property is empty for values that a browser doesn't know.
      (one) => one.maxLength === 1 || one.getAttribute('autocomplete') === 'one-time-code',
    )
    return boxes.length >= CODE_LENGTH.least && boxes.length <= CODE_LENGTH.most
  })
}

/** Whether the input is one of several for a card number: four with four digits each, or three with 4, 6 and 5. */
export function isCardPart(field: HTMLInputElement): boolean {
  return groupsAround(field).some((fields) => {
    const parts = fields.filter(({ maxLength }) => maxLength >= 4 && maxLength <= 6)
    const lengths = parts.map(({ maxLength }) => maxLength).join(' ')
    if (!/^(4 4 4 4( [1-3])?|4 6 5)$/.test(lengths) || !parts.includes(field)) return false
    return parts.every(takesDigits) || isCardNumber(parts.map(({ value }) => value).join(''))
  })
}

const CARD = /card|cart|kaart/i

/** Whether the same form or group has a field for a card number. */
export function isBesideCardNumber(field: Element): boolean {
  const around = closest(field, 'form,fieldset,[role=form],[role=group]')
  if (!around) return false
  return [...native.querySelectorAll(around, 'input')].some((one) => {
    if (one === field) return false
    if (native.getAttribute(one, 'autocomplete')?.includes('cc-number')) return true
    const words = wordsOf(one)
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

/** The inputs in the field's parent, and those in its grandparent: each part may be in a wrapper. */
function groupsAround({ parentElement }: HTMLInputElement): HTMLInputElement[][] {
  return [parentElement, parentElement && native.parentElement(parentElement)].map((around) =>
    [...((around && native.querySelectorAll(around, 'input')) ?? [])].filter((one) =>
      isTag(one, 'input'),
    ),
  )
}
