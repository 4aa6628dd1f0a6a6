import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { withoutStrictNulls } from '../../../src/providers/core/schema/strict-nulls.ts'
import { messagesPresets } from '../../../src/providers/anthropic/presets.ts'
import { chatPresets } from '../../../src/providers/openai/presets.ts'
import { strictParameters } from '../../../src/providers/core/schema/strict-schema.ts'
import { askWeather, replay, sse } from './support/replay.ts'

const openai: ProviderConfig = {
  provider: 'openai',
  api: 'chat',
  model: 'gpt',
  apiKey: 'sk-123456',
}
const anthropic: ProviderConfig = { provider: 'anthropic', model: 'claude', apiKey: 'sk-ant-1' }

const search = {
  name: 'search',
  description: 'Searches.',
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      words: { type: 'string', minLength: 2, description: 'What for.' },
      limit: { type: 'integer', minimum: 1, default: 10 },
      kind: { enum: ['a', 'b'] },
      sort: { type: 'string', enum: ['up', 'down'] },
      mark: { const: 'x', description: 'Marked.' },
      tags: { type: 'array', items: { type: 'string' } },
      near: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      place: {
        type: 'object',
        properties: { city: { type: 'string' }, zip: { type: ['string', 'null'] } },
        required: ['city'],
      },
    },
    required: ['words', 'place'],
  },
}
const open = {
  name: 'open',
  description: 'Takes anything.',
  inputSchema: { type: 'object', additionalProperties: true },
}

const closed = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

interface Sent {
  readonly bodies: JsonObject[]
  readonly fetch: typeof globalThis.fetch
}

/** Answers in turn; the last one goes on. */
function serve(...answers: readonly (typeof globalThis.fetch)[]): Sent {
  const bodies: JsonObject[] = []
  return {
    bodies,
    fetch: (url, init) => {
      const answer = answers[Math.min(bodies.length, answers.length - 1)] ?? replay('')
      bodies.push(JSON.parse(String(init?.body)))
      return answer(url, init)
    },
  }
}

async function ask(config: ProviderConfig, tools = [search, open]): Promise<JsonObject> {
  const { bodies, fetch } = serve(replay('data: [DONE]\n\n'))
  await collect(createProvider(config).stream({ ...askWeather, tools }, { fetch }))
  return bodies[0] ?? {}
}

test('tools are not strict unless configured', async () => {
  for (const config of [openai, anthropic])
    expect(JSON.stringify(await ask(config))).not.toContain('strict')
})

test('other providers never get strict tools', async () => {
  for (const provider of ['ollama', 'gemini', 'minimax', 'vllm']) {
    const body = await ask({ provider, model: 'm', strictTools: true })
    expect(JSON.stringify(body)).not.toContain('strict')
  }
})

test('OpenAI: every property is required, and optional ones may be null', async () => {
  const { tools } = await ask({ ...openai, strictTools: true })
  const [first, second] = tools as { readonly function: JsonObject }[]
  expect(first?.function).toEqual({
    name: 'search',
    description: 'Searches.',
    strict: true,
    parameters: closed(
      {
        words: { type: 'string', description: 'What for.' },
        limit: { type: ['integer', 'null'], minimum: 1 },
        kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
        sort: { type: ['string', 'null'], enum: ['up', 'down', null] },
        mark: { description: 'Marked.', anyOf: [{ type: 'string', const: 'x' }, { type: 'null' }] },
        tags: { type: ['array', 'null'], items: { type: 'string' } },
        near: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        place: closed({ city: { type: 'string' }, zip: { type: ['string', 'null'] } }, [
          'city',
          'zip',
        ]),
      },
      ['words', 'limit', 'kind', 'sort', 'mark', 'tags', 'near', 'place'],
    ),
  })
  expect(second?.function).not.toHaveProperty('strict')
  expect(second?.function['parameters']).toEqual({
    type: 'object',
    properties: {},
    additionalProperties: true,
  })
})

test('Anthropic: optional properties stay optional', async () => {
  const { tools } = await ask({ ...anthropic, strictTools: true })
  expect(tools).toMatchObject([
    {
      name: 'search',
      strict: true,
      input_schema: {
        properties: { limit: { type: 'integer' } },
        required: ['words', 'place'],
        additionalProperties: false,
      },
    },
    { name: 'open', input_schema: { type: 'object', additionalProperties: true } },
  ])
  expect(JSON.stringify(tools)).not.toContain('minimum')
})

const rules = chatPresets.openai.strict
const limited = messagesPresets.anthropic.strict
if (!rules || !limited) throw new Error('missing rules')

describe('a tool is not strict', () => {
  const property = (value: JsonValue): JsonObject => ({ type: 'object', properties: { a: value } })

  test.each<[string, JsonObject]>([
    ['that takes anything', { type: 'object' }],
    [
      'with open objects',
      { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    ],
    ['with patterns for names', { type: 'object', properties: {}, patternProperties: { x: {} } }],
    ['whose parameters are a choice', { anyOf: [{ type: 'object', properties: {} }] }],
    ['with a value of any kind', property({})],
    ['with a schema that is true', property(true)],
    ['with an object of any kind', property({ type: 'object' })],
    ['with a list of anything', property({ type: 'array' })],
    ['with references', property({ $ref: '#/$defs/a' })],
    ['with conditions', property({ type: 'string', not: { const: 'a' } })],
    ['with a choice of which one is open', property({ anyOf: [{ type: 'string' }, {}] })],
  ])('%s', (_, inputSchema) => {
    expect(strictParameters([{ name: 'x', description: '', inputSchema }], rules)).toEqual([null])
  })

  test("when its request exceeds the vendor's limits", () => {
    const optional = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`p${at}`, { type: 'string' }]),
    )
    const one = {
      name: 'x',
      description: '',
      inputSchema: { type: 'object', properties: optional },
    }
    const strict = strictParameters([one, one, one], limited)
    expect(strict.map((schema) => schema !== null)).toEqual([true, true, false])
    const none = { ...one, inputSchema: { type: 'object', properties: {} } }
    const many = strictParameters(
      Array.from({ length: 22 }, () => none),
      limited,
    )
    expect(many.filter((schema) => schema === null)).toHaveLength(2)
  })
})

test.each<[string, JsonValue, JsonValue]>([
  ['an optional one', { words: 'x', limit: null }, { words: 'x' }],
  [
    'below',
    { place: { city: 'Paris', zip: null }, tags: null },
    { place: { city: 'Paris', zip: null } },
  ],
  ['where null is allowed, it stays', { near: null }, { near: null }],
  [
    'a required one stays, to be refused',
    { words: null, place: null },
    { words: null, place: null },
  ],
  ['what has no schema stays', { other: null }, { other: null }],
  ['no object', null, null],
])('nulls in strict inputs: %s', (_, input, expected) => {
  expect(withoutStrictNulls(input, search.inputSchema)).toEqual(expected)
})

test('nulls in lists and alternatives are removed, too', () => {
  const item = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a'],
  }
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { $ref: '#/$defs/item' } },
      either: { anyOf: [item, { type: 'string' }] },
    },
    $defs: { item },
  }
  expect(
    withoutStrictNulls({ list: [{ a: 'x', b: null }], either: { a: 'y', b: null } }, schema),
  ).toEqual({ list: [{ a: 'x' }], either: { a: 'y' } })
})

const calls = (input: JsonObject): string =>
  sse(
    {
      choices: [
        {
          delta: {
            tool_calls: [
              { index: 0, id: 'a', function: { name: 'search', arguments: JSON.stringify(input) } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    },
    '[DONE]',
  )

test('nulls of optional values are removed from strict calls only', async () => {
  const input = { words: 'x', limit: null, place: { city: 'Paris', zip: null } }
  for (const [config, expected] of [
    [
      { ...openai, strictTools: true },
      { words: 'x', place: { city: 'Paris', zip: null } },
    ],
    [openai, input],
    [{ provider: 'ollama', model: 'm', strictTools: true }, input],
  ] as const) {
    const { fetch } = serve(replay(calls(input)))
    const turn = await collect(
      createProvider(config).stream({ ...askWeather, tools: [search] }, { fetch }),
    )
    expect(turn.toolCalls).toMatchObject([{ input: expected }])
  }
})

test.each([
  [openai, "Invalid schema for function 'search': In context=(), 'limit' is not permitted."],
  [anthropic, 'tools.0: the grammar of the tools is too large.'],
])(
  'when the schemas are refused, the request is repeated without strict, and later ones too',
  async (config, message) => {
    const refusal = replay(JSON.stringify({ error: { message, type: 'invalid_request_error' } }), {
      status: 400,
      headers: { 'content-type': 'application/json' },
    })
    const answer =
      config === openai
        ? sse({ choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }] })
        : sse(
            { type: 'message_start', message: {} },
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
            { type: 'message_stop' },
          )
    const { bodies, fetch } = serve(refusal, replay(answer))
    const provider = createProvider({ ...config, strictTools: true })
    for (let time = 0; time < 2; time++)
      await collect(provider.stream({ ...askWeather, tools: [search] }, { fetch }))
    expect(bodies.map((body) => JSON.stringify(body).includes('"strict":true'))).toEqual([
      true,
      false,
      false,
    ])
  },
)
