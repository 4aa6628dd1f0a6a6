import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messagesProvider } from '../../../src/providers/anthropic/define-messages.ts'
import { chatProvider } from '../../../src/providers/openai/define-chat.ts'
import type { HttpProviderDefinition } from '../../../src/providers/provider.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { chatFixtures } from '../../fixtures/providers/openai.ts'
import { messagesFixtures } from '../../fixtures/providers/anthropic.ts'
import { askWeather, replay, sse } from './support/replay.ts'
import { readTurn } from './support/streams.ts'
import { eachNth, someOf } from '../more.ts'

const encoder = new TextEncoder()

const formats: readonly (readonly [
  string,
  HttpProviderDefinition<unknown> | undefined,
  readonly { readonly chunks: readonly unknown[] }[],
])[] = [
  ['Chat Completions', chatProvider('openai'), chatFixtures],
  ['Messages', messagesProvider('anthropic'), messagesFixtures],
]

/** The value with one place in it replaced. */
function replaced(value: unknown, place: number, by: unknown): unknown {
  let at = 0
  const walk = (inner: unknown): unknown => {
    if (at++ === place) return by
    if (Array.isArray(inner)) return inner.map(walk)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, field]) => [name, walk(field)]))
  }
  return walk(value)
}

const junk = fc.oneof(
  fc.constantFrom(null, '', 0, -1, '7', true, [], {}, [null], [[]], { error: null }),
  fc.jsonValue({ maxDepth: 2 }),
)

describe.each(formats)('%s', (_, definition, fixtures) => {
  if (!definition) throw new Error('missing preset')

  test('a field of a wrong type never crashes the reader', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fixtures),
        fc.nat(60),
        fc.nat(20),
        junk,
        async (fixture, place, index, by) => {
          const chunks = fixture.chunks.map((chunk, at) =>
            at === index % fixture.chunks.length ? replaced(chunk, place, by) : chunk,
          )
          const turn = await readTurn(definition, encoder.encode(sse(...chunks)))
          expect(turn.error?.code).not.toBe('internal')
          if (turn.error)
            expect(turn.toolCalls.every((call) => call.input === undefined)).toBe(true)
        },
      ),
      { numRuns: someOf(2_000) },
    )
  })

  test('any bytes result in a turn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const turn = await readTurn(definition, bytes, 3)
        expect(turn.error).toBeDefined()
      }),
      { numRuns: someOf(300) },
    )
  })
})

/** Valid JSON, as text, that often breaks code. */
const odd: readonly string[] = [
  '{"toString":1,"valueOf":1}',
  '{"toJSON":1,"length":-1}',
  '[{"toString":1}]',
  '[[[]]]',
  '"toString"',
  '"__proto__"',
  '-1',
  'true',
  'null',
  '{"__proto__":{"x":1},"constructor":null}',
  '1e400',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
]

/** Events with each key that any reader uses, in its usual place. */
const places: readonly ((value: unknown) => object)[] = [
  ...[
    'index',
    'type',
    'id',
    'object',
    'error',
    'usage',
    'choices',
    'delta',
    'message',
    'detail',
    'content_block',
    'code',
    'status',
    'base_resp',
  ].flatMap((key) => [
    (value: unknown) => ({ [key]: value }),
    (value: unknown) => ({ type: 'error', error: { [key]: value } }),
    (value: unknown) => ({
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'tool_use', name: 'ping', [key]: value },
    }),
    (value: unknown) => ({ type: 'content_block_start', index: 4, [key]: value }),
    (value: unknown) => ({ type: 'content_block_delta', index: 0, [key]: value }),
    (value: unknown) => ({ type: 'message_start', message: { [key]: value } }),
    (value: unknown) => ({ choices: [{ index: 0, [key]: value }] }),
  ]),
  ...[
    'role',
    'content',
    'reasoning',
    'reasoning_content',
    'reasoning_details',
    'tool_calls',
    'function_call',
    'refusal',
    'error',
  ].flatMap((key) => [
    (value: unknown) => ({ choices: [{ index: 0, delta: { [key]: value } }] }),
    (value: unknown) => ({ choices: [{ index: 0, message: { [key]: value } }] }),
    (value: unknown) => ({ choices: [{ index: 0, delta: { [key]: [value] } }] }),
  ]),
  ...[
    'id',
    'index',
    'type',
    'function',
    'custom',
    'name',
    'arguments',
    'input',
    'extra_content',
  ].flatMap((key) => [
    (value: unknown) => ({ choices: [{ index: 0, delta: { tool_calls: [{ [key]: value }] } }] }),
    (value: unknown) => ({
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, function: { name: 'ping', [key]: value } }] },
        },
      ],
    }),
    (value: unknown) => ({
      type: 'content_block_start',
      index: 5,
      content_block: { type: 'tool_use', name: 'ping', [key]: value },
    }),
  ]),
  ...[
    'type',
    'text',
    'thinking',
    'signature',
    'partial_json',
    'citation',
    'content',
    'stop_reason',
  ].flatMap((key) => [
    ...[
      'text_delta',
      'thinking_delta',
      'signature_delta',
      'input_json_delta',
      'citations_delta',
      'compaction_delta',
    ].map((type) => (value: unknown) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type, [key]: value },
    })),
    (value: unknown) => ({ type: 'message_delta', delta: { [key]: value } }),
  ]),
  ...['prompt_tokens', 'completion_tokens_details', 'input_tokens', 'iterations'].flatMap((key) => [
    (value: unknown) => ({ choices: [], usage: { [key]: value } }),
    (value: unknown) => ({ type: 'message_delta', usage: { [key]: value } }),
  ]),
]

describe.each(['openai', 'minimax', 'anthropic'])('unusual values, %s', (provider) => {
  const config = { provider, model: 'm', apiKey: 'sk-abcdefghijklmnop' }
  const started =
    provider === 'openai'
      ? { choices: [{ index: 0, delta: { content: 'Hi' } }] }
      : { type: 'message_start', message: {} }

  test.each(odd.map((text) => [text.slice(0, 30), text]))('%s under every key', async (_, text) => {
    for (const place of eachNth(6, places)) {
      const event = JSON.stringify(place('ODD')).replace('"ODD"', text)
      const body = sse(started, event, '[DONE]')
      for (const raw of [false, true]) {
        const parts: StreamPart[] = []
        const stream = createProvider(config).stream(
          { ...askWeather, raw },
          { fetch: replay(body) },
        )
        for await (const part of stream) parts.push(part)
        const last = parts.at(-1)
        expect(['finish', 'error']).toContain(last?.type)
        expect(last?.type === 'error' && last.error.code).not.toBe('internal')
      }
    }
  })
})

test('names like __proto__ are treated as plain names', async () => {
  const call = (name: string) => ({
    choices: [
      {
        delta: {
          tool_calls: [
            { index: 0, id: 'a', function: { name, arguments: '{"__proto__":{"x":1}}' } },
          ],
        },
        finish_reason: 'constructor',
      },
    ],
  })
  const definition = chatProvider('openai')
  if (!definition) throw new Error('missing preset')
  const turn = await readTurn(definition, encoder.encode(sse(call('__proto__'), '[DONE]')))
  expect(turn.toolCalls[0]?.toolName).toBe('__proto__')
  expect(turn.finishReason).toBe('tool-calls')
  expect(({} as { x?: number }).x).toBeUndefined()
})
