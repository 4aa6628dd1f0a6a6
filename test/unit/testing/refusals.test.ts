import { readFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import type { AgentOptions, RunEvent } from '../../../src/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

// Endpoints that refuse a request for its form: the message is answered, and the next ones with one request each.

interface Case {
  readonly name: string
  readonly provider: 'openai' | 'openai-compatible' | 'anthropic'
  readonly status: number
  /** The endpoint refuses while the request's text has this. */
  readonly while: string
  /** The request that is answered has this. */
  readonly keeps?: string
  readonly body: JsonObject
}

const cases = JSON.parse(
  readFileSync(new URL('../../fixtures/providers/refusals.json', import.meta.url), 'utf8'),
) as Case[]

afterEach(() => vi.unstubAllGlobals())

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const HOST = 'https://refusals.example.test'
// Agents of other test files may still send requests.
const real = globalThis.fetch
/** A call id as vLLM generates it. */
const CALL_ID = 'chatcmpl-tool-0123456789abcdef0123456789abcdef'

const DONE = { outcome: 'completed', text: 'Done.', error: undefined }

const tool = {
  name: 'find',
  description: 'Finds things.',
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      what: { type: 'string', pattern: '^[a-z]+$', description: 'Which thing.' },
      place: { $ref: '#/$defs/place' },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      anything: true,
      size: { type: 'number', maximum: 1e300 },
    },
    required: ['what'],
    oneOf: [{ required: ['what'] }],
    $defs: { place: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
  },
  annotations: { readOnly: true },
  execute: () => ({
    type: 'content' as const,
    value: [
      { type: 'text' as const, text: 'Found.' },
      { type: 'file' as const, mediaType: 'image/png', data: PIXEL, filename: 'found.png' },
    ],
  }),
}

interface Endpoint {
  readonly bodies: string[]
  refusals: number
}

/** Calls the tool once a message, then answers; in the format that it is asked in. */
function serve(given: Case): Endpoint {
  const endpoint: Endpoint = { bodies: [], refusals: 0 }
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith(HOST)) return real(url, init)
    const text = String(init.body)
    endpoint.bodies.push(text)
    const body = JSON.parse(text) as JsonObject & { messages: JsonObject[] }
    const refuses =
      given.while === 'ONCE'
        ? endpoint.refusals === 0
        : given.while === 'MISSING_REASONING'
          ? body.messages.some(
              (message) => message['tool_calls'] && !('reasoning_content' in message),
            )
          : new RegExp(given.while).test(text)
    if (refuses) {
      endpoint.refusals++
      return Promise.resolve(Response.json(given.body, { status: given.status }))
    }
    return Promise.resolve(answer(given, body))
  })
  return endpoint
}

function answer({ provider, name }: Case, body: JsonObject & { messages: JsonObject[] }): Response {
  const asked = body.messages.findLastIndex(
    ({ role, content }) => role === 'user' && /Find|Again/.test(JSON.stringify(content)),
  )
  const isFirst = asked === body.messages.length - 1
  const calls = isFirst && Array.isArray(body['tools'])
  if (provider === 'anthropic')
    return events(
      { type: 'message_start', message: { id: `m${body.messages.length}` } },
      ...(calls
        ? [
            block(0, {
              type: 'thinking',
              thinking: 'Hm.',
              signature: `sig${body.messages.length}`,
            }),
            block(1, { type: 'tool_use', id: CALL_ID, name: 'find', input: { what: 'x' } }),
          ].flat()
        : block(0, { type: 'text', text: 'Done.' })),
      { type: 'message_delta', delta: { stop_reason: calls ? 'tool_use' : 'end_turn' } },
      { type: 'message_stop' },
    )
  const call = {
    id: `${CALL_ID}${body.messages.length}`,
    type: 'function',
    function: { name: 'find', arguments: '{"what":"x"}' },
  }
  const message = {
    role: 'assistant',
    content: calls ? null : 'Done.',
    ...(calls && { tool_calls: [call] }),
    ...(calls && name.startsWith('reasoning_content refused') && { reasoning_content: 'Hm.' }),
  }
  const choice = { index: 0, finish_reason: calls ? 'tool_calls' : 'stop' }
  if (body['stream'] === false) return Response.json({ choices: [{ ...choice, message }] })
  const delta = calls ? { ...message, tool_calls: [{ ...call, index: 0 }] } : message
  return events({ choices: [{ ...choice, delta }] }, '[DONE]')
}

function block(index: number, content: JsonObject): JsonObject[] {
  return [
    { type: 'content_block_start', index, content_block: content },
    { type: 'content_block_stop', index },
  ]
}

function events(...chunks: readonly unknown[]): Response {
  const text = chunks
    .map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    .join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

function optionsFor({ provider, name }: Case): AgentOptions['model'] {
  const anthropic = { cache: true }
  return {
    provider,
    model: 'some-model',
    baseURL: `${HOST}/v1`,
    apiKey: 'sk-dummy',
    temperature: 0.3,
    topP: 0.9,
    maxOutputTokens: 32_000,
    retry: { maxRetries: 0 },
    ...(provider === 'anthropic'
      ? anthropic
      : {
          api: 'chat' as const,
          stop: ['STOP'],
          seed: 1,
          parallelToolCalls: true,
          ...(name.startsWith('tool_choice') && { toolChoice: 'required' as const }),
        }),
  }
}

test.each(cases)(
  '$name: this message is answered after retries, and the next ones at once',
  async (given) => {
    const endpoint = serve(given)
    const testStorage = createTestStorage()
    const open = () =>
      createTestAgent({
        model: optionsFor(given),
        instructions: 'Be brief.',
        tools: [tool],
        testStorage,
        maxSteps: 6,
      })
    const ask = async (agent: ReturnType<typeof open>, text: string) => {
      endpoint.bodies.length = 0
      const seen: RunEvent[] = []
      const run = agent.run(
        text === 'Find'
          ? [
              { type: 'text', text },
              {
                type: 'file',
                mediaType: 'image/png',
                data: PIXEL.replace('mNk', 'mNl'),
                filename: 'mine.png',
              },
            ]
          : text,
        { conversationId: 'c' },
      )
      for await (const event of run) seen.push(event)
      const end = await run.result
      const error = 'error' in end ? end.error.message : undefined
      const result = { outcome: end.outcome, text: end.text, error }
      return { result, seen, requests: endpoint.bodies.length }
    }
    const agent = open()
    const first = await ask(agent, 'Find')
    expect(first.result).toEqual(DONE)
    expect(endpoint.refusals).toBeGreaterThan(0)
    expect(endpoint.refusals).toBeLessThanOrEqual(3)
    if (given.keeps) expect(endpoint.bodies.at(-1)).toContain(given.keeps)
    const next = await ask(agent, 'Again')
    expect(next.result).toEqual(DONE)
    const steps = (events: readonly RunEvent[]) =>
      events.filter(({ type }) => type === 'step-start').length
    expect(next.requests).toBe(steps(next.seen))
    await agent.dispose()
    const reloaded = open()
    const later = await ask(reloaded, 'Again, later')
    expect(later.result).toEqual(DONE)
    expect(later.requests).toBe(steps(later.seen))
    await reloaded.dispose()
  },
)
