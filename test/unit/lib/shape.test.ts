import { expect, test } from 'vitest'
import { isText, listOf, discriminatedUnion, shape } from '../../../src/lib/shape.ts'

const isFact = discriminatedUnion('type', { named: shape({ title: isText }) })

test.each([
  [{ type: 'named', title: 'x' }, true],
  [{ type: 'other', title: 'x' }, false],
  [{ title: 'x' }, false],
  // A value that only converts to the name doesn't count.
  [{ type: ['named'], title: 'x' }, false],
  [{ type: { toString: (): string => 'named' }, title: 'x' }, false],
])('for %j, having one of the shapes is %s', (value, expected) => {
  expect(isFact(value)).toBe(expected)
})

test('a list with a hole is refused, because a hole is undefined', () => {
  const texts = ['a']
  expect(listOf(isText)(texts)).toBe(true)
  texts[2] = 'c'
  expect(listOf(isText)(texts)).toBe(false)
})
