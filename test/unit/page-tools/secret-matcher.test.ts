import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SecretMatcher } from '../../../src/page-tools/secrets/secret-matcher.ts'
import {
  patternOfPart,
  patternOfWord,
  patternsOfValue,
  type SecretPattern,
} from '../../../src/page-tools/secrets/secret-patterns.ts'

/** What the matcher stands for: one expression of all patterns. */
function asOneExpression(patterns: readonly SecretPattern[], text: string): string {
  const all = new RegExp(patterns.map(({ source }) => source()).join('|'), 'gu')
  return text.replace(all, '[x]')
}

/** Few letters, so that values begin alike and stand in each other; all that is shown in a way of its own. */
const PIECES =
  'a|b|A|1|2|é|e\u0301|ß|ａ|１|🔑|\uD83D|\uDD11|€|"|\'|<|>|&|[|]|\\|.|/|-|_|+|%|(|)|:|;| |text|text: |quot;|amp|lt;|account |1234|4111 '
    .split('|')
    .concat('|')
const piece = fc.constantFrom(...PIECES)
const value = fc
  .array(piece, { minLength: 2, maxLength: 9 })
  .map((pieces) => pieces.join('').replace(/ {2,}/g, ' ').trim())
  .filter((text) => text.length >= 3)

const patternsOf = fc.tuple(
  value,
  fc.constantFrom(
    (text: string): readonly SecretPattern[] => patternsOfValue(text),
    (text: string): readonly SecretPattern[] => [patternOfWord(text)],
    (text: string): readonly SecretPattern[] => [patternOfPart(text.replace(/[\s-]/g, '') || 'a1')],
  ),
)

const GAPS = [' | ', '\n  - ', '\n- text: ', '\n    - text: ', ' ', '-']
/** How a page shows a value, right or nearly so: cut, split, escaped, encoded, in another case. */
const DISGUISES: readonly ((text: string, at: number) => string)[] = [
  (text) => text,
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(at),
  (text, at) => text.slice(0, at) + (GAPS[at % GAPS.length] ?? '') + text.slice(at),
  (text, at) => Array.from(text).join(GAPS[at % GAPS.length] ?? ''),
  (text) => text.replace(/["\\[\]<>|]/g, '\\$&'),
  (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  (text) => text.replaceAll('"', "'"),
  (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')),
  (text) => new URLSearchParams({ q: text }).toString(),
  (text) => btoa(encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))),
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFKC'),
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' '),
]

test('the matcher finds what one expression of all patterns would', () => {
  const shown = fc.tuple(fc.nat(), fc.constantFrom(...DISGUISES), fc.nat(12), fc.array(piece))
  const property = fc.property(
    fc.array(patternsOf, { minLength: 1, maxLength: 6 }),
    fc.array(shown, { minLength: 1, maxLength: 6 }),
    (secrets, parts) => {
      const patterns = secrets.flatMap(([text, make]) => make(text))
      const text = parts
        .map(([which, disguise, at, words]) => {
          const [secret] = secrets[which % secrets.length] ?? ['']
          return disguise(secret, at) + words.join('')
        })
        .join('')
      const matcher = new SecretMatcher(patterns)
      const expected = asOneExpression(patterns, text)
      expect(matcher.replace(text, '[x]')).toBe(expected)
      expect(matcher.isIn(text)).toBe(expected !== text)
    },
  )
  fc.assert(property, { numRuns: 200 })
})

test('of many values only those are made an expression of that a text leads to', () => {
  let made = 0
  const patterns = Array.from({ length: 2000 }, (_, at) =>
    patternsOfValue(`account ${10_000_000 + at * 7919} x`),
  )
    .flat()
    .map((pattern) => ({ ...pattern, source: () => ((made += 1), pattern.source()) }))
  const matcher = new SecretMatcher(patterns)
  const text = 'account 9 | account 10000001 x | account 10007919 x, /?a=account%2010015838%20x '
  expect(matcher.replace(text.repeat(50), '[x]')).toBe(
    'account 9 | account 10000001 x | [x], /?a=[x] '.repeat(50),
  )
  expect(made).toBeLessThan(10)
})
