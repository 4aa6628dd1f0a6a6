import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/index.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { askWeather, replay, sse } from './support/replay.ts'

// Changes of a request after a refusal, by the words of real endpoints.

const ANSWERS: { readonly [provider: string]: JsonObject } = {
  anthropic: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason: 'end_turn',
  },
  openai: {
    object: 'response',
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
    ],
  },
  'openai-compatible': {
    choices: [{ message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
  },
}

interface Endpoint {
  readonly refuses: (body: JsonObject, text: string) => boolean
  readonly status?: number
  readonly refusal: JsonObject | ((body: JsonObject) => JsonObject)
}

let endpoints = 0

/** An endpoint that refuses some requests, and a function that asks it. */
function serve(
  { refuses, status = 400, refusal }: Endpoint,
  config: Partial<ProviderConfig>,
): {
  readonly bodies: JsonObject[]
  readonly ask: (request: ModelRequest) => Promise<StreamPart[]>
} {
  const bodies: JsonObject[] = []
  const provider = createProvider({
    provider: 'openai-compatible',
    model: 'm',
    ...(config.provider === 'openai'
      ? { apiKey: 'sk-123456', model: `m${++endpoints}` }
      : { baseURL: `https://endpoint-${++endpoints}.example.test/v1` }),
    ...config,
  })
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> => {
    const text = String(init?.body)
    const body = JSON.parse(text) as JsonObject
    bodies.push(body)
    return Promise.resolve(
      refuses(body, text)
        ? Response.json(typeof refusal === 'function' ? refusal(body) : refusal, { status })
        : Response.json(ANSWERS[provider.id]),
    )
  }
  const ask = async (request: ModelRequest): Promise<StreamPart[]> => {
    const parts: StreamPart[] = []
    for await (const part of provider.stream(request, { fetch })) parts.push(part)
    return parts
  }
  return { bodies, ask }
}

const ofType = (parts: readonly StreamPart[], wanted: StreamPart['type']): StreamPart[] =>
  parts.filter(({ type }) => type === wanted)

// OpenRouter sends prompts to vendors that keep or train on them unless `provider` forbids it
// (https://openrouter.ai/docs/guides/privacy/zdr).
test.each([
  [
    404,
    'No endpoints found matching your data policy. See https://openrouter.ai/settings/privacy',
    1,
  ],
  [404, 'No endpoints found that can handle the requested parameters. See provider routing.', 4],
  [400, 'Bad request.', 3],
  [400, 'Unknown parameter: `provider`.', 3],
])(
  'a rule on who may get the prompt is never left out: %i %s',
  async (status, message, requests) => {
    const rule = { data_collection: 'deny', zdr: true }
    const { bodies, ask } = serve(
      { refuses: (body) => 'provider' in body, status, refusal: { error: { message } } },
      { extraBody: { provider: rule } },
    )
    const parts = await ask(askWeather)
    expect(ofType(parts, 'error')).toMatchObject([
      { error: { message: expect.stringContaining(message) as string } },
    ])
    expect(bodies.map(({ provider }) => provider)).toEqual(Array(requests).fill(rule))
  },
)

test('a refusal of unknown words leaves out options, but no field of extraBody, and says so', async () => {
  const extraBody = { safe_prompt: true, thinking: { type: 'disabled' } }
  const { bodies, ask } = serve(
    { refuses: (body) => 'seed' in body, refusal: { error: 'Bad request.' } },
    { temperature: 0.3, seed: 7, extraBody },
  )
  const parts = await ask({ ...askWeather, instructions: 'Be brief.' })
  expect(bodies.at(-1)).toMatchObject(extraBody)
  expect(bodies.at(-1)).not.toHaveProperty('temperature')
  expect(ofType(parts, 'warning')).toMatchObject([
    {
      code: 'request-changed',
      message: expect.stringMatching(/Options were left out.*Bad request/s) as string,
    },
  ])
})

const picture = { type: 'file', mediaType: 'image/png', data: 'aGk=', filename: 'map.png' } as const
const thinking = { type: 'enabled', budget_tokens: 2048 }
const signed = [
  { type: 'thinking', thinking: 'Hm.', signature: 'sig1' },
  { type: 'text', text: 'Hi.' },
]
const reasoned = [
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA1' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
]
const earlier: ModelRequest = {
  instructions: 'Be brief.',
  tools: [],
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'Hi' }, picture] },
    {
      role: 'assistant',
      parts: [{ type: 'text', text: 'Hi.' }],
      providerMetadata: { anthropic: { content: signed }, openai: { items: reasoned } },
    },
    { role: 'user', parts: [{ type: 'text', text: 'And?' }] },
  ],
}

test.each([
  ['anthropic', 'messages.1.content.0: Invalid `signature` in `thinking` block', null],
  [
    'anthropic',
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    null,
  ],
  [
    'anthropic',
    'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    null,
  ],
  ['openai', 'The encrypted content gAAA...DQ== could not be verified.', null],
  [
    'openai',
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    'input',
  ],
] as const)(
  'refused reasoning of %s costs the reasoning only: %s',
  async (provider, message, param) => {
    const { bodies, ask } = serve(
      {
        refuses: (_, text) => text.includes('sig1') || text.includes('gAAA1'),
        refusal: { error: { type: 'invalid_request_error', message, param } },
      },
      { provider, extraBody: { thinking, reasoning: { effort: 'low' } } },
    )
    const parts = await ask(earlier)
    expect(bodies).toHaveLength(2)
    const { messages: _, input: __, ...before } = bodies[0] ?? {}
    expect(bodies[1]).toMatchObject(before)
    expect(JSON.stringify([bodies[1]?.['messages'] ?? bodies[1]?.['input']])).toContain('aGk=')
    expect(ofType(parts, 'warning')).toMatchObject([
      { message: expect.stringContaining('Earlier reasoning was left out.') as string },
    ])
  },
)

test('a refused picture costs no reasoning when the name of the model contains "thinking"', async () => {
  const { bodies, ask } = serve(
    {
      refuses: (_, text) => text.includes('aGk='),
      refusal: {
        error: {
          message:
            "Invalid messages[0].content[1]: image_url is not supported by model 'glm-4.1v-thinking'",
        },
      },
    },
    { provider: 'anthropic', extraBody: { thinking } },
  )
  expect(ofType(await ask(earlier), 'error')).toEqual([])
  expect(JSON.stringify(bodies.at(-1))).toContain('sig1')
})

test('thinking that a model refuses is left out as an option, and earlier thinking stays whole', async () => {
  const { bodies, ask } = serve(
    {
      refuses: (body) => 'thinking' in body,
      refusal: { error: { message: '`thinking` is not supported by this model.' } },
    },
    { provider: 'anthropic', extraBody: { thinking } },
  )
  expect(ofType(await ask(earlier), 'warning')).toEqual([])
  expect(bodies).toHaveLength(2)
  expect(JSON.stringify(bodies[1])).toContain(JSON.stringify(signed[0]))
})

test.each([
  // xAI: https://github.com/BerriAI/litellm/issues/12635
  [
    'stop',
    {
      code: 'Client specified an invalid argument',
      error: 'Argument not supported on this model: stop',
    },
  ],
  // Moonshot, for all of its models that reason.
  ['temperature', { error: { message: 'invalid temperature: only 1 is allowed for this model' } }],
  ['temperature', { error: { message: 'temperature: range: 0..1' } }],
  // OpenAI, for models that don't reason.
  [
    'include',
    { error: { message: 'Encrypted content is not supported with this model.', param: 'include' } },
  ],
])('a refusal that names `%s` without quotes costs that field only: %j', async (field, refusal) => {
  const { bodies, ask } = serve(
    { refuses: (body) => field in body, refusal },
    {
      temperature: 0.3,
      stop: ['END'],
      seed: 7,
      ...(field === 'include' && { provider: 'openai' }),
    },
  )
  expect(ofType(await ask(earlier), 'warning')).toEqual([])
  const { [field]: _, ...rest } = bodies[0] ?? {}
  expect(bodies.slice(1)).toEqual([rest])
})

test.each([
  [
    'image/svg+xml',
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  ],
  ['image/svg+xml', 'Unsupported MIME type: image/svg+xml'],
  ['image/webp', 'The image was not accepted: it has more than 25 megapixels'],
  [
    'text/csv',
    "Invalid file data: 'messages[0].content[1].file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type, but got unsupported MIME type 'text/csv'.",
  ],
])('a file of an unsupported type, %s, costs no other file: %s', async (mediaType, message) => {
  const { bodies, ask } = serve(
    { refuses: (_, text) => text.includes(`data:${mediaType};`), refusal: { error: { message } } },
    {},
  )
  const file = { type: 'file', mediaType, data: 'eA==', filename: 'other' } as const
  const look = (...parts: (typeof picture | typeof file)[]): ModelRequest => ({
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Look' }, ...parts] }],
    tools: [],
  })
  for (const request of [look(picture, file), look(picture)]) {
    expect(ofType(await ask(request), 'error')).toEqual([])
    expect(JSON.stringify(bodies.at(-1))).toContain('data:image/png;')
  }
})

const badCall = {
  message: "Failed to call a function. Please adjust your prompt. See 'failed_generation'.",
  type: 'invalid_request_error',
  code: 'tool_use_failed',
  failed_generation: '<function=get_weather>{"city":"Rome"',
}

test('a call that the server could not read is fed back, and changes no request', async () => {
  let requests = 0
  const { bodies, ask } = serve(
    { refuses: () => ++requests === 1, refusal: { error: badCall } },
    {},
  )
  expect(await ask(askWeather)).toMatchObject([{ type: 'action-error' }, { type: 'finish' }])
  expect(ofType(await ask(askWeather), 'finish')).toHaveLength(1)
  expect(bodies).toEqual([bodies[0], bodies[0]])
})

test('a call that the server could not read after reasoning is fed back, too', async () => {
  const thought = sse({ choices: [{ index: 0, delta: { role: 'assistant', reasoning: 'Hm.' } }] })
  const error = JSON.stringify({ error: { ...badCall, status_code: 400 } })
  const provider = createProvider({
    provider: 'openai-compatible',
    model: 'm',
    baseURL: 'https://thought.example.test/v1',
  })
  const fetch = replay(`${thought}event: error\ndata: ${error}\n\n`)
  const types: string[] = []
  for await (const { type } of provider.stream(askWeather, { fetch })) types.push(type)
  expect(types).toEqual(['reasoning-delta', 'action-error', 'finish'])
})

test('when no form is accepted, the error also has what was said of the request as it was', async () => {
  const { ask } = serve(
    {
      refuses: () => true,
      refusal: ({ max_tokens: limit }) => ({
        message:
          limit === undefined
            ? 'max_tokens: Field required'
            : '`max_tokens` must be greater than `thinking.budget_tokens`.',
      }),
    },
    { provider: 'anthropic', extraBody: { thinking: { type: 'enabled', budget_tokens: 10_000 } } },
  )
  expect((await ask(askWeather)).at(-1)).toMatchObject({
    error: { message: expect.stringMatching(/thinking\.budget_tokens.*Field required/s) as string },
  })
})
