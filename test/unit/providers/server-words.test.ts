import { describe, expect, test } from 'vitest'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import { askWeather, replay, sse } from './support/replay.ts'

const config = { model: 'm', baseURL: 'https://model.example/v1', apiKey: 'sk-abcdefghijklmnop' }
const DONE = 'data: [DONE]\n\n'
const OVERFLOW =
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."

function read(provider: string, body: string): Promise<CollectedTurn> {
  const headers = { 'content-type': 'text/event-stream' }
  const fetch = replay(body, { headers, pieceSize: 7 })
  return collect(createProvider({ provider, ...config }).stream(askWeather, { fetch }))
}

const providers = ['openai', 'llamacpp', 'anthropic', 'minimax']
const ends = ['', DONE, 'event: message_stop\ndata: {"type":"message_stop"}\n\n']

describe.each(providers)('when an event stream has only an error body, %s', (provider) => {
  test.each(['upstream connect error: reset', 'Internal Server Error: the GPU is lost\n\n'])(
    'plain text is reported as the error: %j (O36)',
    async (words) => {
      for (const end of ends) {
        const { error, toolCalls } = await read(provider, `${words.trim()}\n\n${end}`)
        expect(error?.message).toContain(words.trim())
        expect(toolCalls).toEqual([])
      }
      expect((await read(provider, words.trim())).error?.message).toContain(words.trim())
    },
  )

  test.each([
    ['as text', `data: ${OVERFLOW}\n\n`],
    ['as a string', `data: ${JSON.stringify(OVERFLOW)}\n\n`],
    ['as a line', `${OVERFLOW}\n\n`],
    ['as bare JSON', `${JSON.stringify({ detail: OVERFLOW })}\n`],
    ['as JSON over lines', `${JSON.stringify({ error: { message: OVERFLOW } }, null, 2)}\n`],
  ])('a context overflow %s is recognised (O32)', async (_, body) => {
    for (const end of ends) {
      const { error } = await read(provider, body + end)
      expect(error).toMatchObject({ code: 'context-overflow', retryable: false })
      expect(error?.message).toContain(OVERFLOW)
    }
  })

  test('an error in error_message is reported (O36)', async () => {
    const { error } = await read(provider, sse({ error_message: 'the GPU is lost' }) + DONE)
    expect(error?.message).toContain('the GPU is lost')
  })
})

describe.each(['openai', 'llamacpp'])('when output came before, %s', (provider) => {
  const call = { index: 0, id: 'a', function: { name: 'ping', arguments: '{}' } }
  const called = { choices: [{ index: 0, delta: { tool_calls: [call] } }] }

  test('an error in error_message stops calls despite the end marker (O36)', async () => {
    const turn = await read(provider, sse(called, { error_message: 'the GPU is lost' }) + DONE)
    expect(turn.error?.message).toContain('the GPU is lost')
    expect(turn.toolCalls).toMatchObject([{ error: { code: 'truncated' } }])
  })

  const error = 'the GPU is lost'
  test.each([
    ['a delta', { choices: [{ delta: { error: { message: error } }, finish_reason: 'error' }] }],
    ['x_groq', { choices: [], x_groq: { id: 'req_1', error } }],
    ['x_groq, beside a delta', { choices: [{ index: 0, delta: {} }], x_groq: { error } }],
  ])('an error in %s stops calls (O21)', async (_, chunk) => {
    const turn = await read(provider, sse(called, chunk) + DONE)
    expect(turn.error?.message).toContain('the GPU is lost')
    expect(turn.toolCalls).toMatchObject([{ error: { code: 'truncated' } }])
  })
})

test.each([
  'total tokens of input exceeds model limit: max message tokens 131072',
  'Input tokens exceed the configured limit of 272000 tokens.',
])('the message %j is recognised as an overflow (T9)', async (message) => {
  const { error } = await read('openai', sse({ error: { message } }))
  expect(error).toMatchObject({ code: 'context-overflow', retryable: false })
})

const LONG = 'long words '.repeat(100_000)

describe.each(['openai', 'anthropic'])('F2 endless error messages, %s', (provider) => {
  test.each([
    ['in an error', sse({ error: { message: LONG, type: LONG, code: LONG } })],
    ['in an error event', `event: error\ndata: ${LONG}\n\n`],
    ['in a field', `error: ${LONG}\n\n`],
    ['in the body', LONG],
    [
      'in a finish reason',
      sse(
        { type: 'message_start', message: { id: 'm' } },
        { type: 'message_delta', delta: { stop_reason: LONG } },
        { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: LONG }] },
      ),
    ],
  ])('%s are cut off', async (_, body) => {
    const fetch = replay(body)
    const provided = createProvider({ provider, ...config })
    const parts = []
    for await (const part of provided.stream(askWeather, { fetch })) parts.push(part)
    expect(JSON.stringify(parts.at(-1)).length).toBeLessThan(3_000)
  })
})
