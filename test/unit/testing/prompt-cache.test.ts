import { afterEach, expect, test, vi } from 'vitest'
import type { AgentOptions } from '../../../src/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import {
  createTestAgent,
  createTestStorage,
  type TestAgentOptions,
} from '../../../src/testing/index.ts'

// Vendors read the beginning of a prompt from their cache while it is the same, byte for byte.

const HOSTS = /^https:\/\/(?:api\.anthropic\.com|cached\.example\.test)\//
// Agents of other files may still be asking.
const real = globalThis.fetch

afterEach(() => vi.unstubAllGlobals())

type Format = 'chat' | 'responses' | 'messages'

const MODELS: Readonly<Record<Format, AgentOptions['model']>> = {
  chat: { provider: 'openai-compatible', model: 'm', baseURL: 'https://cached.example.test/v1' },
  responses: {
    provider: 'openai',
    api: 'responses',
    model: 'm',
    baseURL: 'https://cached.example.test/v1',
  },
  messages: { provider: 'anthropic', model: 'm' },
}

const USED = {
  chat: {
    usage: { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 7 } },
  },
  responses: {
    usage: { input_tokens: 9, output_tokens: 1, input_tokens_details: { cached_tokens: 7 } },
  },
  messages: {
    usage: { input_tokens: 2, output_tokens: 1, cache_read_input_tokens: 7 },
  },
} as const

const CALLS = 3

/** Calls the tool three times a message, with reasoning, then answers. `refuses`: what a request must not hold. */
function serve(format: Format, refuses?: string): string[] {
  const bodies: string[] = []
  let answers = 0
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!HOSTS.test(url)) return real(url, init)
    const body = String(init.body)
    bodies.push(body)
    const refusal = { error: { type: 'invalid_request_error', message: 'Bad request.' } }
    return Promise.resolve(
      refuses !== undefined && body.includes(refuses)
        ? Response.json(refusal, { status: 400 })
        : events(answer(format, ++answers)),
    )
  })
  return bodies
}

function answer(format: Format, count: number): readonly unknown[] {
  const calls = count % (CALLS + 1) !== 0
  const input = JSON.stringify({ at: `place ${count}` })
  if (format === 'chat') {
    const call = { index: 0, id: `c${count}`, function: { name: 'look', arguments: input } }
    const delta = {
      reasoning_content: 'Hm.',
      content: 'So.',
      ...(calls && { tool_calls: [call] }),
    }
    const finish_reason = calls ? 'tool_calls' : 'stop'
    return [{ choices: [{ index: 0, delta, finish_reason }], ...USED.chat }, '[DONE]']
  }
  if (format === 'responses') {
    const last = calls
      ? { type: 'function_call', id: `fc_${count}`, call_id: `c${count}`, name: 'look' }
      : { type: 'message', id: `msg_${count}`, role: 'assistant' }
    const item = calls
      ? { ...last, arguments: input }
      : { ...last, content: [{ type: 'output_text', text: 'So.', annotations: [] }] }
    const hidden = { type: 'reasoning', id: `rs_${count}`, summary: [], encrypted_content: 'e==' }
    const output = [hidden, { ...item, status: 'completed' }]
    return [
      ...output.map((done, index) => ({
        type: 'response.output_item.done',
        output_index: index,
        item: done,
      })),
      { type: 'response.completed', response: { status: 'completed', output, ...USED.responses } },
    ]
  }
  const blocks = [
    { type: 'thinking', thinking: 'Hm.', signature: `sig${count}` },
    calls
      ? { type: 'tool_use', id: `c${count}`, name: 'look', input: JSON.parse(input) as JsonObject }
      : { type: 'text', text: 'So.' },
  ]
  return [
    { type: 'message_start', message: { id: `m${count}`, ...USED.messages } },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: calls ? 'tool_use' : 'end_turn' } },
    { type: 'message_stop' },
  ]
}

function events(chunks: readonly unknown[]): Response {
  const text = chunks
    .map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    .join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

function open(
  model: AgentOptions['model'],
  { testStorage = createTestStorage(), context }: OpenOptions = {},
) {
  return createTestAgent({
    model: { apiKey: 'sk-dummy', retry: { maxRetries: 0 }, ...model },
    instructions: 'Be brief.',
    ...(context && { context }),
    tools: ['look', 'listen'].map((name) => ({
      name,
      description: 'Finds out.',
      inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
      annotations: { readOnly: true },
      execute: () => 'A gull.',
    })),
    testStorage,
  })
}

type OpenOptions = Pick<TestAgentOptions, 'testStorage' | 'context'>

const MARK = ',"cache_control":{"type":"ephemeral"}'

/** Parts of a request that a vendor caches: tools and instructions, and the conversation without its changing end. */
function promptOf(body: string): { readonly fixed: string; readonly conversation: string } {
  const { tools, system, instructions, messages, input } = JSON.parse(body.replaceAll(MARK, ''))
  const conversation = JSON.stringify(messages ?? input)
  const trailer = conversation.indexOf('Noon plus')
  return {
    fixed: JSON.stringify([tools, system, instructions]),
    conversation: conversation.slice(0, trailer),
  }
}

test.each(Object.keys(MODELS) as Format[])(
  'in the format %s, the prompt prefix stays the same across steps, messages and a reload',
  async (format) => {
    const bodies = serve(format)
    const testStorage = createTestStorage()
    let minutes = 0
    const context = () => `Noon plus ${minutes++} minutes.`
    for (const text of ['Look.', 'Look again.']) {
      const agent = open(MODELS[format], { testStorage, context })
      const { outcome, usage } = await agent.run(text, { conversationId: 'c' }).result
      expect(outcome).toBe('completed')
      expect(usage.cachedInputTokens).toBe(7 * (CALLS + 1))
      await agent.dispose()
    }
    expect(bodies).toHaveLength(2 * (CALLS + 1))
    const prompts = bodies.map(promptOf)
    expect(new Set(prompts.map(({ fixed }) => fixed)).size).toBe(1)
    for (const [at, { conversation }] of prompts.slice(1).entries()) {
      const before = prompts[at]?.conversation ?? ''
      // The trailer joins the last message or is one of its own: what leads to it isn't shared.
      const shared = before.slice(
        0,
        Math.max(...['A gull.', 'Look'].map((text) => before.lastIndexOf(text))),
      )
      expect(shared.length).toBeGreaterThan(20)
      expect(conversation.startsWith(shared)).toBe(true)
      expect(conversation.length).toBeGreaterThan(before.length)
    }
  },
)

const marksOf = (body: string): number => body.split(MARK).length - 1

test("at Anthropic’s address, each request marks the end of the previous one's cache", async () => {
  const bodies = serve('messages')
  const agent = open(MODELS.messages, { context: () => 'Noon plus 1.' })
  await agent.run('Look.').result
  await agent.dispose()
  expect(bodies.map(marksOf)).toEqual([3, 4, 4, 4])
  const marked = bodies.map((body) => {
    const { system, tools, messages } = JSON.parse(body) as {
      readonly [name: string]: JsonObject[]
    }
    expect([system, tools].map((list) => list?.at(-1)?.['cache_control'])).toEqual([
      { type: 'ephemeral' },
      { type: 'ephemeral' },
    ])
    return (messages ?? []).flatMap(({ content }, turn) =>
      JSON.stringify(content).includes(MARK) ? [turn] : [],
    )
  })
  expect(marked).toEqual([[0], [0, 2], [2, 4], [4, 6]])
})

test('an endpoint that refuses cache marks without naming them gets none from then on', async () => {
  const bodies = serve('messages', 'cache_control')
  const model = { ...MODELS.messages, baseURL: 'https://cached.example.test', cache: true }
  const agent = open(model)
  const { outcome } = await agent.run('Look.').result
  expect(outcome).toBe('completed')
  expect(bodies.map((body) => marksOf(body) > 0)).toEqual([true, false, false, false, false])
  await agent.dispose()
})
