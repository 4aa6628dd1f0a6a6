import { describe, expect, it, test } from 'vitest'
import {
  checkContent,
  type FieldFormat,
  type FieldSchema,
  hasFormat,
} from '../../../src/protocol/fields.ts'

const problemOf = (field: FieldSchema, value: unknown): string | undefined =>
  checkContent({ type: 'object', properties: { it: field } }, { it: value })[0]?.problem

const colours = { type: 'string', enum: ['red', 'green', 'blue'] } as const
const titled = { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] } as const
const several = { type: 'array', items: colours, minItems: 1, maxItems: 2 } as const

/** A field, a value, and what is wrong with it; undefined: nothing. */
const values: readonly (readonly [FieldSchema, unknown, string | undefined])[] = [
  [{ type: 'string' }, '', undefined],
  [{ type: 'string' }, 5, 'must be a text'],
  [{ type: 'string' }, null, 'must be a text'],
  [{ type: 'string' }, ['a'], 'must be a text'],
  [{ type: 'string', minLength: 2 }, 'a', 'must have 2 characters or more'],
  [{ type: 'string', maxLength: 2 }, 'abc', 'must have 2 characters or fewer'],
  // Code points, not UTF-16 units.
  [{ type: 'string', maxLength: 2 }, '👩🎈', undefined],
  [{ type: 'string', minLength: 3 }, '👩🎈', 'must have 3 characters or more'],
  [{ type: 'string', format: 'email' }, 'ann@example.org', undefined],
  [{ type: 'string', format: 'email' }, 'ann', 'must be an e-mail address'],
  [{ type: 'number' }, 1.5, undefined],
  [{ type: 'number' }, '1.5', 'must be a number'],
  [{ type: 'number' }, Number.NaN, 'must be a number'],
  [{ type: 'number' }, Infinity, 'must be a number'],
  [{ type: 'number', minimum: 1 }, 1, undefined],
  [{ type: 'number', minimum: 1 }, 0.9, 'must be 1 or more'],
  [{ type: 'number', maximum: -1 }, 0, 'must be -1 or less'],
  [{ type: 'integer' }, 3, undefined],
  [{ type: 'integer' }, 3.5, 'must be a whole number'],
  [{ type: 'boolean' }, false, undefined],
  [{ type: 'boolean' }, 'false', 'must be true or false'],
  [colours, 'red', undefined],
  [colours, 'Red', 'must be one of the values that are offered'],
  [colours, 5, 'must be a text'],
  [titled, 'r', undefined],
  [titled, 'Red', 'must be one of the values that are offered'],
  [several, ['red', 'blue'], undefined],
  [several, 'red', 'must be a list'],
  [several, [], 'must have 1 or more values'],
  [several, ['red', 'green', 'blue'], 'must have 2 values or fewer'],
  [several, ['red', 'red'], 'must have each value once'],
  [several, ['red', 'pink'], 'must be one of the values that are offered'],
  [several, [['red']], 'must be one of the values that are offered'],
]

test.each(values)('for %j, %j: %s', (field, value, problem) => {
  expect(problemOf(field, value)).toBe(problem)
})

describe('checkContent', () => {
  const fields = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name'],
  } as const

  it('requires only required fields, and fills in no defaults', () => {
    expect(checkContent(fields, { name: 'Ann' })).toEqual([])
    expect(checkContent(fields, {})).toEqual([{ field: 'name', problem: 'is missing' }])
    expect(
      checkContent(
        { ...fields, properties: { name: { type: 'string', default: 'Ann' } } },
        { age: 3 },
      ),
    ).toHaveLength(2)
  })

  it('names every wrong field and every unknown one', () => {
    expect(checkContent(fields, { age: 'old', nmae: 'Ann' })).toEqual([
      { field: 'name', problem: 'is missing' },
      { field: 'age', problem: 'must be a number' },
      { field: 'nmae', problem: 'is none of the fields' },
    ])
    const inherited: { [name: string]: unknown } = JSON.parse('{"name":"a","__proto__":1}')
    expect(checkContent(fields, { ...inherited, constructor: 1 })).toMatchObject([
      { field: '__proto__' },
      { field: 'constructor' },
    ])
  })
})

/** RFC 5321, 3986 and 3339. */
const formats: { readonly [Format in FieldFormat]: readonly [good: string[], bad: string[]] } = {
  email: [
    ['a@b', 'ann.lee+x@mail.example.org', "o'neil@example.org", 'jörg@bücher.example', '1@2.de'],
    [
      '',
      'a',
      '@b',
      'a@',
      'a b@c.de',
      'a@b c.de',
      '.a@b.de',
      'a.@b.de',
      'a..b@c.de',
      'a@-b.de',
      'a@b-.de',
      'a@b..de',
      'a@b.de.',
      'a@b@c.de',
      'a,b@c.de',
      '<a@b.de>',
      'a@b.de\n',
      `${'a'.repeat(65)}@b.de`,
      `a@${'b'.repeat(64)}.de`,
      `a@${'b.'.repeat(130)}de`,
    ],
  ],
  uri: [
    [
      'https://example.org/a?b=c#d',
      'mailto:a@b.de',
      'urn:isbn:0451450523',
      'tel:+491234',
      'https://example.org/Köln',
      'http://[::1]:80/',
    ],
    [
      '',
      'example.org',
      '//example.org',
      '/path',
      'https://',
      'https://a b',
      ' https://a.de',
      'https://a.de\n',
      'https://a.de/%zz',
      'https://a.de/<b>',
      '1https://a.de',
    ],
  ],
  date: [
    ['2024-02-29', '2000-02-29', '1999-12-31', '0001-01-01'],
    [
      '',
      '2023-02-29',
      '1900-02-29',
      '2024-04-31',
      '2024-13-01',
      '2024-00-10',
      '2024-01-00',
      '2024-1-1',
      '24-01-01',
      '2024/01/01',
      '2024-01-01T00:00:00Z',
      '2024-01-01\n',
      '٢٠٢٤-01-01',
    ],
  ],
  'date-time': [
    [
      '2024-02-29T23:59:59Z',
      '2024-02-29t23:59:59z',
      '2024-01-01T00:00:00.123456+05:30',
      '2024-01-01T00:00:00-00:00',
      '1998-12-31T23:59:60Z',
      '1998-12-31T15:59:60.5-08:00',
      '1999-01-01T00:59:60+01:00',
    ],
    [
      '',
      '2024-01-01',
      '2024-01-01T10:00',
      '2024-01-01T10:00:00',
      '2024-01-01 10:00:00Z',
      '2023-02-29T10:00:00Z',
      '2024-01-01T24:00:00Z',
      '2024-01-01T10:60:00Z',
      '2024-01-01T10:00:61Z',
      '2024-01-01T10:00:00+24:00',
      '2024-01-01T10:00:00+01:60',
      '2024-01-01T10:00:00+0100',
      '2024-01-01T10:00:00.Z',
    ],
  ],
}

describe.each(Object.entries(formats))('the format %s', (name, [good, bad]) => {
  const format = name as FieldFormat
  test.each(good)('accepts %j', (text) => {
    expect(hasFormat(text, format)).toBe(true)
  })
  test.each(bad)('refuses %j', (text) => {
    expect(hasFormat(text, format)).toBe(false)
  })
})

test('a text of any length is checked in linear time', () => {
  const long = 'a.'.repeat(500_000)
  for (const format of ['email', 'uri', 'date', 'date-time'] as const)
    expect(hasFormat(`${long}@`, format)).toBe(false)
})
