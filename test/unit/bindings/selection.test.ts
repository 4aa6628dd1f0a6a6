import { expect, test } from 'vitest'
import { memoizeSelector } from '../../../src/ui/bindings/selection.ts'

interface Value {
  readonly parts: readonly string[]
  readonly other: number
}

const first: Value = { parts: ['a'], other: 1 }

function selected<Shown>(select: (value: Value) => Shown, next: Value): readonly [Shown, Shown] {
  const pick = memoizeSelector(select)
  return [pick(first), pick(next)]
}

test.each<[string, (value: Value) => unknown, Value]>([
  ['a value', ({ parts }) => parts.length, { parts: ['b'], other: 2 }],
  ['an object that is made anew', ({ parts: [a] }) => ({ a }), { parts: ['a'], other: 2 }],
  ['an array that is made anew', ({ parts }) => [...parts], { parts: ['a'], other: 2 }],
  ['NaN', () => Number.NaN, { parts: [], other: 2 }],
])('a selection keeps its identity while its content is equal: %s', (_name, select, next) => {
  const [before, after] = selected(select, next)
  expect(after).toBe(before)
})

test.each<[string, (value: Value) => unknown, Value]>([
  ['another value', ({ other }) => other, { parts: ['a'], other: 2 }],
  ['another part', ({ parts: [a] }) => ({ a }), { parts: ['b'], other: 1 }],
  ['one more', ({ parts }) => [...parts], { parts: ['a', 'b'], other: 1 }],
  [
    'the same count of other names',
    ({ other }) => (other === 1 ? { a: undefined } : { b: undefined }),
    { parts: [], other: 2 },
  ],
  ['an array for an object', ({ other }) => (other === 1 ? {} : []), { parts: [], other: 2 }],
  ['an instance of a class', () => new Map(), { parts: [], other: 2 }],
])('a selection gets a new identity when its content differs: %s', (_name, select, next) => {
  const [before, after] = selected(select, next)
  expect(after).not.toBe(before)
})

test('the selector runs once for each value', () => {
  let asked = 0
  const pick = memoizeSelector(() => (asked += 1))
  expect([pick(first), pick(first)]).toEqual([1, 1])
})

test('a new selector starts with the value that the previous one showed', () => {
  const shown = { a: 'a' }
  const pick = memoizeSelector(({ parts: [a] }: Value) => ({ a }), shown)
  expect(pick(first)).toBe(shown)
})
