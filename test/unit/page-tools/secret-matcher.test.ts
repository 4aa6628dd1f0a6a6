import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  SecretMatcher,
  withoutEncoded,
  withoutTokens,
} from '../../../src/page-tools/secrets/secret-matcher.ts'
import { KnownSecrets } from '../../../src/page-tools/secrets/secret-fields.ts'
import { someOf } from '../more.ts'

const SHOWN: readonly (readonly [value: string, text: string])[] = [
  ['hunter2-secret', 'You typed hunter2-secret.'],
  ['hunter2-secret', 'hunter2 -secret'],
  ['hunter2-secret', 'h u n t e r 2 - s e c r e t'],
  ['hunter2-secret', 'hunter2 | -secret'],
  ['correct horse', 'correct horse'],
  ['correct horse', 'cor rect horse'],
  ['correct horse', '/?q=correct%20horse'],
  ['correct horse', '/?q=correct+horse'],
  ['4111 1111 1111 1111', '4111-1111-1111-1111'],
  ['4111 1111 1111 1111', '4111 | 1111 | 1111 | 1111'],
  ['a"b[c<d\\e|f', 'textbox "a\\"b\\[c\\<d\\\\e\\|f"'],
  ['a"b[c<d\\e|f', 'a"b[c<d\\e|f'],
  ['my"secret9pw', '(in row "my\'secret9pw")'],
  ['ab[cd]efg9', '[title=ab\\[cd\\]efg9]'],
  ['removeUser_btn9', 'remove user btn9'],
  ['pässwört99', 'pässwört99'.normalize('NFD')],
  ['pass12', 'pass 12'],
  ['ключ-🔑-1', 'ключ -🔑 -1'],
  ['mars', 'on mars.'],
]

describe('a secret is found in a text', () => {
  test.each(SHOWN)('%j in %j', (value, text) =>
    expect(new SecretMatcher([value]).isIn(text)).toBe(true),
  )
})

const OTHER: readonly (readonly [value: string, text: string])[] = [
  ['123456', '1 2 3 4 5 6 7'],
  ['abcdef', 'a b c d e f'],
  ['100', '10 | 0'],
  ['2024-01', '2024 | 01'],
  ['mars', 'marsh'],
  ['hunter2-secret', 'hunter2'],
  ['hunter2-secret', 'hunter2 and -secret'],
]

describe('no other text counts as the secret', () => {
  test.each(OTHER)('%j in %j', (value, text) =>
    expect(new SecretMatcher([value]).isIn(text)).toBe(false),
  )
})

test.each(['/?p=Sec%2fret%3fpass9', '/?p=%53ec%2Fret%3Fpass9', '/?p=Sec%252Fret%253Fpass9'])(
  'a secret is found in the encoded address %s',
  (address) => {
    const secret = new SecretMatcher(['Sec/ret?pass9'])
    expect(withoutEncoded(`${address}&q=1`, secret, '[x]')).toBe('/?p=[x]&q=1')
  },
)

test('the visible part of a secret at the cut of a text is removed', () => {
  const cut = (text: string): string => new SecretMatcher(['hunter2-secret']).replace(text, '[x]')
  expect(cut('You typed hunter2-s… (24 more characters) ok')).toBe(
    'You typed [x]… (24 more characters) ok',
  )
  expect(cut('You typed hun… (24 more characters)')).toContain('hun…')
  expect(cut('text "You typed hunter2-…"')).toBe('text "You typed [x]-…"')
  expect(cut('- cell "hunter2 secr…" [ref=e3]\n- text: hunter2-se… [from=e2:240]')).toBe(
    '- cell "[x]…" [ref=e3]\n- text: [x]… [from=e2:240]',
  )
  expect(cut('…er2-secret and the words behind it…')).toBe('…[x] and the words behind it…')
  expect(cut('"hunter", … 3 more')).toBe('"hunter", … 3 more')
})

test('the visible part of an API key at the cut of a text is removed', () => {
  expect(withoutTokens(`a ghp_${'a1B2'.repeat(5)}… [from=e2:9]`, '[x]')).toBe('a [x]… [from=e2:9]')
})

test('all secrets on the page are kept, and the oldest others are dropped first', () => {
  const secrets = (from: number, to: number): Set<string> =>
    new Set(Array.from({ length: to - from }, (_, at) => `secret ${from + at}`))
  const known = new KnownSecrets()
  known.add(secrets(0, 900))
  expect(known.size).toBe(900)
  known.add(secrets(900, 1000))
  const names = known.all
  expect(names).toHaveLength(600)
  expect(names).toContain('secret 999')
  expect(names).not.toContain('secret 399')
})

test('among secrets with a common beginning, the longest match in any form is removed', () => {
  const matcher = new SecretMatcher([
    'hunter22!!!!!!!!',
    'hunter22-secret',
    '1234 5678 9012 3456',
    '1234567890123456XY',
  ])
  expect(matcher.replace('Echo hunter22-secret', '[x]')).toBe('Echo [x]')
  expect(matcher.replace('Card 1234567890123456XY', '[x]')).toBe('Card [x]')
})

/** Few letters, so that values begin alike and stand in each other, and all that is shown in a way of its own. */
const PIECES = 'a|b|A|1|2|é|e\u0301|ß|🔑|€|"|\'|<|>|&|[|]|\\|.|/|-|_|+|%|(|)|:|;| |text|1234|4111 '
  .split('|')
  .concat('|')
const piece = fc.constantFrom(...PIECES)
const value = fc
  .array(piece, { minLength: 4, maxLength: 9 })
  .map((pieces) => `${pieces.join('').replace(/ {2,}/g, ' ').trim()}7qx`)

const DISGUISES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/["\\[\]<>|]/g, '\\$&'),
  (text) => text.replaceAll('"', "'"),
  (text) => encodeURIComponent(text),
  (text) => new URLSearchParams({ q: text }).toString().slice(2),
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFC'),
]

test('a secret is removed in every form and in any surrounding text', () => {
  const property = fc.property(
    fc.array(value, { minLength: 1, maxLength: 6 }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...DISGUISES)), { minLength: 1, maxLength: 6 }),
    (secrets, shown) => {
      const matcher = new SecretMatcher(secrets)
      const text = shown
        .map(([which, disguise]) => disguise(secrets[which % secrets.length] ?? ''))
        .join('\n§§')
      const clean = withoutEncoded(matcher.replace(text, '[x]'), matcher, '[x]')
      expect(clean.split('\n')).toHaveLength(shown.length)
      for (const line of clean.split('\n')) expect(line).toContain('[x]')
      expect(matcher.isIn(clean)).toBe(false)
    },
  )
  fc.assert(property, { numRuns: someOf(500) })
})

test.each([
  ['+49 171 2345678', '-'.repeat(30_000)],
  ['!@#$%^&*()', '='.repeat(30_000)],
  ['-abc12345', '- '.repeat(15_000)],
  ['-abc12345', `${'-'.repeat(15_000)}a${'-'.repeat(15_000)}`],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaa1', 'a'.repeat(30_000)],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaa1', 'aaaa…'.repeat(6000)],
])('a text that almost repeats %s is searched in few steps', (secret, text) => {
  const { slice } = String.prototype
  let steps = 0
  String.prototype.slice = function (...range) {
    const part = slice.apply(this, range)
    steps += part.length
    return part
  }
  try {
    new SecretMatcher([secret]).replace(text, '[x]')
  } finally {
    String.prototype.slice = slice
  }
  expect(steps).toBeLessThan(400 * text.length)
})
