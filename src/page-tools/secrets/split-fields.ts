import { closest, isTag } from '../dom.ts'
import * as native from '../native.ts'
import { isCardNumber } from './card-number.ts'
import { wordsOf } from './field-words.ts'
import { senseOf } from './read-words.ts'

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
