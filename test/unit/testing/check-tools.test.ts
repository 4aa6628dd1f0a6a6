import { expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/protocol/json.ts'
import { checkTools } from '../../../src/testing/index.ts'

const tool = (inputSchema: JsonSchema) => ({
  name: 'find',
  description: 'Finds things.',
  inputSchema,
  execute: () => 'Found.',
})

const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

test.each<[string, JsonSchema, readonly (readonly [path: string, message: string])[]]>([
  [
    'misspelt keywords',
    { type: 'object', properties: { a: { typ: 'string' } }, requierd: ['a'] },
    [
      ['', 'unknown keyword: "requierd"'],
      ['/properties/a', 'unknown keyword: "typ"'],
    ],
  ],
  [
    'keywords in lists, names and branches',
    {
      type: 'object',
      properties: {
        'a/b': { type: 'array', items: { type: 'string', minlength: 1 } },
        c: { anyOf: [{ type: 'string' }, { type: 'number', maximun: 3 }] },
      },
      $defs: { d: { type: 'object', propertys: {} } },
    },
    [
      ['/properties/a~1b/items', 'unknown keyword: "minlength"'],
      ['/properties/c/anyOf/1', 'unknown keyword: "maximun"'],
      ['/$defs/d', 'unknown keyword: "propertys"'],
    ],
  ],
  [
    'a required property that is not defined',
    { type: 'object', properties: { place }, required: ['palce'] },
    [['', 'required property "palce" is not defined at "#" (strictRequired)']],
  ],
  [
    'a keyword that the type ignores',
    { type: 'object', properties: { a: { type: 'string', minimum: 3 } } },
    [['/properties/a', 'missing type "number" for keyword "minimum" at "#" (strictTypes)']],
  ],
  [
    'a value that a keyword can not have',
    { type: 'object', properties: { a: { type: 'string', minLength: '3' } } },
    [['/properties/a', expect.stringContaining('minLength must be integer') as string]],
  ],
  [
    'a reference that leads nowhere',
    { type: 'object', properties: { a: { $ref: '#/$defs/none' } } },
    [['', expect.stringContaining('#/$defs/none') as string]],
  ],
  ['no object', { type: 'string' }, [['', expect.stringContaining('JSON Schema like') as string]]],
])('checkTools reports %s with its place', (_, schema, problems) => {
  expect(checkTools([tool(schema)])).toEqual(
    problems.map(([path, message]) => ({ tool: 'find', path, message })),
  )
})

test.each<[string, JsonSchema]>([
  ['nothing', {}],
  ['a plain schema', { type: 'object', properties: { place }, required: ['place'] }],
  ['several types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }],
  ['a format', { type: 'object', properties: { a: { type: 'string', format: 'date' } } }],
  [
    'a recursive schema',
    {
      type: 'object',
      properties: { next: { $ref: '#' }, x: { $ref: '#/$defs/x' } },
      $defs: { x: place },
    },
  ],
  [
    'branches about properties of the schema around',
    {
      type: 'object',
      properties: { a: {}, b: {} },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
  ],
  [
    'annotations',
    {
      type: 'object',
      title: 'T',
      properties: { a: { type: 'string', default: 'x', examples: ['y'], description: 'A.' } },
    },
  ],
])('checkTools finds no problem in a tool with %s', (_, schema) => {
  expect(checkTools([tool(schema)])).toEqual([])
})
