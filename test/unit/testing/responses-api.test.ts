import { afterEach, expect, test, vi } from 'vitest'
import type { AgentOptions, RunEvent } from '../../../src/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

// Which of OpenAI's wire formats an endpoint is asked in, through an agent.

const HOSTS = /^https?:\/\/(?:api\.openai\.com|gateway\.example\.test|localhost:1234)\//
// Agents of other files may still be asking.
const real = globalThis.fetch

afterEach(() => vi.unstubAllGlobals())

interface Asked {
  readonly url: string
  readonly body: JsonObject
}

const REFUSAL =
  "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'."

/** An endpoint that takes tools on the Responses API only, where it has one. */
function serve({ hasResponses = true } = {}): Asked[] {
  const asked: Asked[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!HOSTS.test(url)) return real(url, init)
    const body = JSON.parse(String(init.body)) as JsonObject
    asked.push({ url, body })
    return Promise.resolve(answer(url, body, hasResponses))
  })
  return asked
}

function answer(url: string, body: JsonObject, hasResponses: boolean): Response {
  const { pathname } = new URL(url)
  if (pathname.endsWith('/responses'))
    return hasResponses
      ? responsesAnswer(body)
      : Response.json({ error: { message: 'Not found' } }, { status: 404 })
  if (body['tools']) return Response.json({ error: { message: REFUSAL } }, { status: 400 })
  return events({ choices: [{ delta: { content: 'By chat.' }, finish_reason: 'stop' }] }, '[DONE]')
}

const reasoning = (id: string): JsonObject => ({
  type: 'reasoning',
  id,
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: `secret-${id}`,
})

const functionCall = (id: string): JsonObject => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: 'look',
  arguments: `{ "at" : "${id}" }`,
  status: 'completed',
})

/** Two parallel calls twice, and then an answer: each step with its reasoning. */
function responsesAnswer({ input }: JsonObject): Response {
  const items = input as JsonObject[]
  const asked = items.findLastIndex(({ role }) => role === 'user')
  const step = items.slice(asked).filter(({ type }) => type === 'reasoning').length
  const id = `${asked}_${step}`
  const message: JsonObject = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    phase: 'final_answer',
    content: [{ type: 'output_text', text: 'By responses.', annotations: [] }],
  }
  const output =
    step < 2
      ? [reasoning(`rs_${id}`), functionCall(`${id}a`), functionCall(`${id}b`)]
      : [reasoning(`rs_${id}`), message]
  return events(
    { type: 'response.created', response: { id: `resp_${id}`, status: 'in_progress', output: [] } },
    ...output.flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: { id: `resp_${id}`, status: 'completed', output } },
  )
}

function events(...chunks: readonly unknown[]): Response {
  const text = chunks
    .map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    .join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

function open(model: Partial<AgentOptions['model'] & object>, testStorage = createTestStorage()) {
  return createTestAgent({
    model: { provider: 'openai', model: 'gpt-5.6', apiKey: 'sk-dummy', ...model },
    tools: [
      {
        name: 'look',
        description: 'Looks.',
        inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
        annotations: { readOnly: true },
        execute: ({ at }: { at: string }) => `Seen at ${at}.`,
      },
    ],
    testStorage,
  })
}

async function ask(agent: ReturnType<typeof open>, text: string) {
  const run = agent.run(text, { conversationId: 'c' })
  const seen: RunEvent[] = []
  for await (const event of run) seen.push(event)
  const result = await run.result
  return {
    outcome: result.outcome,
    text: result.text,
    warnings: seen.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
  }
}

const paths = (asked: readonly Asked[]): string[] => [
  ...new Set(asked.map(({ url }) => new URL(url).pathname)),
]

test("at OpenAI's own address, the Responses API is used", async () => {
  const asked = serve()
  const agent = open({})
  expect(await ask(agent, 'Go')).toEqual({
    outcome: 'completed',
    text: 'By responses.',
    warnings: [],
  })
  expect(paths(asked)).toEqual(['/v1/responses'])
  await agent.dispose()
})

test('items of three steps are sent back unchanged, even after a reload', async () => {
  const asked = serve()
  const testStorage = createTestStorage()
  const agent = open({}, testStorage)
  await ask(agent, 'Go')
  await agent.dispose()
  const reloaded = open({}, testStorage)
  await ask(reloaded, 'Again')
  await reloaded.dispose()
  const own = (body: JsonObject): string[] =>
    (body['input'] as JsonObject[])
      .filter(({ type, role }) => type !== 'function_call_output' && role !== 'user')
      .map((item) => JSON.stringify(item))
  const made = ['0_0', '0_1'].flatMap((id) => [
    JSON.stringify(reasoning(`rs_${id}`)),
    JSON.stringify(functionCall(`${id}a`)),
    JSON.stringify(functionCall(`${id}b`)),
  ])
  expect(asked).toHaveLength(6)
  expect(own(asked[1]?.body ?? {})).toEqual(made.slice(0, 3))
  expect(own(asked[2]?.body ?? {})).toEqual(made)
  const later = own(asked[3]?.body ?? {})
  expect(later.slice(0, 6)).toEqual(made)
  expect(later.slice(6).map((item) => JSON.parse(item).type)).toEqual(['reasoning', 'message'])
  const outputs = ((asked[2]?.body['input'] ?? []) as JsonObject[]).filter(
    ({ type }) => type === 'function_call_output',
  )
  expect(outputs.map((item) => item['call_id'])).toEqual([
    'call_0_0a',
    'call_0_0b',
    'call_0_1a',
    'call_0_1b',
  ])
})

test('at another address, refused tools on Chat Completions switch to the Responses API once', async () => {
  const asked = serve()
  const testStorage = createTestStorage()
  const model = { baseURL: 'https://gateway.example.test/v1' }
  const agent = open(model, testStorage)
  const first = await ask(agent, 'Go')
  expect(first).toMatchObject({ outcome: 'completed', text: 'By responses.' })
  expect(first.warnings).toHaveLength(1)
  expect(first.warnings[0]).toContain("Set api: 'responses'")
  expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([
    '/v1/chat/completions',
    ...Array.from({ length: 3 }, () => '/v1/responses'),
  ])
  await agent.dispose()
  asked.length = 0
  const reloaded = open(model, testStorage)
  expect((await ask(reloaded, 'Again')).warnings).toEqual([])
  expect(paths(asked)).toEqual(['/v1/responses'])
  await reloaded.dispose()
})

test('a gateway without a Responses API gets tools as text', async () => {
  const asked = serve({ hasResponses: false })
  const agent = open({ baseURL: 'https://gateway.example.test/v1' })
  const { outcome, text, warnings } = await ask(agent, 'Go')
  expect({ outcome, text }).toEqual({ outcome: 'completed', text: 'By chat.' })
  expect(warnings[0]).toContain(REFUSAL)
  expect(asked).toHaveLength(3)
  await agent.dispose()
})

test("with api: 'chat', the refused tools warning recommends api: 'responses'", async () => {
  const asked = serve()
  const agent = open({ api: 'chat' })
  const { text, warnings } = await ask(agent, 'Go')
  expect(text).toBe('By chat.')
  expect(warnings[0]).toContain("Set api: 'responses'")
  expect(paths(asked)).toEqual(['/v1/chat/completions'])
  await agent.dispose()
})

test("with api: 'responses', any server is called on the Responses API", async () => {
  const asked = serve()
  const agent = open({
    provider: 'openai-compatible',
    baseURL: 'http://localhost:1234/v1',
    api: 'responses',
  })
  expect((await ask(agent, 'Go')).text).toBe('By responses.')
  expect(paths(asked)).toEqual(['/v1/responses'])
  await agent.dispose()
})

test('a conversation that changes its format keeps calls with results, without foreign reasoning', async () => {
  const asked = serve()
  const testStorage = createTestStorage()
  const agent = open({}, testStorage)
  await ask(agent, 'Go')
  await agent.dispose()
  const chat = open({ api: 'chat', toolMode: 'native', toolChoice: 'none' }, testStorage)
  await ask(chat, 'In the other format')
  await chat.dispose()
  const messages = (asked.at(-1)?.body['messages'] ?? []) as JsonObject[]
  const ids = messages.flatMap(({ tool_calls: calls }) =>
    ((calls ?? []) as JsonObject[]).map(({ id }) => id),
  )
  expect(ids).toEqual(['call_0_0a', 'call_0_0b', 'call_0_1a', 'call_0_1b'])
  expect(messages.flatMap(({ role, tool_call_id: id }) => (role === 'tool' ? [id] : []))).toEqual(
    ids,
  )
  expect(JSON.stringify(messages)).not.toContain('secret-')
})

test('encrypted reasoning of OpenAI’s own address goes to no other one', async () => {
  const asked = serve()
  const testStorage = createTestStorage()
  const agent = open({}, testStorage)
  await ask(agent, 'Go')
  await agent.dispose()
  const baseURL = 'https://gateway.example.test/v1'
  const moved = open({ api: 'responses', baseURL }, testStorage)
  await ask(moved, 'At another address')
  await moved.dispose()
  const [, , , first, second] = asked.map(({ body }) => JSON.stringify(body))
  expect(first).toContain('call_0_1b')
  expect(first).not.toContain('secret-')
  expect(second).toContain('secret-')
})
