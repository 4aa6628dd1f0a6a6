import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/index.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { askWeather } from './support/replay.ts'

// What a refusal may change of a request, by the words of real endpoints.

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
      message: expect.stringMatching(/options.*instructions.*Bad request/is) as string,
    },
  ])
})
