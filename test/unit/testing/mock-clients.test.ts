import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createMock, type Mock, type Script } from '../../../src/testing/mock/index.ts'

// The vendors' own clients read the mock's answers.

const INPUT = { sku: 'mug "blue" ☕', list: [1, 2, 3] }
const SCRIPT: Script = {
  steps: [
    {
      reasoning: 'A mug, then.',
      text: 'One moment.',
      toolCalls: [
        { toolName: 'add', input: INPUT },
        { toolName: 'show_cart', input: {} },
      ],
    },
    { text: 'It is in your cart.' },
    { toolCalls: [{ toolName: 'add', input: INPUT }] },
    { text: 'No', error: 'Lost it.' },
    { error: 'Fell asleep.' },
  ],
}
const JSON_INPUT = JSON.stringify(INPUT)

const openai = ({ fetch }: Mock): OpenAI =>
  new OpenAI({ apiKey: 'test-key', baseURL: 'https://mock.test/v1', fetch })
const anthropic = ({ fetch }: Mock): Anthropic =>
  new Anthropic({ apiKey: 'test-key', baseURL: 'https://mock.test', fetch })

/** A conversation with `count` answers since the user's message. */
function history(count: number): { role: 'user' | 'assistant'; content: string }[] {
  const answers = Array.from({ length: count }, () => ({
    role: 'assistant' as const,
    content: 'x',
  }))
  return [{ role: 'user', content: 'A mug' }, ...answers]
}

async function typesOf(events: AsyncIterable<{ readonly type: string }>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of events) if (types.at(-1) !== type) types.push(type)
  return types
}

/** The tool calls of an answer, as `[id, name, arguments]`. */
function callsOf(message: OpenAI.ChatCompletionMessage | undefined): unknown[] {
  return (message?.tool_calls ?? []).map((call) =>
    call.type === 'function' ? [call.id, call.function.name, call.function.arguments] : [],
  )
}

test('Chat Completions: whole answers and streams are the same', async () => {
  const client = openai(createMock({ script: SCRIPT }))
  for (const count of [0, 1, 2]) {
    const request = { model: 'mock', messages: history(count) }
    const whole = await client.chat.completions.create(request)
    const streamed = await client.chat.completions
      .stream({ ...request, stream_options: { include_usage: true } })
      .finalChatCompletion()
    const [left, right] = [whole.choices[0], streamed.choices[0]]
    expect(right?.message.content).toBe(left?.message.content)
    expect(callsOf(right?.message)).toEqual(callsOf(left?.message))
    expect(right?.finish_reason).toBe(left?.finish_reason)
    expect(streamed.usage).toEqual(whole.usage)
    expect(whole.usage?.total_tokens).toBeGreaterThan(5)
  }
})

test('Chat Completions: text, calls and finish reasons', async () => {
  const client = openai(createMock({ script: SCRIPT }))
  const ask = async (count: number) => {
    const answer = await client.chat.completions.create({ model: 'mock', messages: history(count) })
    return answer.choices[0]
  }
  const first = await ask(0)
  expect(first).toMatchObject({
    finish_reason: 'tool_calls',
    message: { content: 'One moment.', reasoning_content: 'A mug, then.' },
  })
  expect(callsOf(first?.message)).toEqual([
    ['call_1_0_1', 'add', JSON_INPUT],
    ['call_1_0_2', 'show_cart', '{}'],
  ])
  expect(await ask(1)).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'It is in your cart.' },
  })
  expect(await ask(2)).toMatchObject({ message: { content: null } })
})

test('Chat Completions: arguments come in pieces, and usage only if it is requested', async () => {
  const client = openai(createMock({ script: { ...SCRIPT, pieceLength: 5 } }))
  const stream = await client.chat.completions.create({
    model: 'mock',
    messages: history(2),
    stream: true,
  })
  const pieces: string[] = []
  for await (const chunk of stream) {
    expect(chunk).not.toHaveProperty('usage')
    const [call] = chunk.choices[0]?.delta.tool_calls ?? []
    if (call?.function?.arguments) pieces.push(call.function.arguments)
  }
  expect(pieces.join('')).toBe(JSON_INPUT)
  expect(pieces).toHaveLength(Math.ceil(Array.from(JSON_INPUT).length / 5))
})

test('Responses: whole answers and streams are the same', async () => {
  const client = openai(createMock({ script: SCRIPT }))
  const request = { model: 'mock', input: 'A mug' }
  const whole = await client.responses.create(request)
  const streamed = await client.responses.stream(request).finalResponse()
  const withoutIds = (response: OpenAI.Responses.Response) =>
    response.output.map((item) => ({ ...item, id: expect.any(String) as string }))
  expect(withoutIds(streamed)).toMatchObject(withoutIds(whole))
  expect(streamed.usage).toEqual(whole.usage)
  expect(whole.output_text).toBe('One moment.')
  expect(whole.status).toBe('completed')
  expect(whole.output).toMatchObject([
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'A mug, then.' }] },
    { type: 'message', content: [{ type: 'output_text', text: 'One moment.' }] },
    { type: 'function_call', call_id: 'call_1_0_1', name: 'add', arguments: JSON_INPUT },
    { type: 'function_call', call_id: 'call_1_0_2', name: 'show_cart', arguments: '{}' },
  ])
})

test('Responses: the events of a stream are numbered and in order', async () => {
  const client = openai(createMock({ script: SCRIPT }))
  const stream = await client.responses.create({ model: 'mock', input: 'A mug', stream: true })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()])
  const call = [
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
  ]
  const types = events.map(({ type }) => type)
  expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    ...call,
    ...call,
    'response.completed',
  ])
})

test('Responses: the items of an answer are one step of the script', async () => {
  const client = openai(createMock({ script: SCRIPT }))
  const { output } = await client.responses.create({ model: 'mock', input: 'A mug' })
  const results = output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'Done.' }]
      : [],
  )
  const user = { role: 'user', content: 'A mug' }
  const input = [user, ...output, ...results] as OpenAI.Responses.ResponseInput
  const second = await client.responses.create({ model: 'mock', input })
  expect(second.output_text).toBe('It is in your cart.')
})

test('Messages: whole answers and streams are the same', async () => {
  const client = anthropic(createMock({ script: SCRIPT }))
  for (const count of [0, 1, 2]) {
    const request = { model: 'mock', max_tokens: 100, messages: history(count) }
    const whole = await client.messages.create(request)
    const streamed = await client.messages.stream(request).finalMessage()
    const signed = (blocks: Anthropic.ContentBlock[]) =>
      blocks.map((block) =>
        block.type === 'thinking' ? { ...block, signature: block.signature !== '' } : block,
      )
    expect(signed(streamed.content)).toEqual(signed(whole.content))
    expect(streamed.stop_reason).toBe(whole.stop_reason)
    expect(streamed.usage).toEqual(whole.usage)
  }
  const { content } = await client.messages.create({
    model: 'mock',
    max_tokens: 100,
    messages: history(0),
  })
  expect(content).toMatchObject([
    { type: 'thinking', thinking: 'A mug, then.', signature: expect.stringMatching(/./) },
    { type: 'text', text: 'One moment.' },
    { type: 'tool_use', id: 'toolu_1_0_1', name: 'add', input: INPUT },
    { type: 'tool_use', id: 'toolu_1_0_2', name: 'show_cart', input: {} },
  ])
})

test('Messages: the events of a stream are in order', async () => {
  const client = anthropic(createMock({ script: SCRIPT }))
  const request = { model: 'mock', max_tokens: 100, messages: history(0) }
  const stream = await client.messages.create({ ...request, stream: true })
  const block = ['content_block_start', 'content_block_delta', 'content_block_stop']
  // The client itself leaves out pings.
  expect(await typesOf(stream)).toEqual([
    'message_start',
    ...block,
    ...block,
    ...block,
    ...block,
    'message_delta',
    'message_stop',
  ])
})

test('errors reach the clients as errors of their own, without retries', async () => {
  const mock = createMock({ script: SCRIPT })
  const chat = { model: 'mock', messages: history(4) }
  await expect(openai(mock).chat.completions.create(chat)).rejects.toMatchObject({
    status: 500,
    type: 'server_error',
    message: '500 Fell asleep.',
  })
  const messages = { ...chat, max_tokens: 100 }
  await expect(anthropic(mock).messages.create(messages)).rejects.toMatchObject({
    status: 500,
    type: 'api_error',
  })
  expect(mock.requests).toHaveLength(2)
  const later = { ...messages, messages: history(3) }
  await expect(anthropic(mock).messages.stream(later).finalMessage()).rejects.toThrow('Lost it.')
  const stream = openai(mock).chat.completions.stream({ ...chat, messages: history(3) })
  await expect(stream.finalChatCompletion()).rejects.toThrow('Lost it.')
})

test('clients list the model', async () => {
  const mock = createMock({ script: SCRIPT })
  const models = await openai(mock).models.list()
  expect(models.data.map(({ id }) => id)).toEqual(['mock'])
  const others = await anthropic(mock).models.list()
  expect(others.data).toMatchObject([{ type: 'model', id: 'mock', display_name: 'Mock' }])
})
