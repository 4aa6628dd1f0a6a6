import { describe, expect, it, test } from 'vitest'
import { type FieldsSchema, readFields } from '../../../src/protocol/fields.ts'

type Read = (value: unknown) => unknown

/** The reading of one field, called `it`. */
const readField: Read = (field) => readFields({ type: 'object', properties: { it: field } })
const problemsIn: Read = (value) => {
  const reading = readFields(value)
  return 'problems' in reading ? reading.problems.join('\n') : 'fine'
}
const problemsWith: Read = (field) => problemsIn({ type: 'object', properties: { it: field } })

const choice = (value: string): object => ({ const: value, title: value.toUpperCase() })
const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `v${at}`)

/** Every form of the specification's `PrimitiveSchemaDefinition`. */
const allowed: readonly object[] = [
  { type: 'string' },
  {
    type: 'string',
    title: 'T',
    description: 'D',
    minLength: 3,
    maxLength: 50,
    format: 'email',
    default: 'user@example.com',
  },
  { type: 'string', format: 'uri' },
  { type: 'string', format: 'date', default: '2024-02-29' },
  { type: 'string', format: 'date-time' },
  { type: 'string', minLength: 0, maxLength: 0 },
  { type: 'number', title: 'T', description: 'D', minimum: 0, maximum: 100, default: 50.5 },
  { type: 'number', maximum: -5 },
  { type: 'integer', minimum: -3, default: -3 },
  { type: 'boolean', title: 'T', description: 'D', default: false },
  { type: 'string', title: 'T', enum: ['Red', 'Green'], default: 'Red' },
  { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], default: 'g' },
  { type: 'string', oneOf: [choice('r'), choice('g')], default: 'g' },
  { type: 'string', enum: ['k', 'K'] },
  { type: 'string', enum: ['<b>', 'a < b'], title: '<i>Shown as text</i>' },
  { type: 'string', enum: many(500) },
  {
    type: 'array',
    title: 'T',
    description: 'D',
    minItems: 1,
    maxItems: 2,
    items: { type: 'string', enum: ['Red', 'Green'] },
    default: ['Red', 'Green'],
  },
  { type: 'array', items: { anyOf: [choice('r')] }, maxItems: 9, default: [] },
]

test.each(allowed)('a field may be %j', (field) => {
  expect(readField(field)).toEqual({ fields: { type: 'object', properties: { it: field } } })
})

/** A field, and what its writer is told. */
const refused: readonly (readonly [unknown, string])[] = [
  ['string', "'it' must be an object with a type"],
  [null, 'must be an object with a type'],
  [['string'], 'must be an object with a type'],
  [{}, "'it' must have a type of string, number, integer, boolean, array"],
  [{ type: 'object', properties: {} }, 'must have a type of string'],
  [{ type: 'null' }, 'must have a type of string'],
  [{ type: ['string', 'null'] }, 'must have a type of string'],
  [{ enum: ['a'] }, 'must have a type of string'],
  [{ $ref: '#/x' }, 'must have a type of string'],
  [{ type: 'string', pattern: '^(a+)+$' }, "has 'pattern'; it may have type, title"],
  [{ type: 'string', const: 'a' }, "has 'const'"],
  [{ type: 'string', anyOf: [] }, "has 'anyOf'"],
  [{ type: 'number', exclusiveMinimum: 0 }, "has 'exclusiveMinimum'"],
  [{ type: 'number', minLength: 0 }, "has 'minLength'"],
  [{ type: 'boolean', enum: [true] }, "has 'enum'"],
  [{ type: 'string', enum: ['a'], minLength: 1 }, "has 'minLength'"],
  [{ type: 'string', enum: ['a'], oneOf: [choice('a')] }, "has 'oneOf'"],
  [{ type: 'string', title: 5 }, 'has a wrong title: it must be a text of 1000'],
  [{ type: 'string', description: 'x'.repeat(1001) }, 'has a wrong description'],
  [{ type: 'string', minLength: '3' }, 'has a wrong minLength: it must be a whole number from 0'],
  [{ type: 'string', minLength: -1 }, 'has a wrong minLength'],
  [{ type: 'string', maxLength: 1.5 }, 'has a wrong maxLength'],
  [{ type: 'string', minLength: 5, maxLength: 4 }, 'has a minLength above its maxLength'],
  [
    { type: 'string', format: 'password' },
    'has a wrong format: it must be email, uri, date or date-time',
  ],
  [{ type: 'string', format: ['email'] }, 'has a wrong format'],
  [{ type: 'number', minimum: '0' }, 'has a wrong minimum: it must be a number'],
  [{ type: 'number', minimum: 2, maximum: 1 }, 'has a minimum above its maximum'],
  [{ type: 'string', enum: [] }, 'has a wrong enum: it must be a list of 1 to 500 texts'],
  [{ type: 'string', enum: [1, 2] }, 'has a wrong enum'],
  [{ type: 'string', enum: many(501) }, 'has a wrong enum'],
  [{ type: 'string', enum: ['x'.repeat(1001)] }, 'has a wrong enum'],
  [{ type: 'string', enum: ['a', 'a'] }, 'offers the same value or title twice'],
  [{ type: 'string', enum: ['a', 'b'], enumNames: ['A'] }, 'has more or fewer enumNames'],
  [
    { type: 'string', enum: ['yes', 'no'], enumNames: ['Yes', 'Yes'] },
    'offers the same value or title twice',
  ],
  [{ type: 'string', oneOf: [{ const: 'a' }] }, 'has a wrong oneOf'],
  [{ type: 'string', oneOf: [{ ...choice('a'), pattern: 'x' }] }, 'has a wrong oneOf'],
  [{ type: 'array' }, 'has no items'],
  [{ type: 'array', items: { type: 'string' } }, 'has a wrong items'],
  [{ type: 'array', items: { type: 'number', enum: ['a'] } }, 'has a wrong items'],
  [{ type: 'array', items: { type: 'array', items: {} } }, 'has a wrong items'],
  [{ type: 'array', items: { oneOf: [choice('a')] } }, 'has a wrong items'],
  [
    { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 2 },
    'has a minItems above its choices',
  ],
  [
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 2, maxItems: 1 },
    'has a minItems above its maxItems',
  ],
  [{ type: 'string', default: 5 }, 'has a wrong default: it must be a text'],
  [{ type: 'string', format: 'date', default: 'today' }, 'has a wrong default'],
  [{ type: 'string', enum: ['a'], default: 'b' }, 'has a wrong default'],
  [{ type: 'boolean', default: 'true' }, 'has a wrong default'],
  [{ type: 'integer', default: 0.5 }, 'has a wrong default'],
  [{ type: 'number', maximum: 1, default: 2 }, 'has a wrong default'],
  [
    { type: 'array', items: { type: 'string', enum: ['a'] }, default: ['a', 'a'] },
    'has a wrong default',
  ],
]

test.each(refused)('a field may not be %j', (field, words) => {
  expect(problemsWith(field)).toContain(words)
})

describe('a schema of fields', () => {
  const text = { type: 'string' }

  it('keeps required names and drops annotations', () => {
    expect(
      readFields({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: 'T',
        description: 'D',
        type: 'object',
        properties: { a: text, b: text },
        required: ['b'],
        additionalProperties: false,
      }),
    ).toEqual({ fields: { type: 'object', properties: { a: text, b: text }, required: ['b'] } })
    expect(readFields({ type: 'object', properties: {} })).toEqual({
      fields: { type: 'object', properties: {} } satisfies FieldsSchema,
    })
  })

  it.each([
    [undefined, 'must have properties'],
    [null, 'must have properties'],
    ['{}', 'must have properties'],
    [[], 'must have properties'],
    [{}, "must have type 'object'"],
    [{ type: 'object' }, 'must have properties'],
    [{ properties: { a: text } }, "must have type 'object'"],
    [{ type: 'array', properties: { a: text } }, "must have type 'object'"],
    [{ type: 'object', properties: [text] }, 'must have properties'],
    [{ type: 'object', properties: { a: text }, required: ['b'] }, 'in required'],
    [{ type: 'object', properties: { a: text }, required: 'a' }, 'in required'],
    [{ type: 'object', properties: { a: text }, required: [['a']] }, 'in required'],
    [{ type: 'object', properties: { a: text }, required: ['toString'] }, 'in required'],
    [{ type: 'object', properties: { a: text }, additionalProperties: true }, 'additionalP'],
    [{ type: 'object', properties: { a: text }, $defs: {} }, "has '$defs', and may have type"],
    [{ type: 'object', properties: { a: text }, patternProperties: {} }, "has 'patternP"],
  ])('may not be %j', (value, words) => {
    expect(problemsIn(value)).toContain(words)
  })
})

describe('fields from a hostile model', () => {
  const text = { type: 'string' }

  it.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '',
    'a\nb',
    'a\u0000',
    'a\u202Eb',
    '<b>name</b>',
    'a"onload="x',
    'x'.repeat(65),
  ])('no field can be named %j', (name) => {
    const schema: unknown = JSON.parse(
      `{"type":"object","properties":{${JSON.stringify(name)}:{"type":"string"}}}`,
    )
    expect(problemsIn(schema)).toContain("can't be a name")
  })

  it('names must differ in more than letter case', () => {
    for (const [one, other] of [
      ['name', 'NAME'],
      ['name', 'ｎａｍｅ'],
      ['straße', 'STRASSE'],
    ] as const) {
      const words = problemsIn({ type: 'object', properties: { [one]: text, [other]: text } })
      if (one === 'straße') expect(words).toBe('fine')
      else expect(words).toContain('by its case only')
    }
  })

  it('sizes are limited, and error messages about them are short', () => {
    const wide = Object.fromEntries(many(5000).map((name) => [name, text]))
    expect(problemsIn({ type: 'object', properties: wide })).toBe('has more than 50 fields')
    const long = 'y'.repeat(1_000_000)
    expect(String(problemsWith({ type: 'string', [long]: 1 })).length).toBeLessThan(300)
    const bulky = { type: 'string', enum: many(500).map((name) => name.padEnd(900, '.')) }
    expect(problemsWith(bulky)).toBe('is longer than 100000 characters')
    // Each of these names would be a problem of its own, and is compared with each field.
    const names = Array.from({ length: 100_000 }, (_, at) => `n${at}`)
    const hostile = { ...Object.fromEntries(names.map((name) => [name, 1])), required: names }
    expect(problemsIn(hostile)).toBe('has more than 50 fields')
  })

  it('deep nesting is refused at its first level', () => {
    const deep: unknown = JSON.parse(
      `${'{"type":"object","properties":{"a":'.repeat(5000)}1${'}}'.repeat(5000)}`,
    )
    expect(problemsIn(deep)).toContain("'a' must have a type of string")
    const items: unknown = JSON.parse(
      `${'{"type":"array","items":'.repeat(5000)}1${'}'.repeat(5000)}`,
    )
    expect(problemsWith(items)).toContain('has a wrong items')
  })

  it('prototypes are not changed', () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    problemsIn(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","x":1}}}'))
    problemsWith(JSON.parse('{"type":"string","__proto__":{"polluted":1}}'))
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
  })
})
