import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { defineTool, type JsonSchema } from '../../../src/index.ts'
import {
  checkPatterns,
  isExponential,
  someEffort,
} from '../../../src/client/tools/check-patterns.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

/** Confirmed with recheck 4.5.0 to be exponential, or a high polynomial (`(.*a){20}`). */
const catastrophic = [
  '^(a+)+$',
  '(a|a)*b',
  '(.*a){20}',
  '^(\\w+\\s?)*$',
  '(x+x+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(a|aa)+$',
  '^(a|ab|b)*$',
  '^(\\d+|\\w+)*$',
  '([a-zA-Z]+)*$',
  '^((ab)*)*$',
  '(a*)*b',
  '^([^,]+,?)*$',
  '([a-z]+){2,}x',
  '^(([a-z0-9]+)[-.]?)+@x$',
  '^(?=(a+)+b)',
  '(\\s*\\w+\\s*)*;',
  '(?<word>\\p{L}+)+!',
]

/** Linear, or polynomial of a low degree. */
const harmless: { readonly [name: string]: string } = {
  email: '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$',
  slug: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  trim: '^\\s+|\\s+$',
  csv: '^([^,]*,)*[^,]*$',
  words: '^(\\w+\\s)*\\w+$',
  path: '^(/[^/ ]*)+/?$',
  quoted: '^"(?:[^"\\\\]|\\\\.)*"$',
  groups: '^([0-9a-f]{8})+$',
  base64: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  semver:
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
  url: '^https?:\\/\\/(?:www\\.)?[-a-zA-Z0-9@:%._+~#=]{1,256}\\.[a-zA-Z0-9()]{1,6}\\b(?:[-a-zA-Z0-9()@:%_+.~#?&/=]*)$',
  phone: '^\\+?(\\d{1,3})?[-. (]*(\\d{3})[-. )]*(\\d{3})[-. ]*(\\d{4})$',
  names: "^[\\p{L}]+(?:[ '-][\\p{L}]+)*$",
  'no pattern at all': '([',
}

const expressionsOf = (library: object): [string, string][] =>
  Object.entries(library).flatMap(([name, value]): [string, string][] =>
    value instanceof RegExp ? [[name, value.source]] : [],
  )

/** The patterns in a JSON Schema. */
const patternsOf = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '""']) => JSON.parse(text) as string,
  )

const zodSchemas = [
  z.email(),
  z.url(),
  z.httpUrl(),
  z.uuid(),
  z.guid(),
  z.cuid(),
  z.cuid2(),
  z.ulid(),
  z.nanoid(),
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
  z.base64(),
  z.base64url(),
  z.e164(),
  z.xid(),
  z.ksuid(),
  z.jwt(),
  z.emoji(),
  z.hostname(),
  z.hex(),
  z.iso.date(),
  z.iso.time(),
  z.iso.duration(),
  z.iso.datetime(),
  z.iso.datetime({ offset: true, local: true }),
  z.templateLiteral(['a', z.number(), z.enum(['px', 'em'])]),
] as const
const arkTypes = [
  type('string.email'),
  type('string.uuid'),
  type('string.semver'),
  type('string.ip'),
  type('string.base64'),
]

describe('a pattern', () => {
  test.each(catastrophic)('%s can take forever', (pattern) => {
    expect(isExponential(pattern)).toBe(true)
  })

  test.each([
    ...Object.entries(harmless),
    ...expressionsOf(z.regexes).map(([name, source]) => [`zod ${name}`, source]),
    ...expressionsOf(v).map(([name, source]) => [`valibot ${name}`, source]),
  ])('%s is accepted', (_, pattern) => {
    expect(isExponential(pattern ?? '')).toBe(false)
  })

  it('emitted by zod or arktype is accepted', () => {
    const emitted = [
      ...zodSchemas.map((schema) => z.toJSONSchema(schema)),
      ...arkTypes.map((schema) => schema.toJsonSchema()),
    ].flatMap(patternsOf)
    expect(emitted.length).toBeGreaterThan(20)
    expect(emitted.filter((pattern) => isExponential(pattern))).toEqual([])
  })

  const costly = {
    'optional places in a loop': `(?:${'\\w?'.repeat(200)}!)*$`,
    'many loops': '(a|b|c)*'.repeat(2000),
    'loops in loops': `${'(?:'.repeat(90)}a?${'b?)*'.repeat(90)}`,
    'copies of copies': `${'('.repeat(90)}^${'){3}'.repeat(90)}`,
    'choices of nothing': `(${'a?'.repeat(900)}${'|'.repeat(30_000)})*`,
    'many classes': `(${Array.from({ length: 900 }, (_, at) => `[\\p{L}${at}]`).join('')})*`,
    'open classes': '['.repeat(30_000),
    'open names': '(?<'.repeat(10_000),
    'open properties': '\\p{'.repeat(10_000),
  }
  test.each(Object.entries(costly))('has a bounded cost of analysis: %s', (_, hostile) => {
    const effort = someEffort()
    const { left } = effort
    expect(typeof isExponential(hostile, effort)).toBe('boolean')
    // Whoever overspends ends at once.
    expect(effort.left).toBeGreaterThan(-2 * left)
  })

  it('shares one budget of analysis with the others in its schema', () => {
    const pattern = `(?:${'b?c'.repeat(60)})*!`
    const schemaOf = (count: number): object => ({
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`a${at}`, { type: 'string', pattern }]),
      ),
    })
    expect(() => checkPatterns(schemaOf(3), 'here')).not.toThrow()
    expect(() => checkPatterns(schemaOf(3000), 'here')).toThrow(/may take forever on some inputs/)
  })

  it('nested too deeply to be read is rejected', () => {
    expect(isExponential(`${'('.repeat(50)}a${')'.repeat(50)}`)).toBe(false)
    expect(isExponential(`${'('.repeat(150)}a${')'.repeat(150)}`)).toBe(true)
    expect(isExponential('('.repeat(100_000))).toBe(true)
  })
})

describe('a tool with a costly pattern', () => {
  const pattern = '^(a+)+$'
  const bad = { type: 'string', pattern }
  const toolWith = (property: object, more: object = {}) => ({
    name: 'add',
    description: 'Adds.',
    inputSchema: { type: 'object', properties: { a: property }, ...more } as JsonSchema,
    execute: () => 1,
  })

  test.each([
    ['in a property', toolWith(bad)],
    ['in items', toolWith({ type: 'array', items: bad })],
    ['in a branch', toolWith({ anyOf: [{ type: 'null' }, bad] })],
    ['in a definition', toolWith({ $ref: '#/$defs/default' }, { $defs: { default: bad } })],
    ['as a property’s name', toolWith({}, { patternProperties: { [pattern]: {} } })],
    [
      'in a zod schema',
      { ...toolWith({}), inputSchema: z.object({ a: z.string().regex(/^(a+)+$/) }) },
    ],
  ])('%s is rejected wherever it is registered, and the pattern is named', async (_, tool) => {
    const refusal = expect.objectContaining({
      code: 'schema-unsupported',
      message: expect.stringContaining(pattern),
    })
    const agent = createTestAgent({ script: { steps: [{ text: 'asked' }] } })
    expect(() => defineTool(tool as ReturnType<typeof toolWith>)).toThrow(refusal)
    expect(() => agent.registerTool(tool)).toThrow(refusal)
    expect(() => createTestAgent({ script: { steps: [] }, tools: [tool] })).toThrow(refusal)
    expect(await agent.run('x').result).toMatchObject({ text: 'asked' })
    await agent.dispose()
  })

  it('is not a tool with data that only looks like a pattern', async () => {
    const tool = toolWith({ type: 'object', default: { pattern }, enum: [{ pattern }] })
    const agent = createTestAgent({ script: { steps: [{ text: 'asked' }] }, tools: [tool] })
    expect((await agent.run('x').result).text).toBe('asked')
    await agent.dispose()
  })

  it('is also rejected by extract()', async () => {
    const agent = createTestAgent({ script: { steps: [{ text: '"a"' }] } })
    await expect(agent.extract({ schema: bad, input: 'x' })).rejects.toMatchObject({
      code: 'schema-unsupported',
    })
    await agent.dispose()
  })
})
