import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMON_CHARACTERS, estimateTokens } from '../../../src/lib/estimate-tokens.ts'
import { countTokens } from '../../apps/count-tokens.ts'
import { someOf } from '../more.ts'

const pick = (characters: string) => fc.constantFrom(...Array.from(characters))
const between = (first: number, last: number) =>
  fc.integer({ min: first, max: last }).map((code) => String.fromCodePoint(code))
const small = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'

const alphabets = {
  'small letters': pick(`${small} `),
  capitals: pick(`${small.toUpperCase()} `),
  'letters and digits': pick(`${small}${small.toUpperCase()}${digits}+/=`),
  hexadecimal: pick('0123456789abcdef'),
  digits: pick(digits),
  'single digits': pick(digits).map((digit) => `${digit} `),
  'single letters': pick(small).map((letter) => `${letter} `),
  signs: pick('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ '),
  addresses: pick(`${small}${digits}/-_?=&.%`),
  Greek: between(0x3b1, 0x3c9),
  Cyrillic: between(0x430, 0x44f),
  Hebrew: between(0x5d0, 0x5ea),
  Arabic: between(0x627, 0x64a),
  Devanagari: between(0x905, 0x939),
  Thai: between(0xe01, 0xe2e),
  Hangul: between(0xac00, 0xd7a3),
  kana: between(0x3041, 0x30ff),
  'Chinese characters': between(0x4e00, 0x9fff),
  'common characters': pick(`${String.fromCharCode(...COMMON_CHARACTERS())} `),
  emoji: between(0x1f300, 0x1f6ff),
}

describe('estimateTokens', () => {
  it.each(Object.entries(alphabets))('is never below the count for %s', (_, characters) => {
    // Any character is as likely as any other, and repeats no more often.
    const text = fc.noBias(fc.string({ unit: characters, minLength: 300, maxLength: 900 }))
    fc.assert(
      fc.property(text, (drawn) => {
        const value = drawn.trim()
        expect(estimateTokens(value)).toBeGreaterThanOrEqual(countTokens(value))
      }),
      { seed: 1, numRuns: someOf(100), endOnFailure: true },
    )
  })

  it.each([
    'The harbour keeps its own time, and nobody there has asked why. Boats come in with the tide, while a clerk writes their names into a long book that smells of salt, rope and paper. Add the mug to your cart, choose how it should be delivered and pay by card.',
    'SHIPPING IS FREE FOR ORDERS ABOVE FIFTY EUROS. PLEASE READ THE TERMS OF SERVICE BEFORE YOU CONTINUE TO THE CHECKOUT, AND CONFIRM YOUR ADDRESS.',
    'Im Hafen wartet das Boot auf die Ebbe, und der Schreiber trägt die Namen in ein langes Buch ein. Bitte bestätigen Sie Ihre Lieferadresse und die Zahlungsart, bevor Sie die Bestellung abschicken.',
    'Satamassa vene odottaa laskuvettä ja kirjuri kirjoittaa nimet pitkään kirjaan. Verkkokaupan ostoskorissa on kolme tuotetta, joista yksi on loppunut varastosta.',
    'В гавани лодка ждёт отлива, и писарь вносит имена в длинную книгу. Выберите адрес доставки и подтвердите заказ.',
    '港口里的船在等待退潮，书记员把名字写进一本长长的书里。请选择配送地址并确认订单。购物车里有三件商品，其中一件已经售罄。',
    '- list [ref=e4]:\n  - listitem:\n    - link "Mugs (3)" [ref=e5]\n    - button "Remove" [disabled] [ref=e6]\n  - … 24 more [from=e60]',
  ])('is never below the count for %s', (text) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text))
  })

  it('is close to the count for English', () => {
    const text =
      'The page is read as an outline of what people see. Each line has a role, a name and a reference that a model can use to press a button, to fill in a field or to open a list. '.repeat(
        4,
      )
    expect(estimateTokens(text)).toBeLessThan(countTokens(text) * 1.2)
  })
})
