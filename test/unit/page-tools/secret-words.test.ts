import { describe, expect, test } from 'vitest'
import { isCardNumber, senseOf } from '../../../src/page-tools/secrets/field-words.ts'
import { withoutTokens } from '../../../src/page-tools/secrets/secret-matcher.ts'
import { LABELS } from './secret-labels.ts'

describe.each(Object.entries(LABELS))('labels in %s', (_language, { secret, plain }) => {
  test.each(secret)('"%s" asks for a secret', (label) => expect(senseOf(label)).toBe('secret'))
  test.each(plain)('"%s" asks for no secret', (label) => expect(senseOf(label)).not.toBe('secret'))
})

test.each([
  'userPassword',
  'user_password',
  'new-password-2',
  'CONTRASEÑA',
  'contrasena',
  'M\u1EACT KH\u1EA8U',
  'mat_khau',
  '\uFF30assword',
  'pass\u200Bword',
  'haslo',
  'ŞİFRE',
  'sifre',
  'cardNumber',
  'cvc2',
  'pin1',
  'Enter the 6-digit code',
])('"%s" asks for a secret in another spelling', (label) => expect(senseOf(label)).toBe('secret'))

test.each(['Code', 'Enter code', 'Código', 'コード', 'Код'])('"%s" may be a code', (label) =>
  expect(senseOf(label)).toBe('code'),
)

test.each(['Expiry date', 'Gültig bis', 'Date d’expiration', '有効期限', 'Срок действия'])(
  '"%s" may be the expiry date of a card',
  (label) => expect(senseOf(label)).toBe('expiry'),
)

test.each([
  'Promo code',
  'Postal code',
  'ZIP code',
  'Código postal',
  'Code promo',
  'Rabattcode',
  '邮编',
  'Промокод',
  'Country code',
  'PIN code of your area',
  'Booking code',
])('"%s" names another kind of code', (label) => expect(senseOf(label)).toBe(null))

test.each([
  '4111 1111 1111 1111',
  '5555555555554444',
  '3782-822463-10005',
  '6011111111111117',
  '30569309025904',
  '3530111333300000',
  '2223003122003222',
  '4111.1111.1111.1111',
  '5555/5555/5555/4444',
  '٤١١١ ١١١١ ١١١١ ١١١١',
])('%s is a card number', (text) => expect(isCardNumber(text)).toBe(true))

test.each([
  '4111 1111 1111 1112',
  '1234567812345670',
  '4111 1111 1111',
  '+49 170 1234567890',
  '978-3-16-148410-0',
  'Card 4111 1111 1111 1111',
  '0000000000000000',
  '353011133330000',
])('%s is not a card number', (text) => expect(isCardNumber(text)).toBe(false))

test.each([
  ['key sk-proj-abcdefghijklmnopqrstuvwx!', 'key [x]!'],
  ['sk-ant-api03-abcdefghijklmnopqrstuv', '[x]'],
  [`ghp_${'a1B2'.repeat(9)} here`, '[x] here'],
  ['xoxb-123456789012-abcdef', '[x]'],
  ['id AKIAIOSFODNN7EXAMPLE', 'id [x]'],
  ['Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl', 'Bearer [x]'],
  ['-----BEGIN PRIVATE KEY----- MIIE vgIB -----END PRIVATE KEY----- end', '[x] end'],
  ['-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXk', '[x]'],
  ['at AKIA IOSFODNN7EXAMPLE now', 'at [x] now'],
  [`ghp_ ${'a1B2'.repeat(9)} here`, '[x] here'],
])('secrets recognised by their format are removed: %s', (text, clean) =>
  expect(withoutTokens(text, '[x]')).toBe(clean),
)

const WORD_CHARACTERS = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T'

test.each([
  `sk-${WORD_CHARACTERS}`,
  `sk-or-${WORD_CHARACTERS}`,
  `sk_live_${WORD_CHARACTERS}`,
  `rk_test_${WORD_CHARACTERS}`,
  `whsec_${WORD_CHARACTERS}`,
  ...['p', 'o', 'u', 's', 'r'].map((kind) => `gh${kind}_${WORD_CHARACTERS}`),
  `github_pat_${WORD_CHARACTERS}`,
  `glpat-${WORD_CHARACTERS}`,
  ...['a', 'b', 'e', 'o', 'p', 'r', 's'].map((kind) => `xox${kind}-${WORD_CHARACTERS}`),
  'ASIAIOSFODNN7EXAMPLE',
  `AIza${WORD_CHARACTERS.slice(0, 35)}`,
  `ya29.${WORD_CHARACTERS}`,
  `npm_${WORD_CHARACTERS.slice(0, 36)}`,
  `hf_${WORD_CHARACTERS}`,
  `SG.${WORD_CHARACTERS}.${WORD_CHARACTERS}`,
])('%s is a token', (token) => expect(withoutTokens(`at ${token}`, '[x]')).toBe('at [x]'))

test.each([
  'sk-8 trousers, ask-me-anything-about-the-product-line',
  'The AKIA standard and the ghp_ prefix',
  'AKIA is the beginning of 2026 access key identifiers',
  '-----BEGIN PUBLIC KEY----- MIIB -----END PUBLIC KEY-----',
])('other texts are not tokens: %s', (text) => expect(withoutTokens(text, '[x]')).toBe(text))

test('long texts are searched quickly', () => {
  expect(withoutTokens(`-----BEGIN PRIVATE KEY----- ${'-'.repeat(50_000)}`, '[x]')).toBe('[x]')
})

test.each([
  'TAN-Nummer',
  'Bitte TAN eingeben',
  'pushTAN',
  'chipTAN',
  'Ihre TAN',
  'NIE',
  'Número de NIE',
])('"%s" asks for a country-specific secret', (label) => expect(senseOf(label)).toBe('secret'))

test.each(['Tan leather', 'Colour: tan', 'Nie wymagane', 'Noch nie bestellt', 'Tanja'])(
  '"%s" does not ask for a secret',
  (label) => expect(senseOf(label)).not.toBe('secret'),
)

test.each(['Scadenza', 'Vervaldatum', 'Data di scadenza'])(
  '"%s" may be an expiry date beside a card number',
  (label) => expect(senseOf(label)).toBe('due'),
)
