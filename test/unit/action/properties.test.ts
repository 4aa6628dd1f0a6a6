import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createActionScanner, formatAction, parseAction } from '../../../src/action/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { canonical, tool, tools } from './harness.ts'
import { someOf } from '../more.ts'
import { anyCharacter } from '../any-character.ts'

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.constantFrom(
    '</p0>',
    ']]>',
    '<![CDATA[x]]>',
    '\n a\n',
    '&lt;',
    '007',
    'null',
    '<item>x</item>',
    ' \r\n',
    '</ACTION>',
  ),
)
const scalar = fc.oneof(
  text.map((value) => [{ type: 'string' }, value] as const),
  fc.maxSafeInteger().map((value) => [{ type: 'integer' }, value] as const),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => [{ type: 'number' }, value || 0] as const),
  fc.boolean().map((value) => [{ type: 'boolean' }, value] as const),
  fc
    .jsonValue({ maxDepth: 2, noUnicodeString: false })
    .filter((value) => !canonical(value).includes('__proto__'))
    .map((value) => [{ type: 'object', additionalProperties: true }, { free: value }] as const),
)
const listed = fc.oneof(
  scalar,
  fc
    .array(text, { maxLength: 4 })
    .map((value) => [{ type: 'array', items: { type: 'string' } }, value] as const),
  fc
    .array(fc.array(fc.integer(), { maxLength: 3 }), { maxLength: 3 })
    .map(
      (value) =>
        [{ type: 'array', items: { type: 'array', items: { type: 'integer' } } }, value] as const,
    ),
)
const nested = fc.array(listed, { minLength: 1, maxLength: 3 }).map((entries) => {
  const named = entries.map(([schema, value], at) => [`k${at}`, schema, value] as const)
  const properties = Object.fromEntries(named.map(([key, schema]) => [key, schema]))
  const value = Object.fromEntries(named.map(([key, , entry]) => [key, entry]))
  return [{ type: 'object', properties }, value] as const
})

describe('formatting', () => {
  it('reads back as the same calls, for any tool and values', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(listed, nested), { maxLength: 4 }), (parameters) => {
        const properties = Object.fromEntries(parameters.map(([schema], at) => [`p${at}`, schema]))
        const input = Object.fromEntries(
          parameters.map(([, value], at) => [`p${at}`, value]),
        ) as JsonObject
        const made = [tool('make', properties), tool('other', { p0: { type: 'string' } })]
        const calls = [
          { toolName: 'make', input },
          { toolName: 'other', input: { p0: 'x' } },
        ]
        const read = parseAction(formatAction(calls, made), made)
        expect(read.error).toBeUndefined()
        expect(canonical(read.calls)).toBe(canonical(calls))
      }),
      { numRuns: someOf(500), seed: 7 },
    )
  })
})

/** Names that some part of the format has, too. */
const toolNames = [
  'make',
  'ACTION',
  'action',
  'Action',
  'think',
  'tool_call',
  'tool_calls',
  'invoke',
]
const names = ['make', 'query', 'item', 'ACTION', 'action', 'parameter', 'name', 'a b', 'toString']
const json = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: false })
  .filter((value) => !canonical(value).includes('__proto__'))
  .map((value) => (Object.is(value, -0) ? 0 : value))
const string = { type: 'string' }
const nothing = { type: 'null' }
const words = fc.oneof(text, fc.constantFrom('null', 'true', '5', '', ' ', '[]', '{}', '1', 'cats'))
/** Values that text and elements can't always say. */
const ambiguous = fc.oneof(
  json.map((value) => [{}, value] as const),
  fc.array(json, { maxLength: 3 }).map((value) => [{ type: 'array' }, value] as const),
  fc
    .option(words)
    .chain((value) =>
      fc
        .constantFrom(
          { type: ['string', 'null'] },
          { type: 'string', nullable: true },
          { anyOf: [string, nothing] },
          { oneOf: [nothing, string] },
        )
        .map((schema) => [schema, value] as const),
    ),
  fc
    .oneof(words, fc.integer(), fc.boolean())
    .map((value) => [{ type: ['string', 'integer', 'boolean'] }, value] as const),
  fc
    .option(fc.array(words, { maxLength: 2 }))
    .map((value) => [{ type: ['array', 'null'], items: string }, value] as const),
  fc
    .constantFrom(1, '1', null, 'null', 'Yes', 'yes')
    .map((value) => [{ enum: ['1', 1, null, 'null', 'yes', 'Yes'] }, value] as const),
  fc
    .dictionary(fc.constantFrom(...names, 'é', '1a', '<'), words, {
      maxKeys: 3,
      noNullPrototype: true,
    })
    .map((value) => [{ type: 'object', additionalProperties: string }, value] as const),
)
const within = (value: typeof ambiguous): typeof ambiguous =>
  fc
    .tuple(fc.constantFrom(...names), value)
    .map(
      ([name, [schema, inner]]) =>
        [{ type: 'object', properties: { [name]: schema } }, { [name]: inner }] as const,
    )

describe('formatting of easily misread input', () => {
  it('reads back as the same calls, for any names and values', () => {
    const value = fc.oneof(listed, nested, ambiguous, within(ambiguous), within(within(ambiguous)))
    const made = fc.record({
      toolName: fc.constantFrom(...toolNames),
      parameters: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), value), {
        maxLength: 4,
        selector: ([name]) => name,
      }),
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(made, { maxLength: 3, minLength: 1, selector: (t) => t.toolName }),
        (list) => {
          const definitions = list.map(({ toolName, parameters }) =>
            tool(
              toolName,
              Object.fromEntries(parameters.map(([name, [schema]]) => [name, schema])),
            ),
          )
          const calls = list.map(({ toolName, parameters }) => ({
            toolName,
            input: Object.fromEntries(
              parameters.map(([name, [, inner]]) => [name, inner]),
            ) as JsonObject,
          }))
          for (const given of [calls, calls.toReversed()]) {
            const read = parseAction(formatAction(given, definitions), definitions)
            expect(read.error).toBeUndefined()
            expect(canonical(read.calls)).toBe(canonical(given))
          }
        },
      ),
      { numRuns: someOf(1500), seed: 5 },
    )
  })
})

describe('promptness', () => {
  it('emits plain text with the chunk that contains it', () => {
    const word = fc.stringMatching(/^[b-z ,.!?äö]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const scanner = createActionScanner(tools)
        scanner.push('So ')
        for (const piece of words) {
          const parts = scanner.push(piece)
          expect(parts).toEqual([{ type: 'text-delta', delta: piece }])
        }
      }),
      { seed: 3 },
    )
  })
})
