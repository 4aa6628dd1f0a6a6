import { describe, expect, test } from 'vitest'
import { readCommit, readDecline } from '../../../src/page-tools/commits/read-commit.ts'
import { LABELS } from './commit-labels.ts'

describe.each(Object.entries(LABELS))('names in %s', (_language, { commits, plain }) => {
  test.each(commits)('"%s" commits', (name) => expect(readCommit(name)).not.toBeNull())
  test.each(plain)('"%s" does not', (name) => expect(readCommit(name)).toBeNull())
})

test.each(['Bạn', 'Bán', 'Bạn bè', 'Bàn số 3', 'Bản sao'])(
  '"%s" is Vietnamese, and bans nobody',
  (name) => expect(readCommit(name)).toBeNull(),
)

test.each(['Ban', 'Ban user', 'Ban this member'])('"%s" does', (name) =>
  expect(readCommit(name)?.kind).toBe('blocks'),
)

test.each([
  ['Pay now', 'pays', 'pay'],
  ['Send message', 'sends', 'send'],
  ['Publish', 'publishes', 'publish'],
  ['Delete account', 'deletes', 'delete'],
  ['Please sign and continue', 'signs', 'sign'],
  ['Buy and pay', 'pays', 'pay'],
  ['Cancel subscription', 'cancels', 'cancel subscription'],
  ['Transfer $5', 'transfers', 'transfer'],
  ['Sign document', 'signs', 'sign'],
  ['Authorize', 'allows', 'authorize'],
  ['Log out', 'logs out', 'log out'],
  ['Konto löschen', 'deletes', 'loschen'],
  ['Add to cart and pay', 'pays', 'pay'],
  ['Add to my basket & buy', 'pays', 'buy'],
  ['Удалить', 'deletes', 'удалить'],
] as const)('"%s" %s, by its word "%s"', (name, kind, word) =>
  expect(readCommit(name)).toEqual({ kind, word }),
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
])('"%s", of letters that look like Latin ones, is read as a person reads it: %s', (name, word) =>
  expect(readCommit(name)?.word ?? null).toBe(word),
)

test.each(['Reply', 'Share', 'Invite'])('"%s" commits where it ends a form only', (name) => {
  expect(readCommit(name)).toBeNull()
  expect(readCommit(name, 'ending')).not.toBeNull()
})

test.each([
  'Cancel',
  'No, keep it',
  '✕',
  '× Close',
  'Abbrechen',
  'いいえ',
  'キャンセル',
  'Отмена',
  'إلغاء',
])('"%s" declines', (name) => expect(readDecline(name)).toBe(true))

test.each(['Yes', 'Now', 'Nothing', 'Okay', 'Confirm', 'Backup', 'Notify'])(
  '"%s" does not decline',
  (name) => expect(readDecline(name)).toBe(false),
)

test('a name of any length is read in time', () => {
  const before = performance.now()
  readCommit('and '.repeat(100_000))
  readCommit('x '.repeat(100_000))
  // No promise of speed: a pattern that goes back over a long name takes minutes.
  expect(performance.now() - before).toBeLessThan(5000)
})
