import { describe, expect, it } from 'vitest'
import type { JsonSchema, JsonValue } from '../../../src/protocol/json.ts'
import { createAjvValidator } from '../../../src/worker/validation/ajv-validator.ts'
import { createCfworkerValidator } from '../../../src/worker/validation/cfworker-validator.ts'
import { checkInput } from '../../../src/worker/validation/check-input.ts'

const validators = { ajv: createAjvValidator(), cfworker: createCfworkerValidator() }

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

const check = (validator: keyof typeof validators, input: JsonValue, inputSchema = person) =>
  checkInput(validators[validator], { name: 'save', description: '', inputSchema }, input)

describe('checkInput with ajv', () => {
  it.each([{ type: 'strin' }, { properties: 3 }, { required: 'name' }])(
    'words %j, which is no schema',
    (schema) => {
      expect(check('ajv', { name: 'A' }, schema as JsonSchema)?.code).toBe('failed')
    },
  )
})

describe.each(['ajv', 'cfworker'] as const)('checkInput with %s', (validator) => {
  it('accepts what fits, local references included', () => {
    expect(
      check(validator, { name: 'A', age: 3, mood: 'good', address: { street: 'x' } }),
    ).toBeNull()
    expect(check(validator, { name: 'A', friends: [{ street: 'x' }] })).toBeNull()
  })

  it.each([
    [{ name: 'A', address: { street: 3 } }, 'address.street'],
    [{ name: 'A', friends: [{ street: 'x' }, {}] }, 'friends.1'],
    [{ name: 'A', mood: 'fine' }, 'mood'],
    [{ name: 'A', age: '3' }, 'age'],
  ] as const)('names the place of what is wrong in %j', (input, place) => {
    const problem = check(validator, input)
    expect(problem?.code).toBe('invalid_params')
    expect(problem?.message).toContain(`'${place}'`)
  })

  it('names missing and unknown parameters, and what was probably meant', () => {
    const problem = check(validator, { nam: 'A' })
    expect(problem?.message).toMatch(/unknown parameter 'nam', did you mean 'name'\?/)
    expect(problem?.message).toContain("missing required 'name'")
    expect(problem?.message).toContain('Expected: name (string, required), age (integer, optional)')
    expect(problem?.suggestion).toBe('name')
  })

  it('refuses unknown parameters unless the schema allows them explicitly', () => {
    expect(check(validator, { name: 'A', toString: 1 })).not.toBeNull()
    expect(
      check(validator, { name: 'A', extra: 1 }, { ...person, additionalProperties: true }),
    ).toBeNull()
    expect(check(validator, { anything: 1 }, { type: 'object' })).toBeNull()
  })

  it('checks no format, which is for the model to read', () => {
    const schema = { type: 'object', properties: { day: { type: 'string', format: 'date' } } }
    expect(check(validator, { day: 'Monday' }, schema)).toBeNull()
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
    expect(check(validator, { a: { n: 1 } }, schema)).toBeNull()
    expect(check(validator, { a: {} }, schema)).not.toBeNull()
    // The same `$id` in another tool's schema is no conflict.
    expect(check(validator, { a: {} }, { ...schema, title: 'another' })).not.toBeNull()
  })

  it('words a schema that cannot be used, and does not throw', () => {
    const problem = check(validator, {}, { $ref: '#/nowhere' })
    expect(problem?.code).toBe('failed')
  })

  it('takes a schema of another draft for what it says', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { n: { type: 'integer' } },
    }
    expect(check(validator, { n: 1 }, schema)).toBeNull()
    expect(check(validator, { n: 'x' }, schema)?.code).toBe('invalid_params')
  })
})
