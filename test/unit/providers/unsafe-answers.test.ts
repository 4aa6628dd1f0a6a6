import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { ModelConfigData } from '../../../src/protocol/model.ts'
import { collect, createProvider } from '../../../src/providers/index.ts'
import { askWeather, replay, sse } from './support/replay.ts'

// Answers that must not run, or must not go on, in each wire format.

interface Format {
  readonly name: string
  readonly config: ModelConfigData
  /** Whole answers with one call. `end`: the word for the end; `refusal`: beside the call. */
  answer(args: string, options?: { readonly end?: string; readonly refusal?: boolean }): string
  /** Something of an answer, with this text. */
  text(text: string): string
}

const key = { model: 'm', apiKey: 'sk-dummy-0123456789' }

const formats: readonly Format[] = [
  {
    name: 'Chat Completions',
    config: { provider: 'openai-compatible', baseURL: 'https://model.example/v1', ...key },
    answer(args, { end = 'tool_calls', refusal } = {}) {
      const call = { index: 0, id: 'c1', function: { name: 'get_weather', arguments: args } }
      return sse(
        { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
        ...(refusal ? [{ choices: [{ index: 0, delta: { refusal: 'No.' } }] }] : []),
        { choices: [{ index: 0, delta: {}, finish_reason: end }] },
        '[DONE]',
      )
    },
    text: (content) => sse({ choices: [{ index: 0, delta: { content } }] }),
  },
  {
    name: 'Messages',
    config: { provider: 'anthropic', ...key },
    answer: (args, { end = 'tool_use', refusal } = {}) =>
      sse(
        { type: 'message_start', message: { id: 'm1' } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'c1', name: 'get_weather', input: {} },
        },
        {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json: args },
        },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: refusal ? 'refusal' : end } },
        { type: 'message_stop' },
      ),
    text: (text) =>
      sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  },
  {
    name: 'Responses',
    config: { provider: 'openai', ...key },
    answer(args, { end, refusal } = {}) {
      const call = { type: 'function_call', id: 'f1', call_id: 'c1', name: 'get_weather' }
      const message = { type: 'message', id: 'm1', content: [{ type: 'refusal', refusal: 'No.' }] }
      const items: JsonObject[] = [
        { ...call, arguments: args },
        ...(refusal ? [message as unknown as JsonObject] : []),
      ]
      const status = end === undefined ? 'completed' : 'incomplete'
      const details = end === undefined ? {} : { incomplete_details: { reason: end } }
      return sse(
        ...items.flatMap((item, at) => [
          { type: 'response.output_item.added', output_index: at, item: { ...item, content: [] } },
          { type: 'response.output_item.done', output_index: at, item },
        ]),
        { type: `response.${status}`, response: { id: 'r1', status, output: items, ...details } },
      )
    },
    text: (delta) => sse({ type: 'response.output_text.delta', item_id: 'm1', delta }),
  },
]

const read = ({ config }: Format, body: string) =>
  collect(createProvider(config).stream(askWeather, { fetch: replay(body, { pieceSize: 11 }) }))

describe.each(formats)('a complete call in $name', (format) => {
  test('runs when nothing is wrong with its answer', async () => {
    const { toolCalls } = await read(format, format.answer('{"city":"Rome"}'))
    expect(toolCalls).toMatchObject([{ input: { city: 'Rome' } }])
  })

  test('does not run when a content filter ended its answer', async () => {
    const body = format.answer('{"city":"Rome"}', { end: 'content_filter' })
    const { toolCalls, finishReason } = await read(format, body)
    expect(finishReason).toBe('content-filter')
    expect(toolCalls).toMatchObject([{ error: {} }])
    expect(toolCalls[0]).not.toHaveProperty('input')
  })

  test('does not run beside a refusal', async () => {
    const body = format.answer('{"city":"Rome"}', { refusal: true })
    const { toolCalls, finishReason } = await read(format, body)
    expect(finishReason).toBe('content-filter')
    expect(toolCalls[0]).not.toHaveProperty('input')
  })

  test.each(['9007199254740993', '-12345678901234567890', '9.007199254740993e15', '1e400'])(
    'does not run with a number that would be rounded: %s',
    async (number) => {
      const { toolCalls } = await read(format, format.answer(`{"city":"Rome","id":[${number}]}`))
      expect(toolCalls).toMatchObject([{ error: { code: 'invalid-json' } }])
      expect(toolCalls[0]?.error?.message).toContain(number)
    },
  )

  test('runs with numbers that are exact, and with digits in a text', async () => {
    const args =
      '{"city":"9007199254740993","id":[9007199254740991,9007199254740992,6.02e23,0.1234567890123456789]}'
    const { toolCalls } = await read(format, format.answer(args))
    expect(toolCalls[0]?.input).toEqual({
      city: '9007199254740993',
      id: [Number.MAX_SAFE_INTEGER, 2 ** 53, 6.02e23, 0.12345678901234568],
    })
  })
})

const [chat, messages] = formats as [Format, Format]

test('a call with object arguments does not run with a rounded number', async () => {
  for (const number of ['9007199254740993', '10000000000000000000001']) {
    const body = chat
      .answer('{}')
      .replace('"arguments":"{}"', `"arguments":{"city":"Rome","id":${number}}`)
    const { toolCalls } = await read(chat, body)
    expect(toolCalls).toMatchObject([{ error: { code: 'invalid-json' } }])
  }
})

test.each([
  ['in a part of the content', { content: [{ type: 'refusal', refusal: 'No.' }] }],
  ['without a finish reason', { refusal: 'No.' }],
])('in Chat Completions, a call beside a refusal %s does not run', async (how, delta) => {
  const call = {
    index: 0,
    id: 'c1',
    function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
  }
  const body = sse(
    { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
    { choices: [{ index: 0, delta }] },
    ...(how.startsWith('in')
      ? [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]
      : []),
    '[DONE]',
  )
  const turn = await read(chat, body)
  expect(turn.text).toBe('No.')
  expect(turn.toolCalls[0]).not.toHaveProperty('input')
})

const alternative = {
  delta: {
    tool_calls: [
      { index: 0, id: 'c1', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
    ],
  },
}

test.each<[string, readonly object[][]]>([
  [
    'without a number, beside one that ends',
    [[{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }, alternative]],
  ],
  [
    'without a number, before the end of the first',
    [[{ delta: { content: 'Hi.' } }, alternative], [{ delta: {}, finish_reason: 'stop' }]],
  ],
  [
    'before one that ends, in one chunk',
    [
      [
        { index: 1, ...alternative },
        { index: 0, delta: {}, finish_reason: 'stop' },
      ],
    ],
  ],
  [
    'before one that ends',
    [[{ index: 1, ...alternative }], [{ index: 0, delta: {}, finish_reason: 'stop' }]],
  ],
])('in Chat Completions, a call of a choice %s does not run', async (_, chunks) => {
  const body = sse(...chunks.map((choices) => ({ choices })), '[DONE]')
  const { toolCalls } = await read(chat, body)
  expect(toolCalls.filter((call) => 'input' in call)).toEqual([])
})

describe('an endless answer', () => {
  const drips: readonly (readonly [string, Format, string])[] = [
    ['comments', chat, ': wait\n\n'],
    ['empty deltas', chat, sse({ choices: [{ index: 0, delta: {} }] })],
    ['empty texts', chat, chat.text('')],
    ['spaces', chat, chat.text(' \n')],
    ['unknown events', chat, sse({ ping: 1 })],
    ['pings', messages, sse({ type: 'ping' })],
    [
      'spaces of arguments',
      chat,
      sse({
        choices: [
          { index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ' ' } }] } },
        ],
      }),
    ],
  ]
  const waits = [
    ['from the start', false, 'first-chunk'],
    ['after words', true, 'idle'],
  ] as const

  test.each(drips.flatMap((drip) => waits.map((wait) => [...drip, ...wait] as const)))(
    'with $0 ends with a time-out, $3',
    async (...[, format, drip, , hasWords, phase]) => {
      // Error handling loads a module, which takes real time.
      const never = new Promise<{ error?: undefined }>((resolve) => setTimeout(resolve, 2_000, {}))
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      let pieces = 0
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (pieces > 0) await new Promise((resolve) => setTimeout(resolve, 30))
          const isFirst = pieces++ === 0
          controller.enqueue(
            new TextEncoder().encode(isFirst && hasWords ? format.text('Hi') : drip),
          )
        },
      })
      const config = { ...format.config, timeouts: { firstChunkMs: 200, idleMs: 100 } }
      const fetch = () => Promise.resolve(new Response(body))
      const asked = collect(createProvider(config).stream({ ...askWeather, raw: true }, { fetch }))
      let isOver = false
      void asked.then(() => (isOver = true))
      // A model that thinks in silence is waited for longer than a server that sends nothing.
      await vi.advanceTimersByTimeAsync(phase === 'idle' ? 450 : 900)
      expect(isOver).toBe(false)
      await vi.advanceTimersByTimeAsync(1_000)
      const { error } = await Promise.race([asked, never])
      expect(error).toMatchObject({ code: 'timeout', details: { phase } })
    },
  )
})
