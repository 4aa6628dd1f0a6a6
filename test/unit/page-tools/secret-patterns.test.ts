import { describe, expect, test } from 'vitest'
import {
  cutEndsOf,
  patternOfPart,
  patternOfWord,
  patternsOfValue,
  SecretMatcher,
  withoutEncoded,
} from '../../../src/page-tools/secrets/secret-matcher.ts'
import { KnownSecrets } from '../../../src/page-tools/secrets/known-secrets.ts'
import { withoutTokens } from '../../../src/page-tools/secrets/token-patterns.ts'

function found(value: string, text: string): boolean {
  return patternsOfValue(value).some(({ source }) => new RegExp(source(), 'u').test(text))
}

const SHOWN: readonly (readonly [value: string, text: string])[] = [
  ['hunter2-secret', 'You typed hunter2-secret.'],
  ['hunter2-secret', 'hunter2 -secret'],
  ['hunter2-secret', 'h u n t e r 2 - s e c r e t'],
  ['hunter2-secret', 'hunter2 | -secret'],
  ['hunter2-secret', '- text: hunter2\n  - text: -secret'],
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
  ['pässwört99', 'pässwört99'.normalize('NFD')],
  ['pass12', 'pass 12'],
  ['ключ-🔑-1', 'ключ -🔑 -1'],
]

describe('a secret is found', () => {
  test.each(SHOWN)('%j in %j', (value, text) => expect(found(value, text)).toBe(true))
})

const OTHER: readonly (readonly [value: string, text: string])[] = [
  ['123456', '1 2 3 4 5 6 7'],
  ['abcdef', 'a b c d e f'],
  ['100', '10 | 0'],
  ['2024-01', '2024 | 01'],
  ['hunter2-secret', 'hunter2'],
  ['hunter2-secret', 'hunter2 and -secret'],
]

describe('nothing else is', () => {
  test.each(OTHER)('%j in %j', (value, text) => expect(found(value, text)).toBe(false))
})

test.each(['/?p=Sec%2fret%3fpass9', '/?p=%53ec%2Fret%3Fpass9', '/?p=Sec%252Fret%253Fpass9'])(
  'a secret is found in %s',
  (address) => {
    const secret = new SecretMatcher(patternsOfValue('Sec/ret?pass9'))
    expect(withoutEncoded(`${address}&q=1`, secret, '[x]')).toBe('/?p=[x]&q=1')
  },
)

test('what is left of a secret where a text is cut is removed', () => {
  const cut = (text: string): string => cutEndsOf(['hunter2-secret'], '[x]')(text)
  expect(cut('You typed hunter2-s… (24 more characters) ok')).toBe(
    'You typed [x]… (24 more characters) ok',
  )
  expect(cut('You typed hun… (24 more characters)')).toContain('hun…')
  expect(cut('- cell "hunter2 secr…" [ref=e3]\n- text: hunter2-se… [from=e2:240]')).toBe(
    '- cell "[x]…" [ref=e3]\n- text: [x]… [from=e2:240]',
  )
  expect(cut('…er2-secret and the words behind it…')).toBe('…[x] and the words behind it…')
  expect(cut('"hunter", … 3 more')).toBe('"hunter", … 3 more')
})

test('the beginning of a key is removed where a text is cut', () => {
  expect(withoutTokens(`a ghp_${'a1B2'.repeat(5)}… [from=e2:9]`, '[x]')).toBe('a [x]… [from=e2:9]')
})

test('what is on the page is known, however much of it there is; what is gone goes first', () => {
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

test('of several patterns the first counts, whatever it begins with', () => {
  const matcher = new SecretMatcher(['mars bar 1', 'mars', '4111'].map(patternOfPart))
  expect(matcher.replace('mars bar 1, mars, 4111, marsh', '[x]')).toBe('[x], [x], [x], marsh')
})

test('a part and a short value are whole words', () => {
  expect(new RegExp(patternOfPart('11111111').source(), 'u').test('1111 1111')).toBe(true)
  expect(new RegExp(patternOfPart('1111').source(), 'u').test('11112')).toBe(false)
  expect(new RegExp(patternOfWord('mars').source(), 'u').test('marsh')).toBe(false)
  expect(new RegExp(patternOfWord('mars').source(), 'u').test('on mars.')).toBe(true)
})
