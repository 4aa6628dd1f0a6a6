import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  patternOfPart,
  patternOfWord,
  patternsOfValue,
  SecretMatcher,
  type SecretPattern,
} from '../../../src/page-tools/secrets/secret-matcher.ts'
import { someOf } from '../more.ts'

/** Reference for the matcher: finds the longest match of any pattern at each position. */
function byEachExpression(patterns: readonly SecretPattern[], text: string): string {
  const expressions = patterns.map(({ source }) => new RegExp(source(), 'uy'))
  const anywhere = new RegExp(patterns.map(({ source }) => source()).join('|'), 'gu')
  let clean = ''
  let from = 0
  for (;;) {
    anywhere.lastIndex = from
    const found = anywhere.exec(text)
    if (!found) return clean + text.slice(from)
    const ends = expressions.map((expression) => {
      expression.lastIndex = found.index
      return expression.test(text) ? expression.lastIndex : 0
    })
    clean += `${text.slice(from, found.index)}[x]`
    from = Math.max(...ends)
  }
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

test('the matcher finds what the expressions of all patterns would, at each place the longest', () => {
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
      const expected = byEachExpression(patterns, text)
      expect(matcher.replace(text, '[x]')).toBe(expected)
      expect(matcher.isIn(text)).toBe(expected !== text)
    },
  )
  fc.assert(property, { numRuns: someOf(500) })
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

test('of secrets that begin alike the longest that is there is taken, by whatever of its forms', () => {
  const values = [
    'hunter22!!!!!!!!',
    'hunter22-secret',
    '1234 5678 9012 3456',
    '1234567890123456XY',
  ]
  const matcher = new SecretMatcher(values.flatMap(patternsOfValue))
  expect(matcher.replace('Echo hunter22-secret', '[x]')).toBe('Echo [x]')
  expect(matcher.replace('Card 1234567890123456XY', '[x]')).toBe('Card [x]')
})

test.each([
  ['+49 171 2345678', '-'.repeat(30_000)],
  ['!@#$%^&*()', '='.repeat(30_000)],
  ['-abc12345', '- '.repeat(15_000)],
  ['-abc12345', `${'-'.repeat(15_000)}a${'-'.repeat(15_000)}`],
  ['!Secret99', '&quot;'.repeat(800)],
  ['&ampamp12', '&amp;'.repeat(1000)],
  ['texttexttexttexttext1', ' text: '.repeat(2000)],
])('a text that is nearly %s all along is looked at in few steps', (value, text) => {
  const { charCodeAt } = String.prototype
  let steps = 0
  String.prototype.charCodeAt = function (at) {
    steps += 1
    return charCodeAt.call(this, at)
  }
  try {
    expect(new SecretMatcher(patternsOfValue(value)).isIn(text)).toBe(false)
  } finally {
    String.prototype.charCodeAt = charCodeAt
  }
  expect(steps).toBeLessThan(400 * text.length)
})
