import { expect, test } from 'vitest'
import { hasNoFreeText } from '../../../src/client/sub-agents/child-runs.ts'
import type { JsonSchema } from '../../../src/index.ts'

const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
})
const numbers = { type: 'array', items: { type: 'integer' } }

test.each<[boolean, string, unknown]>([
  [true, 'a number', { type: 'number' }],
  [true, 'a whole number or nothing', { type: ['integer', 'null'] }],
  [true, 'yes or no', { type: 'boolean' }],
  [true, 'a named value', { enum: ['good', 'bad'] }],
  [true, 'a named value that is called a text', { type: 'string', enum: ['good', 'bad'] }],
  [true, 'one value', { const: 'good' }],
  [true, 'one of several', { anyOf: [{ type: 'number' }, { enum: ['none'] }] }],
  [true, 'an object of them', closed({ stars: { type: 'number' }, is: { const: 1 } })],
  [true, 'objects in objects', closed({ of: closed({ stars: { type: 'integer' } }) })],
  [true, 'a short list', { ...numbers, maxItems: 20 }],
  [
    true,
    'as many as there are places',
    { type: 'array', prefixItems: [{ type: 'number' }], items: false },
  ],
  [false, 'a list of any length: it could spell a text', numbers],
  [false, 'a list that is too long', { ...numbers, maxItems: 21 }],
  [false, 'a list of letters', { type: 'array', items: { enum: ['a', 'b'] } }],
  [false, 'lists of lists', { ...numbers, maxItems: 5, items: { ...numbers } }],
  [false, 'a short list of anything', { type: 'array', maxItems: 2 }],
  [false, 'a text', { type: 'string' }],
  [false, 'a text of a format', { type: 'string', format: 'date' }],
  [false, 'a text of a pattern', { type: 'string', pattern: '^[a-z]$' }],
  [false, 'anything', {}],
  [false, 'all there is', true],
  [false, 'a text or a number', { type: ['string', 'number'] }],
  [false, 'one of several with a text', { anyOf: [{ type: 'number' }, { type: 'string' }] }],
  [false, 'no type, but properties', { properties: { stars: { type: 'number' } } }],
  [false, 'an object with other names', { type: 'object', properties: {} }],
  [
    false,
    'an object with names by a schema',
    closed({}, { additionalProperties: { type: 'number' } }),
  ],
  [
    false,
    'an object with names by a pattern',
    closed({}, { patternProperties: { '.': { type: 'number' } } }),
  ],
  [false, 'an object with a text', closed({ stars: { type: 'number' }, why: { type: 'string' } })],
  [false, 'a reference', { $ref: '#/$defs/stars', $defs: { stars: { type: 'number' } } }],
  [false, 'no schema', null],
])('isWordless is %s for %s', (expected, _, schema) => {
  expect(hasNoFreeText(schema as JsonSchema)).toBe(expected)
})
