import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Message } from '../../../src/protocol/message.ts'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { portableSchema } from '../../../src/providers/core/schema/portable-schema.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { askWeather, pingTool, replay, sse } from './support/replay.ts'

type Body = JsonObject & { messages: JsonObject[]; tools: { function: JsonObject }[] }

const gemini: ProviderConfig = { provider: 'gemini', model: 'gemini-3.8-flash', apiKey: 'key-123' }
const elsewhere: ProviderConfig = {
  ...gemini,
  provider: 'openai-compatible',
  baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai/',
}

async function sent(
  config: ProviderConfig,
  request: ModelRequest = askWeather,
): Promise<{ readonly url: string; readonly headers: Headers; readonly body: Body }> {
  const requests: Awaited<ReturnType<typeof sent>>[] = []
  const fetch: typeof globalThis.fetch = (url, init) => {
    const body: Body = JSON.parse(String(init?.body))
    requests.push({ url: String(url), headers: new Headers(init?.headers), body })
    return replay('data: [DONE]\n\n')(url, init)
  }
  const turn = await collect(createProvider(config).stream(request, { fetch }))
  if (!requests[0]) throw new Error(turn.error?.message)
  return requests[0]
}

const say = (role: 'user' | 'system', text: string): Message => ({
  role,
  parts: [{ type: 'text', text }],
})
const result = (toolCallId: string): Message => ({
  role: 'tool',
  parts: [
    { type: 'tool-result', toolCallId, toolName: 'ping', output: { type: 'text', value: 'pong' } },
  ],
})
const calling = (ids: readonly string[], metadata?: JsonObject): Message => ({
  role: 'assistant',
  parts: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'ping', input: {} })),
  ...(metadata && { providerMetadata: { gemini: metadata } }),
})
const signed = (signature: string): JsonObject => ({
  extra_content: { google: { thought_signature: signature } },
})
const dummy = signed('skip_thought_signature_validator')

test("requests go to Google's endpoint with a bearer token and no custom headers (G14)", async () => {
  const { url, headers, body } = await sent(gemini)
  expect(url).toBe('https://generativelanguage.googleapis.com/v1beta/openai/chat/completions')
  expect(Object.fromEntries(headers)).toMatchObject({ authorization: 'Bearer key-123' })
  const names = [...headers.keys()]
  expect(names.filter((name) => !/^(accept|authorization|content-type)$/.test(name))).toEqual([])
  expect(body).toMatchObject({ model: 'gemini-3.8-flash', stream: true })
  const proxied = await sent({ ...gemini, baseURL: 'https://me.example' })
  expect(proxied.url).toBe('https://me.example/v1beta/openai/chat/completions')
})

test('a signature goes back only with the call that had it (G4)', async () => {
  const call = { type: 'function', function: { name: 'ping', arguments: '{}' } }
  const stream = sse(
    { choices: [{ delta: { tool_calls: [{ id: 'a', ...call, ...signed('A==') }] } }] },
    { choices: [{ delta: { tool_calls: [{ id: 'b', ...call }] } }] },
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
    '[DONE]',
  )
  const turn = await collect(createProvider(gemini).stream(askWeather, { fetch: replay(stream) }))
  const message: Message = {
    role: 'assistant',
    parts: turn.toolCalls.map((part) => ({ type: 'tool-call', ...part })),
    ...(turn.providerMetadata && { providerMetadata: turn.providerMetadata }),
  }
  const { body } = await sent(gemini, {
    messages: [say('user', 'Hi'), message, result('a'), result('b')],
    tools: [pingTool],
  })
  expect(body.messages[1]).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'a', ...call, ...signed('A==') },
      { id: 'b', ...call },
    ],
  })
})

test.each([
  ['gemini', gemini],
  ['another preset at Google’s address', elsewhere],
])(
  'calls that Gemini did not sign get the signature that it accepts (G5), %s',
  async (_, config) => {
    const { body } = await sent(config, {
      messages: [
        say('user', 'Hi'),
        calling(['a', 'b'], { tool_calls: [] }),
        result('a'),
        result('b'),
      ],
      tools: [],
    })
    expect(body.messages[1]?.['tool_calls']).toMatchObject([dummy, dummy])
  },
)

test('other providers get no such signature', async () => {
  const { body } = await sent(
    { provider: 'openai', api: 'chat', model: 'm', apiKey: 'key-123' },
    {
      messages: [say('user', 'Hi'), calling(['a'], { tool_calls: [signed('A==')] }), result('a')],
      tools: [],
    },
  )
  expect(JSON.stringify(body)).not.toContain('extra_content')
})

test("results carry their tool's name, and live context follows them (G7)", async () => {
  const { body } = await sent(gemini, {
    messages: [say('user', 'Hi'), calling(['a'], { tool_calls: [signed('A==')] }), result('a')],
    tools: [pingTool],
    trailer: 'Now: noon.',
  })
  expect(body.messages.slice(2)).toEqual([
    { role: 'tool', tool_call_id: 'a', name: 'ping', content: 'pong\n\nNow: noon.' },
  ])
})

test('instructions and system messages become one system message (G11)', async () => {
  const { body } = await sent(gemini, {
    ...askWeather,
    instructions: 'Be brief.',
    messages: [say('system', 'Be kind.'), say('user', 'Hi')],
  })
  expect(body.messages).toEqual([
    { role: 'system', content: 'Be brief.\n\nBe kind.' },
    { role: 'user', content: 'Hi' },
  ])
})

test('unsupported fields are left out (G12)', async () => {
  const settings = { seed: 1, parallelToolCalls: false, temperature: 0.5, maxOutputTokens: 9 }
  for (const config of [gemini, elsewhere]) {
    const { body } = await sent({ ...config, ...settings })
    expect(body).toMatchObject({ temperature: 0.5, max_tokens: 9 })
    expect(Object.keys(body)).not.toContain('seed')
    expect(Object.keys(body)).not.toContain('parallel_tool_calls')
  }
})

describe('parameters (G13)', () => {
  const keywords = new Set(
    'type description nullable enum format properties required items minItems maxItems minimum maximum anyOf'.split(
      ' ',
    ),
  )

  /** Names of keywords, not of properties. */
  function used(schema: unknown): string[] {
    if (typeof schema !== 'object' || schema === null) return []
    const { properties = {}, items, anyOf = [], ...rest } = schema as { [name: string]: object }
    const below = [...Object.values(properties), items, ...Object.values(anyOf)]
    return [...Object.keys(rest), ...below.flatMap(used)]
  }

  test.each<[string, JsonObject, JsonObject]>([
    ['none', { type: 'object' }, { type: 'object' }],
    [
      'none, said at length',
      { $schema: 'x', type: 'object', properties: {}, additionalProperties: false },
      { type: 'object' },
    ],
    [
      'words for what can’t be said',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: {
          mail: { type: 'string', format: 'email', minLength: 3, description: 'Whose.' },
          at: { type: 'string', format: 'date-time' },
          n: { type: 'integer', exclusiveMinimum: 0, maximum: 9, default: 5 },
          kind: { const: 'a' },
          size: { enum: [1, 2] },
          on: { const: true },
          mood: { enum: ['good', 'bad', null] },
        },
        required: ['mail', 'gone'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: {
          mail: { type: 'string', description: 'Whose. (minLength: 3; format: email)' },
          at: { type: 'string', format: 'date-time' },
          n: { type: 'integer', description: '(default: 5; exclusiveMinimum: 0)', maximum: 9 },
          kind: { type: 'string', description: '(const: "a")', enum: ['a'] },
          size: { type: 'number', description: '(one of 1, 2)' },
          on: { type: 'boolean', description: '(const: true)' },
          mood: { type: 'string', nullable: true, enum: ['good', 'bad'] },
        },
        required: ['mail'],
      },
    ],
    [
      'types and alternatives',
      {
        type: 'object',
        properties: {
          a: { type: ['string', 'null'], description: 'A.' },
          b: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'B.' },
          c: {
            oneOf: [{ type: 'string' }, { type: 'number', description: 'N.' }],
            description: 'C.',
          },
          d: { type: ['string', 'integer'] },
          e: {
            allOf: [
              { properties: { x: { type: 'string' } }, required: ['x'] },
              { properties: { y: {} } },
            ],
          },
        },
      },
      {
        type: 'object',
        properties: {
          a: { type: 'string', description: 'A.', nullable: true },
          b: { type: 'string', description: 'B.', nullable: true },
          c: {
            anyOf: [
              { type: 'string', description: 'C.' },
              { type: 'number', description: 'N.' },
            ],
          },
          d: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          e: {
            type: 'object',
            properties: { x: { type: 'string' }, y: { type: 'string' } },
            required: ['x'],
          },
        },
      },
    ],
    [
      'lists and what holds anything',
      {
        type: 'object',
        properties: {
          tags: { type: 'array', minItems: 1, uniqueItems: true },
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
          map: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
      {
        type: 'object',
        properties: {
          tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
          pair: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
          map: { type: 'object' },
        },
      },
    ],
    [
      'references, also round in a circle',
      {
        type: 'object',
        properties: {
          tree: { $ref: '#/$defs/node', description: 'Root.' },
          out: { $ref: 'http://x' },
          again: { $ref: '#' },
          never: false,
        },
        required: ['tree', 'never'],
        $defs: {
          node: {
            type: 'object',
            properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } },
          },
        },
      },
      {
        type: 'object',
        properties: {
          tree: {
            type: 'object',
            description: 'Root.',
            properties: { name: { type: 'string' }, next: { type: 'object' } },
          },
          out: { type: 'string' },
          again: { type: 'object' },
        },
        required: ['tree'],
      },
    ],
  ])('%s', (_, schema, expected) => {
    const parameters = portableSchema(schema)
    expect(parameters).toEqual(expected)
    expect(used(parameters).filter((name) => !keywords.has(name))).toEqual([])
  })

  test('references that multiply end', () => {
    const twice = (ref: string): JsonObject => ({
      properties: { a: { $ref: ref }, b: { $ref: ref } },
    })
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`d${at}`, twice(`#/$defs/d${at + 1}`)]),
    )
    expect(portableSchema({ ...twice('#/$defs/d0'), $defs })).toBeDefined()
  })

  test('a tool is sent with portable parameters, or none if it takes no input', async () => {
    const { body } = await sent(gemini)
    expect(body.tools.map((tool) => tool.function)).toEqual([
      {
        name: 'get_weather',
        description: 'The weather of a city.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
      { name: 'ping', description: 'Answers.' },
    ])
  })
})
