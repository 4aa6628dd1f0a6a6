import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromLanguageModel } from '../../../src/connect/ai-sdk/model/from-language-model.ts'
import type { LanguageModelLike } from '../../../src/connect/ai-sdk/model/call-options.ts'
import type { RunEvent } from '../../../src/protocol/event.ts'
import type { Message, StreamPart } from '../../../src/protocol/message.ts'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import type { ModelRequest, StreamOptions } from '../../../src/providers/provider.ts'
import { defineTool } from '../../../src/client/tools/define-tool.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { packages, type CreateVendor } from '../../ai-sdk/prepare-packages.ts'
import { replay, sse, weatherTool, type ReplayOptions } from '../providers/support/replay.ts'

/** The same vendor's package, of each specification of models. */
let specifications: Readonly<Record<Version, CreateVendor>>
type Version = 'v2' | 'v3' | 'v4'
const versions: readonly Version[] = ['v2', 'v3', 'v4']

beforeAll(async () => {
  const { createV2, createV3, createV4 } = await packages()
  specifications = { v2: createV2, v3: createV3, v4: createV4 }
}, 600_000)

const settings = { name: 'mock', baseURL: 'http://127.0.0.1:9/v1', includeUsage: true }

function modelOf(version: Version, fetch: typeof globalThis.fetch): LanguageModelLike {
  const made = specifications[version]({ ...settings, fetch })('m')
  expect(made.specificationVersion).toBe(version)
  return made
}

function providerOf(
  model: Parameters<typeof fromLanguageModel>[0],
): ReturnType<typeof createProvider> {
  const providers = [fromLanguageModel(model)]
  return createProvider({ provider: 'ai-sdk', model: 'm' }, { providers })
}

const ask: ModelRequest = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'What is the weather?' }] }],
  tools: [weatherTool],
}

function chunk(delta: object, finish: string | null = null): object {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  }
}

const usage = {
  ...chunk({}),
  choices: [],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 7,
    total_tokens: 17,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
}

const call = (args: string): object =>
  chunk({
    tool_calls: [
      {
        index: 0,
        id: 'call_1',
        type: 'function',
        function: { name: 'get_weather', arguments: args },
      },
    ],
  })
const more = (args: string): object =>
  chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] })

const answer = sse(
  chunk({ role: 'assistant', reasoning_content: 'Where? ' }),
  chunk({ reasoning_content: 'In Paris.' }),
  chunk({ content: 'Let me ' }),
  chunk({ content: 'look.' }),
  call(''),
  more('{"city":'),
  more('"Paris"}'),
  chunk({}, 'tool_calls'),
  usage,
  '[DONE]',
)

async function partsOf(stream: AsyncIterable<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

test.each(versions)(
  '%s: text, reasoning, a call, usage and the finish reason are passed on',
  async (version) => {
    const provider = providerOf(modelOf(version, replay(answer)))
    const parts = await partsOf(provider.stream(ask))
    expect(await collect(toStream(parts))).toMatchObject({
      text: 'Let me look.',
      reasoning: 'Where? In Paris.',
      toolCalls: [{ toolCallId: 'call_1', toolName: 'get_weather', input: { city: 'Paris' } }],
      finishReason: 'tool-calls',
      usage: { inputTokens: 10, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 2 },
    })
    const inputs = parts.filter(({ type }) => type.startsWith('tool-input'))
    expect(inputs[0]).toEqual({
      type: 'tool-input-start',
      toolCallId: 'call_1',
      toolName: 'get_weather',
    })
    expect(
      inputs
        .slice(1)
        .map((part) => ('delta' in part ? part.delta : ''))
        .join(''),
    ).toBe('{"city":"Paris"}')
    // The call is last but its end.
    expect(parts.slice(-2).map(({ type }) => type)).toEqual(['tool-call', 'finish'])
  },
)

async function* toStream(parts: readonly StreamPart[]): AsyncGenerator<StreamPart> {
  yield* parts
}

test.each(versions)(
  '%s: an answer cut anywhere runs nothing, and its error is retryable',
  async (version) => {
    const end = answer.indexOf('"tool_calls"}')
    for (let at = 0; at < end; at += 23) {
      const provider = providerOf(modelOf(version, replay(answer.slice(0, at))))
      const turn = await collect(provider.stream(ask))
      expect(turn.error, `after ${at} characters`).toMatchObject({ retryable: true })
      expect(turn.toolCalls.filter((each) => each.input !== undefined)).toEqual([])
    }
  },
)

test.each(versions)('%s: a broken connection is a retryable error', async (version) => {
  const half = answer.slice(0, answer.indexOf('look.'))
  const provider = providerOf(modelOf(version, replay(half, { ending: 'reset' })))
  const turn = await collect(provider.stream(ask))
  expect(turn.error).toMatchObject({ code: 'stream-incomplete', retryable: true })
})

test('arguments cut off by a limit do not run', async () => {
  const limited = sse(call('{"city":'), chunk({}, 'length'), '[DONE]')
  for (const version of versions) {
    const turn = await collect(providerOf(modelOf(version, replay(limited))).stream(ask))
    expect(turn.finishReason).toBe('length')
    expect(turn.toolCalls).toMatchObject([{ error: { code: 'truncated' } }])
  }
})

const refusals: readonly (readonly [
  name: string,
  options: ReplayOptions,
  body: string,
  error: object,
])[] = [
  [
    '401',
    { status: 401 },
    '{"error":{"message":"Incorrect API key provided"}}',
    { code: 'authentication', retryable: false },
  ],
  [
    '429',
    { status: 429, headers: { 'retry-after': '2' } },
    '{"error":{"message":"Slow down"}}',
    { code: 'rate-limited', retryable: true, details: { status: 429, retryAfterMs: 2000 } },
  ],
  [
    'a full context',
    { status: 400 },
    '{"error":{"message":"This model\'s maximum context length is 4096 tokens","code":"context_length_exceeded"}}',
    { code: 'context-overflow', details: { limits: { contextWindow: 4096 } } },
  ],
  [
    'no such model',
    { status: 404 },
    '{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}',
    { code: 'model-not-found' },
  ],
  ['500', { status: 500 }, 'Internal Server Error', { code: 'server-error', retryable: true }],
  [
    'a refusal of tools',
    { status: 400 },
    '{"error":{"message":"m does not support tools"}}',
    { code: 'tools-unsupported' },
  ],
]

test.each(refusals)('a refusal becomes a typed error: %s', async (_, options, body, error) => {
  for (const version of versions) {
    const turn = await collect(providerOf(modelOf(version, replay(body, options))).stream(ask))
    expect(turn.error).toMatchObject(error)
  }
})

test('an error in the stream becomes a typed error', async () => {
  const body = sse(chunk({ content: 'Well' }), {
    error: { message: 'The engine is overloaded', type: 'overloaded_error' },
  })
  for (const version of versions) {
    const turn = await collect(providerOf(modelOf(version, replay(body))).stream(ask))
    expect(turn.error?.code, version).toBe('overloaded')
    expect(turn.error?.message).toContain('overloaded')
  }
})

test('an unreachable server is a retryable network error', async () => {
  const unreachable = specifications.v4(settings)('m')
  const turn = await collect(providerOf(unreachable).stream(ask))
  expect(turn.error).toMatchObject({
    code: 'network',
    retryable: true,
    details: { origin: 'http://127.0.0.1:9' },
  })
})

test('an answer that does not start or stalls times out', async () => {
  const hanging = (body: string): typeof fetch => replay(body, { ending: 'hang' })
  for (const [fetch, phase, timeouts] of [
    [() => new Promise<Response>(() => {}), 'first-chunk', { firstChunkMs: 50 }],
    [hanging(''), 'first-chunk', { firstChunkMs: 50 }],
    [hanging(sse(chunk({ content: 'Well' }))), 'idle', { idleMs: 50 }],
  ] as const) {
    const config = { provider: 'ai-sdk', model: 'm', timeouts }
    const providers = [fromLanguageModel(modelOf('v4', fetch))]
    const turn = await collect(createProvider(config, { providers }).stream(ask))
    expect(turn.error).toMatchObject({ code: 'timeout', details: { phase } })
  }
})

test('an abort ends the answer and the request', async () => {
  const stop = new AbortController()
  let signal: AbortSignal | null | undefined
  const fetch: typeof globalThis.fetch = (url, init) => {
    signal = init?.signal
    return replay(sse(chunk({ content: 'Well' })), { ending: 'hang' })(url, init)
  }
  const stream = providerOf(modelOf('v4', fetch)).stream(ask, { signal: stop.signal })
  const parts: StreamPart[] = []
  for await (const part of stream) {
    parts.push(part)
    if (part.type === 'text-delta') stop.abort('enough')
  }
  expect(parts.at(-1)).toMatchObject({ type: 'error', error: { code: 'aborted' } })
  expect(signal?.aborted).toBe(true)
})

/** Records the bodies of requests, and answers with `body`. */
function recorded(body: string): {
  readonly fetch: typeof globalThis.fetch
  readonly bodies: { messages: unknown[]; [name: string]: unknown }[]
  readonly headers: Headers[]
} {
  const bodies: { messages: unknown[] }[] = []
  const headers: Headers[] = []
  return {
    bodies,
    headers,
    fetch: (url, init) => {
      bodies.push(JSON.parse(String(init?.body)) as { messages: unknown[] })
      headers.push(new Headers(init?.headers))
      return replay(body)(url, init)
    },
  }
}

const history: readonly Message[] = [
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'Look.' },
      { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'text', text: 'I see.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'get_weather', input: { city: 'Paris' } },
      { type: 'tool-call', toolCallId: 'b', toolName: 'get_weather', input: { city: 'Rome' } },
      { type: 'tool-call', toolCallId: 'c', toolName: 'get_weather', input: { city: 'Oslo' } },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        toolCallId: 'a',
        toolName: 'get_weather',
        output: { type: 'json', value: { sky: 'clear' } },
      },
      {
        type: 'tool-result',
        toolCallId: 'b',
        toolName: 'get_weather',
        output: { type: 'denied', reason: 'Not there' },
      },
    ],
  },
]

test.each(versions)(
  '%s: the request has the conversation, files, results, instructions and live context',
  async (version) => {
    const { fetch, bodies } = recorded(answer)
    await collect(
      providerOf(modelOf(version, fetch)).stream({
        ...ask,
        messages: history,
        instructions: 'Be brief.',
        trailer: 'It is noon.',
      }),
    )
    const [body] = bodies
    expect(body?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
      {
        role: 'assistant',
        content: 'I see.',
        tool_calls: ['Paris', 'Rome', 'Oslo'].map((city, at) => ({
          id: 'abc'[at],
          type: 'function',
          function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: '{"sky":"clear"}' },
      { role: 'tool', tool_call_id: 'b', content: expect.stringContaining('Not there') as string },
      {
        role: 'tool',
        tool_call_id: 'c',
        content: expect.stringContaining('interrupted') as string,
      },
      { role: 'user', content: 'It is noon.' },
    ])
    expect(body?.['tools']).toMatchObject([{ type: 'function', function: { name: 'get_weather' } }])
  },
)

test('the request has the agent’s model settings, and no tools in ACTION mode', async () => {
  const { fetch, bodies, headers } = recorded(answer)
  const providers = [
    fromLanguageModel(modelOf('v4', fetch), { id: 'mine', callOptions: { presencePenalty: 1 } }),
  ]
  const provider = createProvider(
    {
      provider: 'mine',
      model: 'm',
      temperature: 0.2,
      topP: 0.9,
      seed: 7,
      maxOutputTokens: 99,
      stop: ['END'],
      toolChoice: { toolName: 'get_weather' },
      headers: { 'x-app': 'shop' },
    },
    { providers },
  )
  await collect(provider.stream(ask))
  await collect(provider.stream({ ...ask, toolMode: 'action' }))
  expect(bodies[0]).toMatchObject({
    temperature: 0.2,
    top_p: 0.9,
    seed: 7,
    max_tokens: 99,
    stop: ['END'],
    presence_penalty: 1,
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  })
  expect(headers[0]?.get('x-app')).toBe('shop')
  expect(bodies[1]).not.toHaveProperty('tools')
})

test('reasoning and the vendor’s signature return in their place', async () => {
  const signed = async (): Promise<{ stream: ReadableStream<unknown> }> => ({
    stream: new ReadableStream({
      start(controller) {
        const metadata = { vendor: { signature: 's1' } }
        for (const part of [
          { type: 'reasoning-start', id: '1' },
          { type: 'reasoning-delta', id: '1', delta: 'Hm.' },
          { type: 'reasoning-end', id: '1', providerMetadata: metadata },
          { type: 'text-start', id: '2' },
          { type: 'text-delta', id: '2', delta: 'Let me look.' },
          { type: 'text-end', id: '2' },
          { type: 'reasoning-start', id: '3' },
          { type: 'reasoning-delta', id: '3', delta: 'Paris.' },
          { type: 'reasoning-end', id: '3' },
          {
            type: 'tool-call',
            toolCallId: 'a',
            toolName: 'get_weather',
            input: '{"city":"Paris"}',
            providerMetadata: { vendor: { thought: 't' } },
          },
          { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'x' }, usage: {} },
        ])
          controller.enqueue(part)
        controller.close()
      },
    }),
  })
  const prompts: unknown[] = []
  const model: LanguageModelLike = {
    specificationVersion: 'v4',
    provider: 'signing',
    modelId: 'm',
    doStream: ({ prompt }: { prompt: unknown }) => {
      prompts.push(prompt)
      return signed()
    },
  }
  const provider = providerOf(model)
  const turn = await collect(provider.stream(ask))
  const said = (text: string): Message => ({
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: turn.reasoning },
      { type: 'text', text },
      ...turn.toolCalls.map((each) => ({ type: 'tool-call' as const, ...each })),
    ],
    ...(turn.providerMetadata && { providerMetadata: turn.providerMetadata }),
  })
  const [question] = ask.messages as [Message]
  await collect(provider.stream({ ...ask, messages: [question, said(turn.text)] }))
  const reasoning = [
    { type: 'reasoning', text: 'Hm.', providerOptions: { vendor: { signature: 's1' } } },
    { type: 'reasoning', text: 'Paris.' },
  ]
  const called = {
    type: 'tool-call',
    toolCallId: 'a',
    toolName: 'get_weather',
    input: { city: 'Paris' },
    providerOptions: { vendor: { thought: 't' } },
  }
  const text = { type: 'text', text: 'Let me look.' }
  expect(prompts[1]).toMatchObject([
    {},
    { content: [reasoning[0], text, reasoning[1], called] },
    { role: 'tool' },
  ])
  // The app's redaction, or `reflect`, has made another text of it.
  await collect(provider.stream({ ...ask, messages: [question, said('Look!')] }))
  expect(prompts[2]).toMatchObject([
    {},
    { content: [...reasoning, { type: 'text', text: 'Look!' }, called] },
    {},
  ])
})

test('a function creates the model per request, with the page’s key, and after a 401', async () => {
  const { fetch, headers } = recorded(answer)
  const keys: (string | undefined)[] = []
  const providers = [
    fromLanguageModel(({ config, apiKey, fetch: own }) => {
      keys.push(apiKey)
      return specifications.v4({
        ...settings,
        baseURL: config.baseURL!,
        apiKey,
        fetch: own,
      })(config.model)
    }),
  ]
  const provider = createProvider(
    { provider: 'ai-sdk', model: 'named', baseURL: 'http://127.0.0.1:9/v1/' },
    { providers },
  )
  let asked = 0
  const options: StreamOptions = {
    credentials: async (previousRejected, { origin }) => {
      expect(origin).toBe('http://127.0.0.1:9')
      return { apiKey: previousRejected ? 'key-two' : 'key-one' }
    },
    fetch: (url, init) =>
      asked++ === 0
        ? replay('{"error":{"message":"expired"}}', { status: 401 })(url, init)
        : fetch(url, init),
  }
  expect(await collect(provider.stream(ask, options))).toMatchObject({ text: 'Let me look.' })
  expect(keys).toEqual(['key-one', 'key-two'])
  expect(headers[0]?.get('authorization')).toBe('Bearer key-two')
})

test('a value that is not a model is rejected', () => {
  expect(() => fromLanguageModel({} as LanguageModelLike)).toThrow(/language model of the AI SDK/)
})

const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' })
beforeAll(async () => {
  mock.on(
    { userMessage: 'weather', hasToolResult: false },
    {
      content: 'Let me look.',
      toolCalls: [{ name: 'get_weather', arguments: '{"city":"Paris"}' }],
    },
  )
  mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is sunny in Paris.' })
  await mock.start()
})
afterAll(() => mock.stop())

test('over HTTP, an agent runs the tool, sends its result and completes', async () => {
  for (const version of versions) {
    const made = specifications[version]({
      name: 'mock',
      baseURL: `${mock.url}/v1`,
      apiKey: 'dummy',
    })('m')
    const cities: string[] = []
    const agent = createTestAgent({
      model: { provider: 'ai-sdk', model: 'm' },
      providers: [fromLanguageModel(made)],
      tools: [
        defineTool({
          ...weatherTool,
          annotations: { readOnly: true },
          execute: ({ city }: { city: string }) => {
            cities.push(city)
            return 'sunny'
          },
        }),
      ],
    })
    const run = agent.run('The weather?')
    const events: RunEvent[] = []
    for await (const event of run) events.push(event)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'It is sunny in Paris.' })
    expect(cities).toEqual(['Paris'])
    expect(events.map(({ type }) => type)).toContain('tool-input-start')
    await agent.dispose()
  }
})
