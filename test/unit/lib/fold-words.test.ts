import { expect, test } from 'vitest'
import {
  normalizeLetters,
  normalizeWords,
  LETTERS,
  LETTERS_AND_NUMBERS,
} from '../../../src/lib/normalize-words.ts'

const GAPS = /[\s_.\-‐-―]+/g
const letter = new RegExp(`[${LETTERS}]`)
const letterOrNumber = new RegExp(`[${LETTERS_AND_NUMBERS}]`)

function kindByRanges(character: string): string {
  if (letter.test(character)) return 'letter'
  return letterOrNumber.test(character) ? 'number' : 'other'
}

function kindByUnicode(character: string): string {
  if (/\p{L}/u.test(character)) return 'letter'
  return /\p{N}/u.test(character) ? 'number' : 'other'
}

/** All of the first plane, and samples of the others. */
function* codePoints(): Generator<number> {
  for (let code = 0; code <= 0xffff; code += 1) yield code
  for (let code = 0x1_0000; code <= 0x10_ffff; code += 23) yield code
}

test('for folded characters, the plain ranges agree with Unicode about letters and numbers', () => {
  const wrong = [...codePoints()].filter((code) => {
    const text = String.fromCodePoint(code)
    const plain = normalizeLetters(text.toLowerCase()).toLowerCase().replace(GAPS, ' ')
    const expected = Array.from(plain, kindByUnicode)
    return Array.from(normalizeWords(text), kindByRanges).join() !== expected.join()
  })
  expect(wrong.map((code) => code.toString(16))).toEqual([])
})

test.each(['€', '×', '✕', '’', 'ß', 'я', '删', 'ส'])(
  '"%s", which patterns use, is not folded',
  (character) => expect(normalizeWords(character)).toBe(character),
)
