import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AssistantMessage, Message } from '../../../src/protocol/message.ts'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { weatherTool } from './support/replay.ts'

const mock = new LLMock({ port: 0 })

beforeAll(async () => {
  mock.on(
    { userMessage: 'weather', hasToolResult: false },
    {
      content: 'Let me look.',
      toolCalls: [{ name: 'get_weather', arguments: '{"city":"Paris"}' }],
    },
  )
  mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is sunny in Paris.' })
  mock.on({ userMessage: 'think' }, { content: 'Done.', reasoning: 'Step by step.' })
  mock.on(
    { userMessage: 'limit' },
    { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429 },
  )
  await mock.start()
})

afterAll(async () => {
  await mock.stop()
})

const formats = ['chat', 'responses', 'messages'] as const

const configs = (): Readonly<Record<(typeof formats)[number], ProviderConfig>> => ({
  chat: {
    provider: 'openai',
    api: 'chat',
    model: 'gpt-4o',
    apiKey: 'mock',
    baseURL: `${mock.url}/v1`,
  },
  responses: {
    provider: 'openai',
    api: 'responses',
    model: 'gpt-5.4',
    apiKey: 'mock',
    baseURL: `${mock.url}/v1`,
  },
  messages: {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    apiKey: 'mock',
    baseURL: mock.url,
  },
})

function ask(config: ProviderConfig, messages: readonly Message[]): Promise<CollectedTurn> {
  return collect(createProvider(config).stream({ messages, tools: [weatherTool] }))
}

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })

function asMessage(turn: CollectedTurn): AssistantMessage {
  return {
    role: 'assistant',
    parts: [
      { type: 'text', text: turn.text },
      ...turn.toolCalls.map((call) => ({ type: 'tool-call' as const, ...call })),
    ],
    ...(turn.providerMetadata && { providerMetadata: turn.providerMetadata }),
  }
}

const pairs = formats.flatMap((first) => formats.map((second) => [first, second] as const))

test.each(pairs)('a call over %s works with its result over %s', async (first, second) => {
  const asked = await ask(configs()[first], [user('weather?')])
  expect(asked.error).toBeUndefined()
  expect(asked).toMatchObject({
    text: 'Let me look.',
    finishReason: 'tool-calls',
    toolCalls: [{ toolName: 'get_weather', input: { city: 'Paris' } }],
  })
  const answered = await ask(configs()[second], [
    user('weather?'),
    asMessage(asked),
    {
      role: 'tool',
      parts: asked.toolCalls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: 'sunny' },
      })),
    },
  ])
  expect(answered).toMatchObject({ text: 'It is sunny in Paris.', finishReason: 'stop' })
})

test.each(formats)('thinking is read over %s', async (format) => {
  const turn = await ask(configs()[format], [user('think')])
  expect(turn).toMatchObject({ text: 'Done.', reasoning: 'Step by step.' })
  const next = await ask(configs()[format], [user('think'), asMessage(turn), user('think again')])
  expect(next.error).toBeUndefined()
})

test.each(formats)('a rate limit is reported over %s', async (format) => {
  const turn = await ask(configs()[format], [user('limit')])
  expect(turn.error).toMatchObject({ code: 'rate-limited', details: { status: 429 } })
  expect(turn.error?.message).toContain('Slow down')
})
