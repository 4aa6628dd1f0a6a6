import { describe, expect, test } from 'vitest'
import {
  readAddress,
  findCommitWord,
  isDeclineLabel,
} from '../../../src/page-tools/commits/read-commit.ts'
import { LABELS } from './commit-labels.ts'

describe.each(Object.entries(LABELS))('names in %s', (_language, { commits, plain }) => {
  test.each(commits)('"%s" commits', (name) => expect(findCommitWord(name)).not.toBeNull())
  test.each(plain)('"%s" does not commit', (name) => expect(findCommitWord(name)).toBeNull())
})

test.each(['Bạn', 'Bán', 'Bạn bè', 'Bàn số 3', 'Bản sao'])(
  '"%s" is Vietnamese and does not commit as "ban"',
  (name) => expect(findCommitWord(name)).toBeNull(),
)

test.each([
  ['Ban', 'ban'],
  ['Pay now', 'pay'],
  ['Please sign and continue', 'sign'],
  ['Buy and pay', 'pay'],
  ['Cancel subscription', 'cancel subscription'],
  ['Charge $5', 'charge $5'],
  ['Konto löschen', 'loschen'],
  ['Add to cart and pay', 'pay'],
  ['Add to my basket & buy', 'buy'],
  ['Удалить', 'удалить'],
] as const)('"%s" commits by its word "%s"', (name, word) =>
  expect(findCommitWord(name)).toBe(word),
)

test.each([
  ['/account/delete?confirm=1', 'delete'],
  ['/users/7/delete', 'delete'],
  ['/admin?action=delete&id=7', 'delete'],
  ['/order/7?confirm=1', 'confirm'],
  ['/transfer?to=eve&amount=100', 'transfer'],
  ['/logout', 'logout'],
  ['/users/7/d%65lete', 'delete'],
  ['/admin?action=%64elete', 'delete'],
  ['/users/7/delete;x', 'delete'],
  ['/account/delete?confirm=1&from=search', 'delete'],
  ['/users/7/delete;search', 'delete'],
  ['/users;search/delete', 'delete'],
  ['/users?x=%0Asearch&action=delete', 'delete'],
  ['/logout?ref=wishlist', 'logout'],
  ['/research/7/delete', 'delete'],
  ['/basketball/teams/7/delete', 'delete'],
  ['/transfer', null],
  ['/docs/delete-user', null],
  ['/deleted', null],
  ['/cart/remove/7', null],
  ['/cart?action=remove&id=7', null],
  ['/search?q=delete+account', null],
  ['/posts/7', null],
])('the address %s commits because of the word %s', (address, word) =>
  expect(readAddress(new URL(address, 'https://shop.example'))).toBe(word),
)

test.each([
  ['\u0420ay now', 'pay'],
  ['\u0420\u0430\u0443 now', 'pay'],
  ['D\u0435l\u0435t\u0435 account', 'delete'],
  ['SE\u039DD', 'send'],
  ['\uFF30\uFF41\uFF59', 'pay'],
  ['K\u043Eupon', null],
  ['Add to cart', null],
  ['Add to cart and continue', null],
])('"%s" with lookalike letters is read as Latin: %s', (name, word) =>
  expect(findCommitWord(name)).toBe(word),
)

test.each(['Reply', 'Share', 'Forward'])('"%s" commits only at the end of a form', (name) => {
  expect(findCommitWord(name)).toBeNull()
  expect(findCommitWord(name, 'ending')).not.toBeNull()
})

test.each(['Cancel', 'No, keep it', '✕', '× Close', 'Abbrechen', 'いいえ', 'キャンセル', 'Отмена'])(
  '"%s" declines',
  (name) => expect(isDeclineLabel(name)).toBe(true),
)

test.each(['Yes', 'Now', 'Nothing', 'Okay', 'Confirm', 'Backup', 'Notify'])(
  '"%s" does not decline',
  (name) => expect(isDeclineLabel(name)).toBe(false),
)

test('a very long name is read in time', () => {
  const before = performance.now()
  findCommitWord('and '.repeat(100_000))
  findCommitWord('x '.repeat(100_000))
  // No promise of speed: a pattern that goes back over a long name takes minutes.
  expect(performance.now() - before).toBeLessThan(5000)
})
