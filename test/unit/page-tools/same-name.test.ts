import { expect, test } from 'vitest'
import { isSameName } from '../../../src/page-tools/act/same-name.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

test.each([
  ['Save', 'Save', 0],
  ['Pay (0:59 left)', 'Pay (0:39 left)', 20 * SECOND],
  ['Call 12:59', 'Call 13:04', 5 * SECOND],
  ['Updated 14:30', 'Updated 14:35', 5 * MINUTE],
  ['Session 1:00:05', 'Session 0:59:55', 10 * SECOND],
  ['Resend in 30 s', 'Resend in 12 s', 18 * SECOND],
  ['Held for 10 minutes', 'Held for 7 minutes', 3 * MINUTE],
  ['0:10 of 4:00', '0:20 of 4:00', 10 * SECOND],
])('%s and %s are one name', (before, now, elapsed) => {
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
])('%s and %s are two names', (before, now, elapsed) => {
  expect(isSameName(before, now, elapsed)).toBe(false)
})
