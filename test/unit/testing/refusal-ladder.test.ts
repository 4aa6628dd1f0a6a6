import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { someOf } from '../more.ts'

// Whatever an endpoint refuses, named or not: at most four requests for a message, and the next one works at once.

const HOST = 'https://ladder.example.test'
// Agents of other files may still be asking.
const real = globalThis.fetch

afterEach(() => vi.unstubAllGlobals())

/** Features of a request: how to detect each, and the words by which endpoints refuse it. */
const FEATURES: Readonly<Record<string, readonly [has: RegExp, words: string]>> = {
  image: [/"image_url"/, 'image input is not supported'],
  pattern: [/"pattern"/, 'failed to parse grammar'],
  system: [/"role":"system"/, 'System role not supported'],
  temperature: [/"temperature"/, "Unsupported parameter: 'temperature'"],
  seed: [/"seed"/, "Unsupported parameter: 'seed'"],
  streaming: [/"stream":true/, 'Streaming is not available for this model'],
  tools: [/"tools":/, 'this model does not support tools'],
}

interface Endpoint {
  readonly refuses: readonly string[]
  /** A refusal says what it is about. */
  readonly isNamed: boolean
  readonly status: number
}

const endpoints: fc.Arbitrary<Endpoint> = fc.record({
  refuses: fc.subarray(Object.keys(FEATURES), { minLength: 1 }),
  isNamed: fc.boolean(),
  status: fc.constantFrom(400, 422),
})

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function serve({ refuses, isNamed, status }: Endpoint): string[] {
  const bodies: string[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith(HOST)) return real(url, init)
    const body = String(init.body)
    bodies.push(body)
    const refused = refuses.map((name) => FEATURES[name]).find((one) => one?.[0].test(body))
    return Promise.resolve(
      refused ? refusal(status, isNamed ? refused[1] : 'Bad request.') : answer(body),
    )
  })
  return bodies
}

function refusal(status: number, message: string): Response {
  return Response.json({ error: { message, type: 'invalid_request_error' } }, { status })
}

function answer(body: string): Response {
  const message = { role: 'assistant', content: 'Done.' }
  if ((JSON.parse(body) as JsonObject)['stream'] === false)
    return Response.json({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
  const chunk = { choices: [{ index: 0, delta: message, finish_reason: 'stop' }] }
  return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
}

function open(more: { readonly maxOutputTokens?: number } = {}) {
  return createTestAgent({
    model: {
      provider: 'openai-compatible',
      model: 'm',
      baseURL: `${HOST}/v1`,
      temperature: 0.5,
      seed: 1,
      retry: { maxRetries: 0 },
      ...more,
    },
    instructions: 'Be brief.',
    tools: [
      {
        name: 'find',
        description: 'Finds things.',
        inputSchema: {
          type: 'object',
          properties: { what: { type: 'string', pattern: '^[a-z]+$' } },
        },
        execute: () => 'Found.',
      },
    ],
  })
}

const picture = { type: 'file', mediaType: 'image/png', data: PIXEL } as const

test('random refusals are resolved within four requests, and the next message needs one', async () => {
  await fc.assert(
    fc.asyncProperty(endpoints, async (endpoint) => {
      const bodies = serve(endpoint)
      const agent = open()
      const options = { conversationId: 'c' }
      const first = await agent.run([{ type: 'text', text: 'Look' }, picture], options).result
      expect(first).toMatchObject({ outcome: 'completed', text: 'Done.' })
      expect(bodies.length).toBeLessThanOrEqual(4)
      bodies.length = 0
      const next = await agent.run('Again', options).result
      expect(next).toMatchObject({ outcome: 'completed', text: 'Done.' })
      expect(bodies).toHaveLength(1)
      await agent.dispose()
    }),
    { numRuns: someOf(100) },
  )
})

test.each([
  [400, 'Your request was rejected by the content policy.'],
  [400, 'Output data may contain inappropriate content.'],
  [400, 'Output blocked by content filtering policy'],
  [400, 'The request failed because the input text may contain sensitive information.'],
  [400, 'API key not valid. Please pass a valid API key.'],
  [403, 'This key may not use the model.'],
  [402, 'Insufficient Balance'],
  [400, 'Your credit balance is too low to access the API.'],
  [404, 'The model `m` does not exist or you do not have access to it.'],
  [404, 'Not found'],
  [400, 'API key expired. Please renew the API key.'],
  [400, 'Content Exists Risk'],
  [400, 'Model Not Exist'],
])(
  '%i "%s" is not about the form of the request: one request, and the run reports it',
  async (status, message) => {
    const bodies: string[] = []
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      if (!url.startsWith(HOST)) return real(url, init)
      bodies.push(String(init.body))
      return Promise.resolve(Response.json({ error: { message } }, { status }))
    })
    const agent = open()
    const result = await agent.run([{ type: 'text', text: 'Look' }, picture]).result
    expect(result).toMatchObject({ outcome: 'failed' })
    expect('error' in result && result.error.message).toContain(message)
    expect(bodies).toHaveLength(1)
    await agent.dispose()
  },
)

test('a content filter known only by its code is not retried', async () => {
  const bodies: string[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith(HOST)) return real(url, init)
    bodies.push(String(init.body))
    const error = { message: 'The response was filtered.', code: 'content_filter' }
    return Promise.resolve(Response.json({ error }, { status: 400 }))
  })
  const agent = open()
  const result = await agent.run('Look').result
  expect('error' in result && result.error.code).toBe('content-filtered')
  expect(bodies).toHaveLength(1)
  await agent.dispose()
})

test('a refused token limit is left out, whatever the status of the answer', async () => {
  const bodies: JsonObject[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith(HOST)) return real(url, init)
    const body = String(init.body)
    bodies.push(JSON.parse(body) as JsonObject)
    return Promise.resolve(
      body.includes('"max_tokens":8192')
        ? refusal(422, 'max_tokens: value too high')
        : answer(body),
    )
  })
  const agent = open({ maxOutputTokens: 8_192 })
  expect(await agent.run('Look').result).toMatchObject({ outcome: 'completed' })
  expect(bodies[1]).not.toHaveProperty('max_tokens')
  await agent.dispose()
})

test("an unresolvable refusal ends after four requests with the endpoint's message", async () => {
  const bodies: string[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith(HOST)) return real(url, init)
    bodies.push(String(init.body))
    return Promise.resolve(refusal(400, 'No.'))
  })
  const agent = open()
  const result = await agent.run([{ type: 'text', text: 'Look' }, picture]).result
  expect('error' in result && result.error.message).toContain('400: No.')
  expect(bodies).toHaveLength(4)
  await agent.dispose()
})

test('nothing is requested again after text was shown', async () => {
  let requests = 0
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith(HOST)) return real(url, init)
    requests++
    const chunks = [
      { choices: [{ delta: { content: 'Half' } }] },
      { error: { message: "Unsupported parameter: 'seed'", code: 400 } },
    ]
    return Promise.resolve(
      new Response(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      }),
    )
  })
  const agent = open()
  const result = await agent.run('Look').result
  expect(result).toMatchObject({ outcome: 'failed', text: 'Half' })
  expect(requests).toBe(1)
  await agent.dispose()
})

test('an error before any streamed content is resolved like a refused request', async () => {
  const bodies: string[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith(HOST)) return real(url, init)
    const body = String(init.body)
    bodies.push(body)
    if (!body.includes('"seed"')) return Promise.resolve(answer(body))
    const chunk = { error: { message: "Unsupported parameter: 'seed'", code: 400 } }
    return Promise.resolve(
      new Response(`data: ${JSON.stringify(chunk)}\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      }),
    )
  })
  const agent = open()
  expect(await agent.run('Look').result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(bodies).toHaveLength(2)
  await agent.dispose()
})

test('optional fields refused separately are left out together, and tools stay native', async () => {
  const fields = ['seed', 'temperature', 'top_p', 'stop', 'parallel_tool_calls', 'tool_choice']
  const bodies: JsonObject[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith(HOST)) return real(url, init)
    const body = JSON.parse(String(init.body)) as JsonObject
    bodies.push(body)
    const refused = fields.find((name) => name in body)
    if (refused === undefined) return Promise.resolve(answer(String(init.body)))
    const message = `Unsupported parameter: '${refused}'.`
    return Promise.resolve(Response.json({ error: { message } }, { status: 400 }))
  })
  const more = { topP: 0.9, stop: ['STOP'], parallelToolCalls: true, toolChoice: 'required' }
  const agent = open(more as object)
  const result = await agent.run('Look').result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(bodies).toHaveLength(3)
  expect(bodies[2]).toHaveProperty('tools')
})
