import { expect, it, test } from 'vitest'
import { LABELS } from '../page-tools/secret-labels.ts'
import { sensitiveFields } from '../../../src/client/execution/sensitive-fields.ts'

function isSecret(title: string): boolean {
  return (
    sensitiveFields({ type: 'object', properties: { a: { type: 'string', title } } }).length > 0
  )
}

test.each([
  ['plain', 'Password'],
  ['zero-width', 'Pass\u200Bword'],
  ['soft hyphens', 'Pass\u00ADword'],
  ['Cyrillic letters', 'Pаsswоrd'],
  ['letters with gaps', 'P a s s w o r d'],
  ['letters with wide gaps', 'P  a  s  s  w  o  r  d'],
  ['full width', 'Ｐａｓｓｗｏｒｄ'],
  ['accents', 'Pässwôrd'],
  ['an abbreviation', 'Your PIN'],
  ['Spanish', 'Contraseña'],
  ['Russian', 'Ваш пароль'],
  ['Japanese', 'パスワード'],
  ['Korean', '비밀번호'],
  ['Spanish, of a card', 'Número de tarjeta'],
  ['a wallet', 'Seed words'],
  ['a passkey', 'Passkey'],
  ['an access token', 'Token'],
  ['a bank card', 'Your bank card'],
])('a title that reads as a secret makes a field sensitive: %s', (_, title) => {
  expect(isSecret(title)).toBe(true)
})

for (const [language, { secret }] of Object.entries(LABELS))
  test.each(secret)(`words of pages in ${language} also mark question fields: %s`, (title) => {
    expect(isSecret(title)).toBe(true)
  })

it('leaves other fields alone', () => {
  for (const title of ['Your name', 'Pinboard', 'A B C D', 'Passage', 'Город', 'Pass'])
    expect(isSecret(title)).toBe(false)
})

it('recognises names made of several words', () => {
  const properties = { cardNumber: { type: 'string' }, api_key: { type: 'string' } } as const
  expect(sensitiveFields({ type: 'object', properties })).toEqual(['cardNumber', 'api_key'])
})
