import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { AssistantMessage, Message } from '../../../src/protocol/message.ts'
import type { CollectedTurn } from '../../../src/providers/collect.ts'
import { chatPresets } from '../../../src/providers/openai/presets.ts'
import { defineResponses } from '../../../src/providers/openai-responses/define-responses.ts'
import type { ModelRequest, RequestConfig } from '../../../src/providers/provider.ts'
import { askWeather, pingTool, sse, weatherTool } from './support/replay.ts'
import { readTurn } from './support/streams.ts'

const encoder = new TextEncoder()
const openai = defineResponses('openai', chatPresets.openai)
const config: RequestConfig = { provider: 'openai', model: 'gpt', apiKey: 'sk-123456' }

function bodyOf(request: ModelRequest, more: Partial<RequestConfig> = {}): JsonObject {
  return openai.toRequest(request, { ...config, ...more }, new Set()).body
}

function inputOf(messages: readonly Message[], more: Partial<ModelRequest> = {}): JsonObject[] {
  return bodyOf({ ...askWeather, messages, ...more })['input'] as JsonObject[]
}

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const asked = (text: string): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})

/** The message that the loop stores of a turn. */
function messageOf(turn: CollectedTurn): AssistantMessage {
  return {
    role: 'assistant',
    parts: [
      ...(turn.reasoning === '' ? [] : [{ type: 'reasoning', text: turn.reasoning } as const]),
      ...(turn.text === '' ? [] : [{ type: 'text', text: turn.text } as const]),
      ...(turn.files ?? []),
      ...turn.toolCalls.map((call) => ({ type: 'tool-call', ...call }) as const),
    ],
    ...(turn.providerMetadata && { providerMetadata: turn.providerMetadata }),
  }
}

function answerOf(message: AssistantMessage): Message {
  return {
    role: 'tool',
    parts: message.parts.flatMap((part) =>
      part.type === 'tool-call'
        ? [
            {
              type: 'tool-result',
              toolCallId: part.toolCallId,
              toolName: part.toolName,
              output: { type: 'text', value: 'ok' },
            } as const,
          ]
        : [],
    ),
  }
}

async function read(...items: readonly JsonObject[]): Promise<AssistantMessage> {
  const events = items.map((item, at) => ({
    type: 'response.output_item.done',
    output_index: at,
    item,
  }))
  const end = { type: 'response.completed', response: { status: 'completed', output: [] } }
  const turn = await readTurn(openai, encoder.encode(sse(...events, end)))
  expect(turn.error).toBeUndefined()
  return messageOf(turn)
}

const thought = (id: string): JsonObject => ({
  id,
  type: 'reasoning',
  encrypted_content: `gAAAA-${id}`,
  summary: [{ type: 'summary_text', text: 'Hm.' }],
})
const call = (id: string, args: string, name = 'get_weather'): JsonObject => ({
  id: `fc_${id}`,
  type: 'function_call',
  status: 'completed',
  arguments: args,
  call_id: id,
  name,
})
const said = (text: string, phase = 'final_answer'): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  phase,
  content: [
    {
      type: 'output_text',
      annotations: [{ type: 'url_citation', url: 'https://x.example', title: 'X' }],
      logprobs: [],
      text,
    },
  ],
  role: 'assistant',
})
const steps = [
  [
    thought('rs_1'),
    said('Let me see.', 'commentary'),
    call('call_1', '{"city": "Paris"}'),
    call('call_2', '{"city":"Rome"}'),
  ],
  [thought('rs_2'), call('call_3', '', 'ping')],
  [thought('rs_3'), said('It rains.'), { id: 'cmp_1', type: 'compaction', encrypted_content: 'z' }],
]

test('a request is stateless, with the fields of the configuration', () => {
  const { url, headers, body } = openai.toRequest(
    {
      ...askWeather,
      instructions: 'Be brief.',
      messages: [{ role: 'system', parts: [{ type: 'text', text: 'In French.' }] }, user('Hi')],
      trailer: 'Now: noon.',
    },
    {
      ...config,
      headers: { 'x-team': 'blue' },
      maxOutputTokens: 500,
      temperature: 0.5,
      topP: 0.9,
      stop: ['x'],
      seed: 3,
      toolChoice: { toolName: 'get_weather' },
      parallelToolCalls: false,
      extraBody: { reasoning: { effort: 'low', summary: 'auto' }, temperature: 1 },
    },
    new Set(),
  )
  expect(url).toBe('https://api.openai.com/v1/responses')
  expect(headers).toEqual({ authorization: 'Bearer sk-123456', 'x-team': 'blue' })
  const { name, description, inputSchema } = weatherTool
  expect(body).toEqual({
    model: 'gpt',
    instructions: 'Be brief.\n\nIn French.',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Hi' },
          { type: 'input_text', text: 'Now: noon.' },
        ],
      },
    ],
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    tools: [
      { type: 'function', name, description, strict: false, parameters: inputSchema },
      {
        type: 'function',
        name: 'ping',
        description: 'Answers.',
        strict: false,
        parameters: { properties: {}, ...pingTool.inputSchema },
      },
    ],
    tool_choice: { type: 'function', name: 'get_weather' },
    parallel_tool_calls: false,
    max_output_tokens: 500,
    temperature: 1,
    top_p: 0.9,
    reasoning: { effort: 'low', summary: 'auto' },
  })
})

test('without tools, or in ACTION mode, no tool fields are sent', () => {
  for (const body of [
    bodyOf({ ...askWeather, tools: [] }, { toolChoice: 'auto' }),
    bodyOf({ ...askWeather, toolMode: 'action' }),
  ])
    expect(Object.keys(body)).toEqual(['model', 'input', 'stream', 'store', 'include'])
})

test('strict tools are sent if the schema allows it', () => {
  const { body } = openai.toRequest(askWeather, { ...config, strictTools: true }, new Set())
  expect((body['tools'] as JsonObject[]).map((tool) => tool['strict'])).toEqual([true, false])
})

describe('items of an answer', () => {
  test('over three steps with reasoning and parallel calls, items go back byte for byte', async () => {
    const messages: Message[] = [user('Hi')]
    const expected: JsonObject[] = [asked('Hi')]
    for (const items of steps) {
      // Stored and loaded in between.
      const message = JSON.parse(JSON.stringify(await read(...items))) as AssistantMessage
      messages.push(message, answerOf(message))
      expected.push(
        ...items,
        ...items
          .filter(({ type }) => type === 'function_call')
          .map((item) => ({
            type: 'function_call_output',
            call_id: item['call_id'] ?? '',
            output: 'ok',
          })),
      )
      expect(JSON.stringify(inputOf(messages))).toBe(JSON.stringify(expected))
    }
  })

  const built = [
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Let me see.' }],
    },
    {
      type: 'function_call',
      call_id: 'call_1',
      name: 'get_weather',
      arguments: '{"city":"Paris"}',
    },
    {
      type: 'function_call',
      call_id: 'call_2',
      name: 'get_weather',
      arguments: '{"city":"Rome"}',
    },
  ]
  const first = steps[0] ?? []
  interface Edit {
    readonly when: string
    readonly edit: (message: AssistantMessage) => AssistantMessage
    readonly change?: (items: readonly JsonObject[]) => readonly JsonObject[]
    readonly more?: Partial<ModelRequest>
  }
  const edits: readonly Edit[] = [
    {
      when: 'its text is another one',
      edit: (message) => withParts(message, 'text', { text: 'Wait.' }),
      change: ([text, ...calls]) => [
        { ...text, content: [{ type: 'output_text', text: 'Wait.' }] },
        ...calls,
      ],
    },
    {
      when: 'the input of a call is another one',
      edit: (message) => withParts(message, 'tool-call', { input: { city: 'Oslo' } }),
      change: ([text = {}, ...calls]) => [
        text,
        ...calls.map((each) => ({ ...each, arguments: '{"city":"Oslo"}' })),
      ],
    },
    {
      when: 'a call has another name',
      edit: (message) => withParts(message, 'tool-call', { toolName: 'ping' }),
      change: ([text = {}, ...calls]) => [
        text,
        ...calls.map((each) => ({ ...each, name: 'ping' })),
      ],
    },
    {
      when: 'a call is gone',
      edit: (message) => ({ ...message, parts: message.parts.slice(0, -1) }),
      change: (items) => items.slice(0, -1),
    },
    { when: 'the mode is ACTION', edit: (message) => message, more: { toolMode: 'action' } },
    {
      when: 'another provider wrote them',
      edit: ({ providerMetadata, ...message }) => ({
        ...message,
        providerMetadata: { lmstudio: providerMetadata?.['openai'] ?? {} },
      }),
    },
    {
      when: 'Chat Completions wrote the metadata',
      edit: (message) => ({
        ...message,
        providerMetadata: { openai: { reasoning_content: 'Hm.' } },
      }),
    },
  ]
  test.each(edits)(
    'when $when, the step is rebuilt from its parts, without ids and reasoning',
    async ({ edit, change = (items) => items, more }) => {
      const message = edit(await read(...first))
      const sent = inputOf([user('Hi'), message, answerOf(message)], more)
      const outputs = sent.filter(({ type }) => type === 'function_call_output')
      expect(sent).toEqual([asked('Hi'), ...change(built), ...outputs])
      expect(outputs.map((each) => each['call_id'])).toEqual(
        change(built).flatMap((item) => item['call_id'] ?? []),
      )
    },
  )

  test('when a call could not be read, its step is rebuilt with an empty input', async () => {
    const message = await read(thought('rs_1'), call('call_1', '{"city":'))
    const sent = inputOf([user('Hi'), message])
    expect(sent[1]).toEqual({
      type: 'function_call',
      call_id: 'call_1',
      name: 'get_weather',
      arguments: '{}',
    })
    expect(sent[2]).toMatchObject({ type: 'function_call_output', call_id: 'call_1' })
  })

  test('a strict call with nulls for absent values keeps its items', async () => {
    const item = call('call_1', '{"city":"Paris","unit":null}')
    const message = withParts(await read(thought('rs_1'), item), 'tool-call', {
      input: { city: 'Paris' },
    })
    const properties = { city: { type: 'string' }, unit: { type: 'string' } }
    const tool = { ...weatherTool, inputSchema: { ...weatherTool.inputSchema, properties } }
    expect(inputOf([user('Hi'), message], { tools: [tool] })[2]).toEqual(item)
  })

  test('an unanswered custom tool call drops all items of its step', async () => {
    const custom = {
      id: 'ctc_1',
      type: 'custom_tool_call',
      call_id: 'call_9',
      name: 'x',
      input: '',
    }
    const output = { id: 'cto_1', type: 'custom_tool_call_output', call_id: 'call_9', output: 'y' }
    const message = await read(thought('rs_1'), custom, said('Done.'))
    expect(inputOf([user('Hi'), message])).toHaveLength(2)
    const answered = await read(thought('rs_1'), custom, output, said('Done.'))
    expect(inputOf([user('Hi'), answered])).toHaveLength(5)
  })

  test('reasoning that nothing follows is not kept', async () => {
    const message = await read(said('Done.'), thought('rs_1'))
    expect(message.providerMetadata).toBeUndefined()
  })

  test('a generated picture goes back in its item and not also as a file', async () => {
    const data = 'iVBORw0KGgo='
    const item = { id: 'ig_1', type: 'image_generation_call', result: data, status: 'completed' }
    const message = await read(thought('rs_1'), item)
    expect(JSON.stringify(message.providerMetadata)).not.toContain(data)
    const sent = inputOf([user('Hi'), message, user('Bluer')])
    expect(JSON.stringify(sent)).toBe(
      JSON.stringify([asked('Hi'), thought('rs_1'), item, asked('Bluer')]),
    )
    // Without its file, nothing of the step can go back.
    expect(inputOf([user('Hi'), { ...message, parts: [] }, user('Bluer')])).toHaveLength(2)
  })

  test('an id over 64 characters is replaced in the call and its output (P8)', async () => {
    const long = `call_${'x'.repeat(70)}`
    const message = await read(thought('rs_1'), call(long, '{"city":"Paris"}'))
    const [, reasoning, item, output] = inputOf([user('Hi'), message, answerOf(message)])
    const again = inputOf([user('Hi'), message, answerOf(message)])[2]
    expect(reasoning).toEqual(thought('rs_1'))
    expect(item).toEqual({ ...call(long, '{"city":"Paris"}'), call_id: output?.['call_id'] })
    expect(item?.['call_id']).toMatch(/^.{1,64}$/)
    expect(again).toEqual(item)
  })

  test('a call without a call_id gets the id of its output', async () => {
    const { call_id: _, ...item } = call('call_1', '{"city":"Paris"}')
    const message = await read(item)
    const [, sent, output] = inputOf([user('Hi'), message, answerOf(message)])
    expect(sent).toEqual({ ...item, call_id: output?.['call_id'] })
  })
})

describe('files', () => {
  const file = (mediaType: string, filename?: string) =>
    ({ type: 'file', mediaType, data: 'AAAA', ...(filename && { filename }) }) as const

  test("a person's files become message parts, or text if the API can't take them", () => {
    const parts = [file('image/png'), file('application/pdf', 'a.pdf'), file('audio/wav', 'a.wav')]
    expect(inputOf([{ role: 'user', parts }])[0]?.['content']).toEqual([
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      { type: 'input_text', text: '[A file was left out: a.wav, audio/wav]' },
    ])
  })

  test('files in a result become output parts; other outputs become text', async () => {
    const message = await read(call('a', '{"city":"Paris"}'), call('b', '', 'ping'))
    const result = (toolCallId: string, output: object) =>
      ({ type: 'tool-result', toolCallId, toolName: 'x', output }) as never
    const value = [{ type: 'text', text: 'Here:' }, file('image/png')]
    const sent = inputOf([
      message,
      {
        role: 'tool',
        parts: [
          result('a', { type: 'content', value }),
          result('b', { type: 'denied', reason: 'Not now' }),
        ],
      },
    ])
    expect(sent.slice(2)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'Here:' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      {
        type: 'function_call_output',
        call_id: 'b',
        output: 'Denied by the person: Not now',
      },
    ])
  })

  test("another model's picture is sent as input", () => {
    const parts = [{ type: 'text', text: 'There.' } as const, file('image/png')]
    const sent = inputOf([user('Draw'), { role: 'assistant', parts }, user('Bluer')])
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(sent[2])).toContain('input_image')
  })
})

test('a trailer after a result becomes its own message', async () => {
  const message = await read(call('call_1', '{"city":"Paris"}'))
  const sent = inputOf([user('Hi'), message, answerOf(message)], { trailer: 'Now: noon.' })
  expect(sent.at(-1)).toEqual(asked('Now: noon.'))
})

function withParts(
  message: AssistantMessage,
  type: AssistantMessage['parts'][number]['type'],
  change: object,
): AssistantMessage {
  const parts = message.parts.map((part) => (part.type === type ? { ...part, ...change } : part))
  return { ...message, parts: parts as AssistantMessage['parts'] }
}
