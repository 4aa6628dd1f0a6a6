import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  createMock,
  type Mock,
  type MockFailure,
  type MockServer,
  type MockStep,
  type Script,
} from '../../../src/testing/mock/index.ts'
import type { ModelConfig } from '../../../src/client/api/options.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { defineTool } from '../../../src/index.ts'
import { collectGarbage } from '../../fixtures/collect-garbage.ts'

const ADD = { toolName: 'add', input: { sku: 'mug "blue" ☕' } }
const SCRIPT: Script = {
  steps: [
    { reasoning: 'A mug, then.', text: 'One moment.', toolCalls: [ADD, ADD] },
    { text: 'Both are in your cart.' },
  ],
}

async function serve(mock: Mock): Promise<MockServer> {
  const server = await mock.listen()
  onTestFinished(() => server.close())
  return server
}

const endpoints: readonly (readonly [name: string, config: Omit<ModelConfig, 'baseURL'>])[] = [
  ['openai-compatible', { provider: 'openai-compatible', model: 'mock' }],
  ['openai, chat', { provider: 'openai', model: 'mock', api: 'chat', apiKey: 'test-key' }],
  [
    'openai, responses',
    { provider: 'openai', model: 'mock', api: 'responses', apiKey: 'test-key' },
  ],
  ['gemini', { provider: 'gemini', model: 'mock', apiKey: 'test-key' }],
  ['anthropic', { provider: 'anthropic', model: 'mock', apiKey: 'test-key' }],
]

for (const [name, config] of endpoints) {
  const isAnthropic = name === 'anthropic'
  const baseOf = (url: string): string => (isAnthropic ? url : `${url}/v1`)

  test(`${name}: an agent plays the script twice, with live context in every request`, async () => {
    const mock = createMock({ script: SCRIPT })
    const { url } = await serve(mock)
    const cart: string[] = []
    const agent = createTestAgent({
      model: { ...config, baseURL: baseOf(url) } as ModelConfig,
      context: () => 'The cart is open.',
      maxSteps: 2,
      tools: [
        defineTool({
          name: 'add',
          description: 'Adds an item.',
          inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
          execute: ({ sku }) => {
            cart.push(String(sku))
            return 'Added.'
          },
        }),
      ],
    })
    onTestFinished(() => agent.dispose())

    const first = await agent.run('Two mugs').result
    expect(first).toMatchObject({ outcome: 'completed', text: 'Both are in your cart.' })
    const { conversationId } = first
    const second = await agent.run('Two more', { conversationId }).result
    expect(second).toMatchObject({ outcome: 'completed', text: 'Both are in your cart.' })
    expect(cart).toEqual(Array.from({ length: 4 }, () => ADD.input.sku))
    expect(mock.requests).toHaveLength(4)
    // Servers of this kind may not know the field that asks for usage, so it isn't asked for.
    const isCounted = name !== 'openai-compatible'
    expect(first.usage).toMatchObject(
      isCounted ? { inputTokens: expect.any(Number), outputTokens: expect.any(Number) } : {},
    )
    for (const { body } of mock.requests)
      expect(JSON.stringify(body)).toContain('Context, as of now:')
    expect(JSON.stringify(mock.requests[1]?.body)).toContain('This is the last step you have.')
  })

  test(`${name}: files that tools return don't start the script again`, async () => {
    const mock = createMock({ script: SCRIPT })
    const png = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const
    const call = { toolCallId: 'a', toolName: 'shot' }
    const request: ModelRequest = {
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'Show it' }] },
        { role: 'assistant', parts: [{ type: 'tool-call', ...call, input: {} }] },
        {
          role: 'tool',
          parts: [{ type: 'tool-result', ...call, output: { type: 'content', value: [png] } }],
        },
      ],
      tools: [],
      trailer: 'This is the last step you have. Conclude now.',
    }
    const provider = createProvider({ ...config, baseURL: baseOf('https://mock.test') })
    const turn = await collect(provider.stream(request, { fetch: mock.fetch }))
    expect(turn.error).toBeUndefined()
    expect(turn.text).toBe('Both are in your cart.')
  })

  test(`${name}: an error of a step and the script's end are errors of the server`, async () => {
    const script = { steps: [{ error: 'The model is asleep.' }, { text: 'No', error: 'Lost it.' }] }
    const { fetch } = createMock({ script })
    const provider = createProvider({ ...config, baseURL: baseOf('https://mock.test') })
    const user = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] } as const
    const assistant = { role: 'assistant', parts: [{ type: 'text', text: 'Hm' }] } as const
    const ask = (answers: number) =>
      collect(
        provider.stream(
          { messages: [user, ...Array.from({ length: answers }, () => assistant)], tools: [] },
          { fetch },
        ),
      )
    expect((await ask(0)).error).toMatchObject({
      code: 'server-error',
      message: expect.stringContaining('500: The model is asleep.'),
    })
    expect(await ask(1)).toMatchObject({ text: 'No', error: { message: 'Lost it.' } })
  })
}

const FAILING: MockStep = {
  text: 'Hello again.',
  failures: [{ status: 429, retryAfterMs: 1000 }, { status: 500 }, { piecesBeforeCut: 2 }],
}

for (const [name, config] of endpoints) {
  const isAnthropic = name === 'anthropic'

  test(`${name}: a repeated request gets each failure of its step, then the step`, async () => {
    const mock = createMock({ script: { steps: [FAILING, { text: 'Next.' }] } })
    const { url } = await serve(mock)
    for (const [server, fetch] of [
      ['https://mock.test', mock.fetch],
      [url, globalThis.fetch],
    ] as const) {
      const provider = createProvider({ ...config, baseURL: isAnthropic ? server : `${server}/v1` })
      const text = `Hi, ${server}`
      const request = { messages: [{ role: 'user', parts: [{ type: 'text', text }] }], tools: [] }
      const ask = () => collect(provider.stream(request as ModelRequest, { fetch }))
      expect((await ask()).error).toMatchObject({
        code: 'rate-limited',
        details: { retryAfterMs: 1000 },
      })
      expect((await ask()).error).toMatchObject({ code: 'server-error' })
      expect(await ask()).toMatchObject({ text: 'Hello ag', error: { code: 'stream-incomplete' } })
      expect((await ask()).text).toBe('Hello again.')
    }
  })
}

test('an agent retries the failures of a step', async () => {
  const { url } = await serve(createMock({ script: { steps: [FAILING] } }))
  const agent = createTestAgent({
    model: { provider: 'openai-compatible', model: 'mock', baseURL: `${url}/v1` },
  })
  onTestFinished(() => agent.dispose())
  const run = agent.run('Hi')
  const codes: string[] = []
  for await (const event of run) if (event.type === 'retry') codes.push(event.error.code)
  expect(codes).toEqual(['rate-limited', 'server-error', 'stream-incomplete'])
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hello again.' })
})

test('a cut breaks whole answers too, and streams at the latest before their end', async () => {
  const cut = { failures: [{ piecesBeforeCut: 0 }, { piecesBeforeCut: 9 }] }
  const mock = createMock({ script: { steps: [{ text: 'Hello.', ...cut }] } })
  const { url } = await serve(mock)
  await expect(post(mock, '/v1/chat/completions', chat)).rejects.toThrow(TypeError)
  const body = JSON.stringify(chat)
  await expect(fetch(`${url}/v1/chat/completions`, { method: 'POST', body })).rejects.toThrow()
  const stream = await post(mock, '/v1/chat/completions', { ...chat, stream: true })
  await expect(stream.text()).rejects.toThrow(TypeError)
  const late = await post(mock, '/v1/chat/completions', { ...chat, stream: true })
  await expect(late.text()).rejects.toThrow(TypeError)
})

const userMessage = { role: 'user', content: 'Hi' }
const chat = { model: 'mock', messages: [userMessage] }

function post(mock: Mock, path: string, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return mock.fetch(`https://mock.test${path}`, { method: 'POST', body: text })
}

test('after the last step, the answer is an error that names the script', async () => {
  const mock = createMock({ script: { steps: [{ text: 'Only once.' }] } })
  const assistant = { role: 'assistant', content: 'Only once.' }
  const messages = [userMessage, assistant]
  const response = await post(mock, '/v1/chat/completions', { ...chat, messages })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    error: {
      message: 'The script has no step 2 for "Hi". Add a step, a scene or a fallback.',
      type: 'server_error',
      param: null,
      code: 'script-exhausted',
    },
  })
})

const SENT_BEHIND = [
  'Context, as of now:',
  'Memories that may be of use',
  'Your plan, as of now:',
  "The run's limit of ",
  'This is the last step you have.',
  'You have asked for the same calls ',
]

test.each(SENT_BEHIND)('a scene is chosen without what Offstage adds: %s', async (opening) => {
  expect(readFileSync('src/worker/model/build-request.ts', 'utf8')).toContain(opening)
  const scenes = [{ match: ['weather'], steps: [{ text: 'It rains.' }] }]
  const mock = createMock({ script: { scenes, fallback: [{ text: 'Hello.' }] } })
  const answerTo = async (content: string) => {
    const messages = [{ role: 'user', content }]
    const response = await post(mock, '/v1/chat/completions', { ...chat, messages })
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
    return choices[0]?.message.content
  }
  expect(await answerTo('How is the WEATHER?')).toBe('It rains.')
  expect(await answerTo(`Hi\n\n${opening}\nThe weather page is open.`)).toBe('Hello.')
})

test('requests are kept as received, in order', async () => {
  const mock = createMock({ script: SCRIPT })
  await post(mock, '/v1/chat/completions?a=1', chat)
  await post(mock, '/v1/chat/completions', 'not JSON')
  await mock.fetch('https://mock.test/v1/models')
  expect(mock.requests.map(({ path, body }) => [path, body])).toEqual([
    ['/v1/chat/completions?a=1', chat],
    ['/v1/chat/completions', {}],
  ])
  expect(mock.requests[0]?.headers['content-type']).toContain('text/plain')
})

const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } }
const caller = { role: 'assistant', content: null, tool_calls: [call] }
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'add', input: {} }] }
const messages = { model: 'mock', max_tokens: 100, messages: [userMessage] }
const toolResult = { type: 'tool_result', tool_use_id: 'c2', content: 'x' }

const refusals: readonly (readonly [path: string, body: unknown, status: number, text: string])[] =
  [
    ['/v1/chat', chat, 404, 'Invalid URL (POST /v1/chat)'],
    ['/v1/models', chat, 405, 'Only GET requests are accepted.'],
    ['/v1/chat/completions', '{', 400, 'We could not parse the JSON body'],
    ['/v1/chat/completions', { messages: [] }, 400, 'you must provide a model parameter'],
    ['/v1/chat/completions', { model: 'm' }, 400, "Missing required parameter: 'messages'."],
    ['/v1/chat/completions', { ...chat, messages: [] }, 400, "Invalid 'messages': empty array."],
    [
      '/v1/chat/completions',
      { ...chat, messages: [{ role: 'bot' }] },
      400,
      "Invalid value: 'bot'.",
    ],
    [
      '/v1/chat/completions',
      { ...chat, messages: [userMessage, caller, userMessage] },
      400,
      'The following tool_call_ids did not have response messages: c1',
    ],
    ['/v1/chat/completions', { ...chat, messages: [caller] }, 400, 'messages: c1'],
    [
      '/v1/chat/completions',
      { ...chat, messages: [{ role: 'tool', tool_call_id: 'c1', content: '' }] },
      400,
      "messages with role 'tool' must be a response",
    ],
    ['/v1/responses', '{', 400, 'We could not parse the JSON body'],
    ['/v1/responses', { model: 'm' }, 400, "Missing required parameter: 'input'."],
    [
      '/v1/responses',
      { model: 'm', input: 'Hi', previous_response_id: 'resp_1' },
      400,
      "Previous response with id 'resp_1' not found.",
    ],
    [
      '/v1/responses',
      { model: 'm', input: [{ type: 'function_call', call_id: 'c1' }, userMessage] },
      400,
      'No tool output found for function call c1.',
    ],
    [
      '/v1/responses',
      { model: 'm', input: [{ type: 'function_call_output', call_id: 'c1' }] },
      400,
      'No tool call found for function call output with call_id c1.',
    ],
    ['/v1/messages', '{', 400, 'The request body is not valid JSON.'],
    ['/v1/messages', { ...messages, model: '' }, 400, 'model: Field required'],
    ['/v1/messages', { ...messages, max_tokens: undefined }, 400, 'max_tokens: Field required'],
    ['/v1/messages', { ...messages, messages: undefined }, 400, 'messages: Field required'],
    ['/v1/messages', { ...messages, messages: [] }, 400, 'at least one message is required'],
    ['/v1/messages', { ...messages, messages: [{ role: 'system' }] }, 400, 'role "system"'],
    [
      '/v1/messages',
      { ...messages, messages: [userMessage, use, userMessage] },
      400,
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1.',
    ],
    ['/v1/messages', { ...messages, messages: [userMessage, use] }, 400, 'messages.1: `tool_use`'],
    [
      '/v1/messages',
      { ...messages, messages: [{ role: 'user', content: [toolResult] }] },
      400,
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: c2.',
    ],
  ]

for (const [path, body, status, text] of refusals)
  test(`${path} refuses ${JSON.stringify(body)}`, async () => {
    const response = await post(createMock({ script: SCRIPT }), path, body)
    expect(response.status).toBe(status)
    const { type, error } = (await response.json()) as { type?: string; error: object }
    expect(error).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringContaining(text),
    })
    expect(type).toBe(path === '/v1/messages' ? 'error' : undefined)
  })

test('a page of any origin may call it, also from a public address', async () => {
  const mock = createMock({ script: SCRIPT })
  const { url } = await serve(mock)
  const preflight = await mock.fetch(`${url}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
      'access-control-request-private-network': 'true',
    },
  })
  expect(preflight.status).toBe(204)
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': 'https://app.test',
    'access-control-allow-headers': 'authorization,content-type',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-private-network': 'true',
  })
  const refused = await fetch(`${url}/v1/nowhere`, { headers: { origin: 'https://app.test' } })
  expect(refused.status).toBe(404)
  expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.test')
})

test('a stopped run stops the answer, and close() ends open connections', async () => {
  const script: Script = { steps: [{ text: 'abc'.repeat(1000) }], paceMs: 5 }
  const mock = createMock({ script })
  const { url, close } = await mock.listen()
  const body = JSON.stringify({ ...chat, stream: true })
  const abort = new AbortController()
  const { signal } = abort
  const first = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal })
  const reader = first.body?.getReader()
  await reader?.read()
  abort.abort()
  await expect(reader?.read()).rejects.toThrow()
  const second = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })
  await close()
  await expect(second.text()).rejects.toThrow()
})

test('without a server runtime, listen() names fetch() instead', async () => {
  const builtin = vi.spyOn(process, 'getBuiltinModule')
  builtin.mockReturnValue(undefined as never)
  onTestFinished(() => builtin.mockRestore())
  await expect(createMock({ script: SCRIPT }).listen()).rejects.toMatchObject({
    code: 'invalid-config',
    message: expect.stringContaining('pass requests to fetch()'),
  })
})

test('an invalid script is refused at once', () => {
  expect(() => createMock({ script: { steps: 'Hello.' } as unknown as Script })).toThrow(
    'steps of a script must be a list of steps.',
  )
  for (const failure of [{ status: 200 }, { piecesBeforeCut: -1 }, {}] as MockFailure[])
    expect(() =>
      createMock({ script: { scenes: [{ match: [''], steps: [{ failures: [failure] }] }] } }),
    ).toThrow('failures of a step must be a list of { status } and { piecesBeforeCut }.')
})

test('a mock listens on the port that it is given, and only on this machine', async () => {
  const mock = createMock({ script: SCRIPT })
  const first = await serve(mock)
  const port = Number(new URL(first.url).port)
  await expect(mock.listen({ port })).rejects.toThrow(/EADDRINUSE/)
  await first.close()
  const { url, close } = await mock.listen({ port })
  expect(url).toBe(`http://127.0.0.1:${port}`)
  expect((await fetch(`${url}/v1/models`)).status).toBe(200)
  await close()
})

test('an aborted request rejects like fetch, before and during an answer', async () => {
  const { fetch: ask } = createMock({ script: { steps: [{ text: 'Hello.', delayMs: 60_000 }] } })
  const request = (signal: AbortSignal): Promise<Response> =>
    ask('http://mock.test/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
      signal,
    })
  await expect(request(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  const abort = new AbortController()
  const asked = request(abort.signal)
  setTimeout(() => abort.abort())
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
})

test('an abort ends the stream even if nobody else holds the request', async () => {
  const { fetch: ask } = createMock({ script: { steps: [{ text: 'Hello.' }], paceMs: 1e9 } })
  const abort = new AbortController()
  const response = await ask(
    new Request('http://mock.test/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ ...chat, stream: true }),
      signal: abort.signal,
    }),
  )
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  while (!(await reader.read()).value?.includes('Hell'));
  await collectGarbage()
  abort.abort()
  await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' })
})
