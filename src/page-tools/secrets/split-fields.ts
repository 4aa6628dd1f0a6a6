import { closest, isTag } from '../dom.ts'
import * as native from '../native.ts'
import { isCardNumber } from './card-number.ts'
import { wordsOf } from './field-words.ts'
import { senseOf } from './read-words.ts'

const CODE_LENGTH = { least: 4, most: 10 }

/**
 * Whether the input is one of the boxes of a one-time code: one for each character, of which one at most
 * has a label that says so.
 */
export function isOneTimeCodeBox(field: HTMLInputElement): boolean {
  return groupsAround(field).some((fields) => {
    const boxes = fields.filter(
      // Not by the property, which is empty for values that a browser doesn't know.
      (one) => one.maxLength === 1 || one.getAttribute('autocomplete') === 'one-time-code',
    )
    return boxes.length >= CODE_LENGTH.least && boxes.length <= CODE_LENGTH.most
  })
}

/** Whether the input is one of the parts that a card's number is typed in: four times four digits, or 4, 6 and 5. */
export function isCardPart(field: HTMLInputElement): boolean {
  return groupsAround(field).some((fields) => {
    const parts = fields.filter(({ maxLength }) => maxLength >= 4 && maxLength <= 6)
    const lengths = parts.map(({ maxLength }) => maxLength).join(' ')
    if (!/^(4 4 4 4( [1-3])?|4 6 5)$/.test(lengths) || !parts.includes(field)) return false
    return parts.every(takesDigits) || isCardNumber(parts.map(({ value }) => value).join(''))
  })
}

const CARD = /card|cart|kaart/i

/** Whether a card's number is asked for in the same form or group. */
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

/** By what it says of its content, not by what is in it: it may be empty. */
export function takesDigits(field: HTMLInputElement): boolean {
  return (
    /^(tel|number)$/.test(field.type) ||
    /^(numeric|decimal)$/.test(field.inputMode) ||
    /\\d|0-9/.test(field.pattern)
  )
}

/** The inputs beside a field, in its parent and one further out: each part may be wrapped. */
function groupsAround({ parentElement }: HTMLInputElement): HTMLInputElement[][] {
  return [parentElement, parentElement && native.parentElement(parentElement)].map((around) =>
    [...((around && native.querySelectorAll(around, 'input')) ?? [])].filter((one) =>
      isTag(one, 'input'),
    ),
  )
}
