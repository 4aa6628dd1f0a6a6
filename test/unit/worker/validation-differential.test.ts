import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonSchema, JsonValue } from '../../../src/protocol/json.ts'
import { ajvValidator } from '../../../src/connect/ajv/index.ts'
import { createValidator, jsonSchemaValidator } from '../../../src/worker/validation/validator.ts'
import { someOf } from '../more.ts'

// Random schemas and values get the same verdict from an independent validator. Left out is where that one
// is known to be wrong, by the official test suite: `unevaluatedItems` beside `contains`, fractions of
// `multipleOf`, names that objects inherit.

const name = fc.constantFrom('a', 'b', 'c', 'long name/~')
const text = fc.constantFrom('', 'a', 'ab', 'b', '👩🎈', 'long name/~')
const number = fc.constantFrom(-1, 0, 1, 2, 3, 4, 1.5)
const few = fc.nat(3)
const pattern = fc.constantFrom('^a', 'b$', '.', '^[^/]*$')

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

const type = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null')
const names = fc.uniqueArray(name, { maxLength: 2 })

interface Grammar {
  readonly schema: unknown
  readonly keywords: JsonSchema
}

const { keywords } = fc.letrec<Grammar>((tie) => {
  const schema = tie('schema')
  const schemas = fc.array(schema, { minLength: 1, maxLength: 3 })
  const named = (key: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
    fc.dictionary(key, schema, { maxKeys: 3, noNullPrototype: true })
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc.constantFrom('#/$defs/one', '#/$defs/two').map(($ref) => ({ $ref })),
      tie('keywords'),
    ),
    keywords: fc.oneof(
      fc.record(
        { type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) },
        { requiredKeys: [] },
      ),
      fc.record(
        { type, nullable: fc.constant(true), title: text, format: fc.constant('date') },
        { requiredKeys: ['type'] },
      ),
      fc.oneof(
        fc.record({ const: value }),
        fc.record({ enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }) }),
      ),
      fc.record(
        { minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number },
        { requiredKeys: [] },
      ),
      fc.record({ multipleOf: fc.constantFrom(1, 2, 3) }),
      fc.record({ minLength: few, maxLength: few, pattern }, { requiredKeys: [] }),
      fc.record(
        {
          properties: named(name),
          patternProperties: named(pattern),
          additionalProperties: schema,
          required: names,
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          propertyNames: schema,
          minProperties: few,
          maxProperties: few,
          dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
          dependentSchemas: named(name),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          prefixItems: schemas,
          items: schema,
          minItems: few,
          maxItems: few,
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        { contains: schema, minContains: few, maxContains: few },
        { requiredKeys: ['contains'] },
      ),
      fc.record(
        { allOf: schemas, anyOf: schemas, oneOf: schemas, not: schema },
        { requiredKeys: [] },
      ),
      // oxlint-disable-next-line no-thenable -- A keyword.
      fc.record({ if: schema, then: schema, else: schema }),
      fc.record(
        { properties: named(name), allOf: schemas, unevaluatedProperties: schema },
        { requiredKeys: ['unevaluatedProperties'] },
      ),
    ),
  }
})

const input = fc.tuple(
  fc
    .record({ root: keywords, one: keywords, two: keywords })
    .map(({ root, one, two }): JsonSchema => ({ ...root, $defs: { one, two } })),
  fc.array(value, { minLength: 5, maxLength: 10 }),
)

/** Null where the other validator can't tell: the code that it generates for a few schemas is wrong. */
function otherVerdicts(schema: JsonSchema, values: readonly JsonValue[]): boolean[] | null {
  try {
    const check = new Ajv2020({ strict: false, logger: false, validateFormats: false }).compile(
      schema,
    )
    return values.map((value) => check(value))
  } catch {
    return null
  }
}

test('for random schemas and values, the result equals that of another validator', () => {
  let compared = 0
  fc.assert(
    fc.property(input, ([schema, values]) => {
      const verdicts = otherVerdicts(schema, values)
      if (verdicts === null) return
      const ours = outcome(() =>
        values.map((each) => jsonSchemaValidator.validate(schema, each).length === 0),
      )
      // Neither can do anything with references that lead round in a circle.
      if (ours === 'Its $refs lead round in a circle.') return
      expect({ schema, values, ours }).toEqual({ schema, values, ours: verdicts })
      compared += values.length
    }),
    { numRuns: someOf(300) },
  )
  expect(compared).toBeGreaterThan(100)
})

function outcome<Found>(check: () => Found): Found | string {
  try {
    return check()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test('with Ajv in front, random values get the same results and messages', () => {
  const both = createValidator(ajvValidator())
  let accepted = 0
  fc.assert(
    fc.property(input, ([schema, values]) => {
      for (const each of [...values, { a: undefined, b: values[0] }]) {
        const alone = outcome(() => jsonSchemaValidator.validate(schema, each))
        expect({ schema, each, found: outcome(() => both.validate(schema, each)) }).toEqual({
          schema,
          each,
          found: alone,
        })
        if (Array.isArray(alone) && alone.length === 0) accepted += 1
      }
    }),
    { numRuns: someOf(300) },
  )
  expect(accepted).toBeGreaterThan(50)
})
