import { expect, test } from 'vitest'
import { isSameName, nameDigest } from '../../../src/page-tools/act/approval-target.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

test.each([
  ['Save', 'Save', 0],
  ['Pay (0:59 left)', 'Pay (0:39 left)', 20 * SECOND],
  ['Call 12:59', 'Call 13:04', 5 * SECOND],
  ['Updated 14:30', 'Updated 14:35', 5 * MINUTE],
  ['Session 1:00:05', 'Session 0:59:55', 10 * SECOND],
  ['Resend in 30 s', 'Resend in 12 s', 18 * SECOND],
  ['Edited 3 min ago', 'Edited 5 min ago', 2 * MINUTE],
  ['Vor 3 Minuten gesehen', 'Vor 5 Minuten gesehen', 2 * MINUTE],
  ['Resend (30 s left)', 'Resend (12 s left)', 18 * SECOND],
  ['0:10 of 4:00', '0:20 of 4:00', 10 * SECOND],
])('%s and %s are the same name', (before, now, elapsed) => {
  expect(isSameName(before, now, elapsed)).toBe(true)
})

test.each([
  ['Save', 'Delete', 0],
  ['Buy for 12.00 €', 'Buy for 13.00 €', MINUTE],
  ['Buy for 12,00 €', 'Buy for 13,00 €', MINUTE],
  ['$12', '$13', SECOND],
  ['Inbox (3)', 'Inbox (4)', SECOND],
  ['Book 14:30', 'Book 15:30', 20 * SECOND],
  ['Pay (0:59 left)', 'Pay (0:09 left)', 5 * SECOND],
  ['Transfer 30 s', 'Transfer 30 m', 0],
  ['Pay 0:59', 'Pay 12 s', 20 * SECOND],
  ['Order 12 mugs', 'Order 13 mugs', SECOND],
  ['Pay for 1 h', 'Pay for 2 h', SECOND],
  ['Held for 10 minutes', 'Held for 9 minutes', MINUTE],
  ['Transfer $5m to Ada', 'Transfer $6m to Ada', SECOND],
  ['Pay $1:30', 'Pay $1:31', SECOND],
  ['Pay 1:30 €', 'Pay 1:31 €', SECOND],
  ['Edited 3 min ago', 'Edited 9 min ago', SECOND],
])('%s and %s are different names', (before, now, elapsed) => {
  expect(isSameName(before, now, elapsed)).toBe(false)
})

test('digests compare like the names they come from', () => {
  const isSame = (before: string, now: string, elapsed: number) =>
    isSameName(nameDigest(before), nameDigest(now), elapsed)
  expect(isSame('Your seat is held: 4:59', 'Your seat is held: 4:49', 10 * SECOND)).toBe(true)
  expect(isSame('Your seat is held: 4:59', 'Your seat is held: 1:49', 10 * SECOND)).toBe(false)
  expect(isSame('5 m euro, for 2 h', '900 m euro, for 900 h', SECOND)).toBe(false)
})
