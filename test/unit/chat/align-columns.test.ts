import { expect, test } from 'vitest'
import { alignmentOf } from '../../../src/ui/chat/markdown/align-columns.ts'

test.each([
  ['numbers of every kind', ['12.50', '1,204', '−3', '$ 5', '7 %', '3 ms', '1’000', '']],
  ['one number', ['1']],
])('a column of %s is aligned as numbers', (_, texts) => {
  expect(alignmentOf('---', texts)).toBe('number')
})

test.each([
  ['a word among numbers', ['1', 'none', '2']],
  ['dates', ['2026-11-28']],
  ['names with digits', ['Q1', 'Q2']],
  ['empty cells', ['', '']],
  ['no cells', []],
])('a column of %s stays aligned at the start', (_, texts) => {
  expect(alignmentOf('---', texts)).toBeNull()
})

test('an alignment set by the table overrides the content of its column', () => {
  expect([':-', ':-:', '-:'].map((dash) => alignmentOf(dash, ['1', '2']))).toEqual([
    null,
    'center',
    'end',
  ])
  expect(alignmentOf('--:', ['a'])).toBe('end')
})
