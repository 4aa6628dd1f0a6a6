import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, type TestAgentOptions } from '../../../src/testing/index.ts'

const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const picture = {
  name: 'look',
  description: 'Takes a picture.',
  execute: () =>
    new Blob([Uint8Array.from(atob(PICTURE), (char) => char.charCodeAt(0))], { type: 'image/png' }),
}

describe('a picture returned by a tool', () => {
  // aimock: a server that somebody else wrote. It answers by what it finds in the request.
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' })
  beforeAll(async () => {
    const sees = (request: unknown): boolean =>
      JSON.stringify(request).includes(`data:image/png;base64,${PICTURE}`)
    mock.on({ predicate: sees }, { content: 'I see a picture.' })
    mock.on({ userMessage: 'Look' }, { content: 'I look.\n<ACTION><look/></ACTION>' })
    await mock.start()
  })
  afterAll(() => mock.stop())

  test.each([
    ['in ACTION mode', { toolMode: 'action' }],
    ['in one prompt', { toolMode: 'action', inputMode: 'prompt' }],
  ] as const)('reaches a model that reads pictures, %s', async (_name, mode) => {
    const agent = createTestAgent({
      model: { provider: 'openai-compatible', model: 'm', baseURL: `${mock.url}/v1`, ...mode },
      tools: [picture],
    })
    onTestFinished(() => agent.dispose())
    expect(await agent.run('Look').result).toMatchObject({
      outcome: 'completed',
      text: 'I see a picture.',
    })
  })
})

/** An agent with a tool `add`, whose model says these texts in turn, and the requests that it was sent. */
function stage(texts: readonly string[], options: TestAgentOptions = {}) {
  const requests: ModelRequest[] = []
  const ran: unknown[] = []
  const provider: StreamProviderDefinition = {
    id: 'local',
    async *stream(request) {
      requests.push(request)
      yield { type: 'text-delta', delta: texts[requests.length - 1] ?? 'Done.' }
      yield { type: 'finish', finishReason: 'stop' }
    },
  }
  const agent = createTestAgent({
    providers: [provider],
    tools: [
      {
        name: 'add',
        description: 'Adds.',
        inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
        execute: (input) => (ran.push(input), 'added'),
      },
      { name: 'clear', description: 'Clears.', execute: () => 'cleared' },
    ],
    ...options,
    model: { provider: 'local', model: 'm', toolMode: 'action', ...options.model },
  })
  onTestFinished(() => agent.dispose())
  return { agent, requests, ran }
}

const TWO = '<ACTION><add><n>1</n></add><add><n>2</n></add></ACTION>'

test('providers that yield single parts are read like ones that yield lists', async () => {
  const { agent } = stage([])
  expect(await agent.run('Go.').result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

describe('parallelToolCalls: false in ACTION mode', () => {
  const model = { provider: 'local', parallelToolCalls: false }

  test('asks for one call, runs the first and refuses others with the reason', async () => {
    const { agent, requests, ran } = stage(
      [1, 2, 3, 4, 5, 6].map((n) => `<ACTION><add><n>${n}</n></add><clear/></ACTION>`),
      { model, retries: 0 },
    )
    const result = await agent.run('Go.').result
    expect(requests[0]?.instructions).toContain('Make one call at a time')
    expect(requests[0]?.instructions).not.toContain('Several calls')
    expect(ran[0]).toEqual({ n: 1 })
    expect(ran).toHaveLength(6)
    const sent = JSON.stringify(requests[1]?.messages)
    expect(sent).toContain('Tool add succeeded. Result: added')
    expect(sent).toContain('Tool clear was denied: Only one call may be made at a time')
    // Refusals are no invalid calls, which end a run.
    expect(result).toMatchObject({ outcome: 'completed' })
  })

  test('when left out, several calls run in order', async () => {
    const { agent, requests, ran } = stage([TWO])
    await agent.run('Go.').result
    expect(requests[0]?.instructions).toContain('Several calls run in order')
    expect(ran).toEqual([{ n: 1 }, { n: 2 }])
  })
})

test('a one-shot answer with an invalid call is corrected before the page gets any', async () => {
  const wrong = '<ACTION><add><n>1</n></add><add><m>2</m></add></ACTION>'
  const { agent, requests, ran } = stage([wrong, TWO], { maxSteps: 0 })
  const result = await agent.run('Go.').result
  expect(requests).toHaveLength(2)
  const sent = JSON.stringify(requests[1]?.messages)
  expect(sent).toContain('Another call is invalid, so it did not run.')
  expect(sent).toContain("unknown parameter 'm'")
  expect(ran).toEqual([])
  expect(result).toMatchObject({
    outcome: 'waiting',
    pending: [{ input: { n: 1 } }, { input: { n: 2 } }],
  })
})

test('the example of nested values has a property even if all are optional', async () => {
  const inputSchema = {
    type: 'object',
    properties: { o: { type: 'object', properties: { city: { type: 'string' } } } },
  }
  const { agent, requests } = stage([], {
    tools: [{ name: 'move', description: 'Moves.', inputSchema, execute: () => 'moved' }],
  })
  await agent.run('Go.').result
  expect(requests[0]?.instructions).toContain('<o><city>example city</city></o>')
})

test('a script continues where it was when its older answers are no longer sent', async () => {
  const call = { toolCalls: [{ toolName: 'read', input: {} }] }
  const agent = createTestAgent({
    model: {
      provider: 'scripted',
      model: 'scripted',
      contextWindow: 6_000,
      script: { steps: [call, call, call, call, call, { text: 'All read.' }] },
    },
    tools: [
      {
        name: 'read',
        description: 'Reads.',
        annotations: { readOnly: true, untrustedContent: false },
        execute: () => Math.random().toString().repeat(400),
      },
    ],
  })
  onTestFinished(() => agent.dispose())
  const run = agent.run('Go.')
  const result = await run.result
  const { rows = [] } = (await agent.conversations.rows(run.conversationId)) ?? {}
  expect(rows.filter(({ type }) => type === 'compacted').length).toBeGreaterThan(0)
  expect(result).toMatchObject({ outcome: 'completed', text: 'All read.', steps: 6 })
})
