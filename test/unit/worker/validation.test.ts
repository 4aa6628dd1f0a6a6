import { describe, expect, it } from 'vitest'
import type { JsonSchema, JsonValue } from '../../../src/protocol/json.ts'
import { checkInput } from '../../../src/worker/validation/check-input.ts'
import { jsonSchemaValidator } from '../../../src/worker/validation/validator.ts'

const person: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    mood: { enum: ['good', 'bad'] },
    address: { $ref: '#/$defs/address' },
    friends: { type: 'array', items: { $ref: '#/$defs/address' } },
  },
  required: ['name'],
  $defs: {
    address: {
      type: 'object',
      properties: { street: { type: 'string' } },
      required: ['street'],
      additionalProperties: false,
    },
  },
}

const check = (input: JsonValue, inputSchema = person) =>
  checkInput(jsonSchemaValidator, { name: 'save', description: '', inputSchema }, input)

describe('checkInput', () => {
  it.each([{ type: 'strin' }, { properties: 3 }, { required: 'name' }])(
    'reports %j as an invalid schema',
    (schema) => {
      expect(check({ name: 'A' }, schema as JsonSchema)?.code).toBe('failed')
    },
  )

  it('accepts what fits, local references included', () => {
    expect(check({ name: 'A', age: 3, mood: 'good', address: { street: 'x' } })).toBeNull()
    expect(check({ name: 'A', friends: [{ street: 'x' }] })).toBeNull()
  })

  it.each([
    [{ name: 'A', address: { street: 3 } }, 'address.street'],
    [{ name: 'A', friends: [{ street: 'x' }, {}] }, 'friends.1'],
    [{ name: 'A', mood: 'fine' }, 'mood'],
    [{ name: 'A', age: '3' }, 'age'],
  ] as const)('names the location of the error in %j', (input, place) => {
    const problem = check(input)
    expect(problem?.code).toBe('invalid_params')
    expect(problem?.message).toContain(`'${place}'`)
  })

  it('names missing and unknown parameters, and suggests the intended name', () => {
    const problem = check({ nam: 'A' })
    expect(problem?.message).toMatch(/unknown parameter 'nam', did you mean 'name'\?/)
    expect(problem?.message).toContain("missing required 'name'")
    expect(problem?.message).toContain('Expected: name (string, required), age (integer, optional)')
    expect(problem?.suggestion).toBe('name')
  })

  it('refuses unknown parameters unless the schema allows them explicitly', () => {
    expect(check({ name: 'A', toString: 1 })).not.toBeNull()
    expect(check({ name: 'A', extra: 1 }, { ...person, additionalProperties: true })).toBeNull()
    expect(check({ anything: 1 }, { type: 'object' })).toBeNull()
  })

  it('does not check formats, which only inform the model', () => {
    const schema = { type: 'object', properties: { day: { type: 'string', format: 'date' } } }
    expect(check({ day: 'Monday' }, schema)).toBeNull()
  })

  it('resolves references between schemas with ids', () => {
    const schema = {
      $id: 'https://example.com/root.json',
      type: 'object',
      properties: { a: { $ref: 'part.json' }, b: { $ref: '#/$defs/part/properties/n' } },
      $defs: {
        part: {
          $id: 'part.json',
          type: 'object',
          properties: { n: { type: 'integer' } },
          required: ['n'],
        },
      },
    }
    expect(check({ a: { n: 1 } }, schema)).toBeNull()
    expect(check({ a: {} }, schema)).not.toBeNull()
    // The same `$id` in another tool's schema is no conflict.
    expect(check({ a: {} }, { ...schema, title: 'another' })).not.toBeNull()
  })

  it('reports an unusable schema instead of throwing', () => {
    const problem = check({}, { $ref: '#/nowhere' })
    expect(problem?.code).toBe('failed')
  })

  it('accepts a schema of another draft', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { n: { type: 'integer' } },
    }
    expect(check({ n: 1 }, schema)).toBeNull()
    expect(check({ n: 'x' }, schema)?.code).toBe('invalid_params')
  })
})

describe('the schema of a tool', () => {
  const used = (inputSchema: object): string | undefined =>
    check({ a: 1 }, inputSchema as JsonSchema)?.message

  it.each([
    [{ properties: { a: { minLength: '3' } } }, 'Its minLength can\'t be "3"'],
    [{ properties: { a: { minimum: 1, exclusiveMinimum: true } } }, 'exclusiveMinimum'],
    [{ properties: { a: 3 } }, '3 is no schema'],
    [{ properties: { a: { items: null } } }, 'null is no schema'],
    [{ properties: { a: { pattern: '(' } } }, 'pattern'],
    [{ patternProperties: { '[': {} } }, 'patternProperties'],
    [{ properties: { a: { multipleOf: 0 } } }, 'multipleOf'],
    [{ anyOf: { type: 'object' } }, 'anyOf'],
    [{ properties: { a: { type: [] } } }, 'type'],
    [{ properties: { b: { items: { $ref: '#/$defs/gone' } } } }, '#/$defs/gone leads nowhere'],
    [{ properties: { b: { $ref: 'https://example.com/gone.json' } } }, 'leads nowhere'],
    [{ properties: { b: { $dynamicRef: '#b' } } }, '$dynamicRef'],
    [{ $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }, 'in a circle'],
    [{ anyOf: [{ $ref: '#' }, {}] }, 'in a circle'],
  ])('is refused at once, whatever the input: %j', (schema, words) => {
    expect(check({ a: 1 }, schema as JsonSchema)?.code).toBe('failed')
    expect(used(schema)).toContain(words)
  })

  it('may hold invalid schemas where nothing refers to them', () => {
    expect(
      used({ 'x-note': { $ref: '#/nowhere', type: 3 }, $defs: { b: { type: 'strin' } } }),
    ).toBe(undefined)
  })

  it('may be recursive', () => {
    const tree = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
    }
    expect(check({ name: 'a', children: [{ name: 'b', children: [] }] }, tree)).toBeNull()
    expect(
      check({ name: 'a', children: [{ name: 'b', children: [{}] }] }, tree)?.message,
    ).toContain("'children.0.children.0' must have required property 'name'")
  })

  it('may be frozen, and is not changed', () => {
    const part = Object.freeze({ type: 'integer', nullable: true })
    const schema = Object.freeze({ properties: Object.freeze({ a: part, b: part }) })
    const text = JSON.stringify(schema)
    expect(check({ a: 1, b: null }, schema)).toBeNull()
    expect(JSON.stringify(schema)).toBe(text)
    expect(Reflect.ownKeys(schema)).toEqual(['properties'])
  })

  it("may come from OpenAPI, where 'nullable' allows null", () => {
    const schema = { properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } } }
    expect(check({ a: null }, schema)).toBeNull()
    expect(check({ b: null }, schema)).not.toBeNull()
  })

  it('may have a list of schemas as items, as in draft 7', () => {
    const pair = { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } }
    expect(check({ a: ['x', 1] }, { properties: { a: pair } })).toBeNull()
    expect(check({ a: ['x', 'y'] }, { properties: { a: pair } })?.message).toContain("'a.1'")
  })
})

describe('an input', () => {
  const within = (schema: JsonSchema, a: JsonValue): string | undefined =>
    /: (.*)\. Expected/s.exec(check({ a }, { properties: { a: schema } })?.message ?? '')?.[1]

  it.each<[JsonSchema, JsonValue, string]>([
    [{ type: 'string' }, 3, "'a' must be string, got 3"],
    [{ type: ['string', 'null'] }, 3, "'a' must be string or null, got 3"],
    [{ enum: ['red', 2] }, 'blue', `'a' must be one of "red", 2, got "blue"`],
    [{ const: { b: 1 } }, 'x', `'a' must be {"b":1}, got "x"`],
    [{ required: ['b', 'c'] }, { b: 1 }, `'a' must have required property 'c', got {"b":1}`],
    [
      { dependentRequired: { b: ['c'] } },
      { b: 1 },
      `'a' must have 'c' where it has 'b', got {"b":1}`,
    ],
    [{ dependencies: { b: ['c'] } }, { b: 1 }, `'a' must have 'c' where it has 'b', got {"b":1}`],
    [
      { dependencies: { b: { required: ['c'] } } },
      { b: 1 },
      `'a' must have required property 'c', got {"b":1}`,
    ],
    [{ additionalProperties: false }, { b: 1 }, `'a' must not have the property 'b', got {"b":1}`],
    [{ additionalProperties: { type: 'string' } }, { b: 1 }, "'a.b' must be string, got 1"],
    [{ unevaluatedProperties: false }, { b: 1 }, `'a' must not have the property 'b', got {"b":1}`],
    [{ properties: { b: false } }, { b: 1 }, "'a.b' must not be there, got 1"],
    [{ prefixItems: [{}], items: false }, [1, 2], "'a.1' must not be there, got 2"],
    [
      { propertyNames: { maxLength: 1 } },
      { bb: 1 },
      `'a' must not have the property 'bb': names must fit {"maxLength":1}, got {"bb":1}`,
    ],
    [{ minProperties: 1 }, {}, "'a' must have 1 properties or more, got {}"],
    [{ maxProperties: 0 }, { b: 1 }, `'a' must have 0 properties or fewer, got {"b":1}`],
    [{ minItems: 1 }, [], "'a' must have 1 items or more, got []"],
    [{ maxItems: 1 }, [1, 2], "'a' must have 1 items or fewer, got [1,2]"],
    [{ contains: { const: 1 } }, [2], `'a' must have an item that fits {"const":1}, got [2]`],
    [{ contains: { const: 1 } }, [], `'a' must have an item that fits {"const":1}, got []`],
    [
      { contains: { const: 1 }, minContains: 2 },
      [1, 3],
      `'a' must have 2 items or more that fit "contains", got [1,3]`,
    ],
    [
      { contains: { const: 1 }, maxContains: 1 },
      [1, 1],
      `'a' must have 1 items or fewer that fit "contains", got [1,1]`,
    ],
    [
      { uniqueItems: true },
      [1, 2, 1],
      "'a' must have each item once, and has the same at 0 and 2, got [1,2,1]",
    ],
    [{ minimum: 1 }, 0, "'a' must be 1 or more, got 0"],
    [{ maximum: 1 }, 2, "'a' must be 1 or less, got 2"],
    [{ exclusiveMinimum: 1 }, 1, "'a' must be more than 1, got 1"],
    [{ exclusiveMaximum: 1 }, 1, "'a' must be less than 1, got 1"],
    [{ multipleOf: 0.01 }, 0.015, "'a' must be a multiple of 0.01, got 0.015"],
    [{ minLength: 3 }, '👩🎈', `'a' must have 3 characters or more, got "👩🎈"`],
    [{ maxLength: 1 }, 'ab', `'a' must have 1 characters or fewer, got "ab"`],
    [{ pattern: '^b.' }, 'a', `'a' must match the pattern ^b., got "a"`],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      "'a' must fit one or more of the schemas in anyOf, got 1; 'a' must be string, got 1; 'a' must be null, got 1",
    ],
    [{ oneOf: [{}, {}] }, 1, "'a' must fit exactly one of the schemas in oneOf, and fits 2, got 1"],
    [{ not: { type: 'number' } }, 1, `'a' must not fit {"type":"number"}, got 1`],
    // oxlint-disable-next-line no-thenable -- A keyword.
    [{ if: {}, then: { type: 'string' } }, 1, "'a' must be string, got 1"],
    [{ properties: { $ref: { type: 'string' } } }, { $ref: 1 }, "'a.$ref' must be string, got 1"],
    [
      { properties: { 'ö ~/%': { type: 'string' } } },
      { 'ö ~/%': 1 },
      "'a.ö ~/%' must be string, got 1",
    ],
    [
      { items: { minimum: 2 } },
      [1, 2, 0],
      "'a.0' must be 2 or more, got 1; 'a.2' must be 2 or more, got 0",
    ],
  ])('with %j is reported with the location and reason: %j', (schema, value, words) => {
    expect(within(schema, value)).toBe(words)
  })

  it("may be a multiple of a fraction, and inherited names don't count as present", () => {
    expect(within({ multipleOf: 0.01 }, 19.99)).toBe(undefined)
    expect(within({ required: ['toString'] }, {})).toContain("'toString'")
  })

  it('may have undefined fields, which count as absent', () => {
    const hooked = { a: undefined, b: 'x', c: [{ d: undefined }] } as unknown as JsonValue
    const text = { type: 'string' }
    const item = { properties: { d: text }, additionalProperties: false }
    const properties = { a: text, b: text, c: { type: 'array', items: item } }
    expect(check(hooked, { properties })).toBeNull()
    expect(check(hooked, { properties, required: ['a'] })?.code).toBe('invalid_params')
  })

  it('is compared in one pass for unique items', () => {
    // In pairs, these would take longer than any test may.
    const numbers = Array.from({ length: 200_000 }, (_, index) => index)
    const things = numbers.map((id) => ({ id }))
    expect(within({ uniqueItems: true }, numbers)).toBe(undefined)
    expect(within({ uniqueItems: true }, things)).toBe(undefined)
    expect(within({ uniqueItems: true }, [...numbers, 7])).toContain('7 and 200000')
    expect(
      within({ uniqueItems: true }, [
        { b: 1, c: 2 },
        { c: 2, b: 1 },
      ]),
    ).toContain('0 and 1')
    expect(within({ uniqueItems: true }, [1, '1', true, [1], { 1: 1 }, null, 'null'])).toBe(
      undefined,
    )
  })

  it('may have very many errors', () => {
    const many = Array.from({ length: 200_000 }, () => 1)
    const texts = { type: 'array', items: { type: 'string' } }
    expect(within(texts, many)).toContain("'a.0' must be string")
    expect(within({ anyOf: [texts, { type: 'array' }] }, many)).toBe(undefined)
  })

  it('may be nested deeply, up to a limit', () => {
    const tree = { type: 'object', properties: { c: { type: 'array', items: { $ref: '#' } } } }
    const nested = (depth: number): JsonValue => {
      let value: JsonValue = {}
      for (let level = 0; level < depth; level++) value = { c: [value] }
      return value
    }
    expect(check(nested(100), tree)).toBeNull()
    const problem = check(nested(1000), tree)
    expect(problem?.code).toBe('invalid_params')
    expect(problem?.message).toContain('the input is nested too deeply')
    expect(check(nested(100_000), tree)?.code).toBe('invalid_params')
  })

  it.each([
    ['allOf', { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] }],
    ['anyOf', { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] }],
  ])('is refused if %s applies a recursive schema twice at each level', (_, a) => {
    let value: JsonValue = {}
    for (let level = 0; level < 60; level++) value = { a: value }
    const schema: JsonSchema = {
      type: 'object',
      $ref: '#/$defs/a',
      $defs: { a: { type: 'object', properties: { a } } },
    }
    expect(check({ a: { a: {} } }, schema)).toBeNull()
    expect(check(value, schema)?.message).toContain('takes more than')
  })

  it('is refused with half a character in a property name', () => {
    expect(check({ '\ud800': 1 }, { additionalProperties: {} })?.code).toBe('invalid_params')
  })
})
