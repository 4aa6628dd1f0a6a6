import { expect, test } from 'vitest'
import { isJson } from '../../../src/lib/json/is-json.ts'

test.each([
  ['a tree', { a: [1, 'b', null, { c: true }] }],
  ['an object that stands in two places', ((shared) => [shared, shared])({ a: 1 })],
  ['a long list', Array.from({ length: 100_000 }, (_, at) => at)],
])('%s is JSON', (_what, value) => expect(isJson(value)).toBe(true))

const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

/** Lists of twice the same list: a few objects, and a text of no end. */
function doubled(depth: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level++) value = [value, value]
  return value
}

test.each([
  ['a date', new Date()],
  ['a BigInt', { a: 1n }],
  ['a cycle', ((cycle: unknown[]) => (cycle.push(cycle), cycle))([])],
  ['what is nested too deep', nested(200)],
  ['what would be too long a text', doubled(60)],
  ['no number', Number.NaN],
  ['nothing', undefined],
])('%s is not JSON', (_what, value) => expect(isJson(value)).toBe(false))
