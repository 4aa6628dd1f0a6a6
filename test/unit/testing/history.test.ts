import type { MessageParam } from '@anthropic-ai/sdk/resources/messages'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { describe, expect, expectTypeOf, it, test } from 'vitest'
import type { HistoryMessage, Message } from '../../../src/index.ts'
import { importHistory } from '../../../src/providers/history/import-history.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

const script = { steps: [{ text: 'Noted.' }, { text: 'Done.' }] }

const openai: ChatCompletionMessageParam[] = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Two mugs' }] },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"q":"mug"}' } },
      { id: 'call_2', type: 'function', function: { name: 'add', arguments: '{"n":2}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'found' },
]

const anthropic: MessageParam[] = [
  { role: 'user', content: 'Two mugs' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'call_1', name: 'find', input: { q: 'mug' } },
      { type: 'tool_use', id: 'call_2', name: 'add', input: { n: 2 } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'found' }] },
    ],
  },
]

const own: Message[] = [
  { role: 'user', parts: [{ type: 'text', text: 'Two mugs' }] },
  {
    role: 'assistant',
    parts: [
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'find', input: { q: 'mug' } },
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'add', input: { n: 2 } },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'find',
        output: { type: 'text', value: 'found' },
      },
    ],
  },
]

const shapes: [string, readonly HistoryMessage[]][] = [
  ['OpenAI’s', openai],
  ['Anthropic’s', anthropic],
  ['Offstage’s', own],
]

it('history accepts the vendors’ own message types', () => {
  expectTypeOf<ChatCompletionMessageParam>().toExtend<HistoryMessage>()
  expectTypeOf<MessageParam>().toExtend<HistoryMessage>()
})

describe.each(shapes)('a history in %s shape', (_, history) => {
  it('with open calls is stored, lists them, and continues with the last output', async () => {
    const agent = createTestAgent({ script })
    const run = await agent.run('And a pot', { conversationId: 'c', history }).result
    expect(run).toMatchObject({ outcome: 'failed', error: { code: 'calls-pending' } })
    expect(run.outcome === 'failed' && run.error.message).toContain('add (call_2)')
    const stored = await agent.conversations.get('c')
    expect(stored?.pending).toEqual([
      { toolCallId: 'call_2', toolName: 'add', input: { n: 2 }, kind: 'output' },
    ])
    const next = await agent.supplyOutput('call_2', { ok: true })
    expect(await next?.result).toMatchObject({ outcome: 'completed' })
    const messages = (await agent.conversations.get('c'))?.messages ?? []
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.parts : []))
    expect(results).toMatchObject([
      { toolCallId: 'call_1', toolName: 'find', output: { type: 'text', value: 'found' } },
      { toolCallId: 'call_2', toolName: 'add', output: { type: 'json', value: { ok: true } } },
    ])
    expect(messages.every(({ id }) => id)).toBe(true)
    expect(await agent.run('And a pot', { conversationId: 'c' }).result).toMatchObject({
      outcome: 'completed',
    })
    await agent.dispose()
  })

  it('accepts the output even after a reload', async () => {
    const testStorage = createTestStorage()
    const storage = { name: 'shop' }
    const before = createTestAgent({ script, testStorage, storage })
    await before.run('x', { conversationId: 'c', history }).result
    await before.dispose()
    const after = createTestAgent({ script, testStorage, storage })
    const next = await after.supplyOutput({ conversationId: 'c', toolCallId: 'call_2' }, 'ok')
    expect(await next?.result).toMatchObject({ outcome: 'completed' })
    // Supplied twice: nobody waits any more.
    expect(await after.supplyOutput('call_2', 'again')).toBeNull()
    await after.dispose()
  })
})

it('starts one run when two outputs are supplied at once', async () => {
  const agent = createTestAgent({ script })
  const history = openai.slice(0, 3)
  await agent.run('x', { conversationId: 'c', history }).result
  const runs = await Promise.all([
    agent.supplyOutput('call_1', 'a'),
    agent.supplyOutput('call_2', 'b'),
  ])
  expect(runs.filter((run) => run !== null)).toHaveLength(1)
  for (const run of runs) await run?.result
  await agent.dispose()
})

describe('an unreadable history', () => {
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const call = { role: 'assistant', parts: [{ type: 'tool-call', toolCallId: 'a', toolName: 'b' }] }

  test.each([
    ['no list', 'hello'],
    ['no message', ['hello']],
    ['an unknown role', [{ role: 'robot', content: 'x' }]],
    ['no content', [{ role: 'user' }]],
    ['a part of another kind', [{ role: 'user', parts: [{ type: 'image' }] }]],
    ['a block of another kind', [{ role: 'user', content: [{ type: 'video' }] }]],
    ['a call without an input', [call]],
    ['a result without a call', openai.slice(3)],
    ['the same result twice', [...openai, openai[3]]],
    [
      'a file that is elsewhere',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x/y.png' } }] }],
    ],
    ['a function_call', [{ role: 'assistant', content: null, function_call: { name: 'x' } }]],
    ['a cycle', [cyclic]],
    ['a number without JSON', [{ role: 'user', content: 1n }]],
  ])('(%s) fails the run before a row is written', async (_, history) => {
    const agent = createTestAgent({ script })
    const given = history as unknown as HistoryMessage[]
    const result = await agent.run('x', { conversationId: 'c', history: given }).result
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'invalid-history' } })
    expect(await agent.conversations.list()).toEqual([])
    expect(await agent.run('x', { conversationId: 'c' }).result).toMatchObject({
      outcome: 'completed',
    })
    await agent.dispose()
  })

  it('is reported with its position', () => {
    expect(() => importHistory([...openai, { role: 'user', content: [{ type: 'x' }] }])).toThrow(
      /^history\[4\] .*"x"/,
    )
  })
})

it('keeps what a vendor needs to continue, and makes ids unique', () => {
  expect(importHistory(anthropic)[1]).toMatchObject({
    providerMetadata: { anthropic: { content: anthropic[1]?.content } },
  })
  const round = openai.slice(2)
  const again = importHistory([...openai.slice(0, 2), ...round, ...round])
  const ids = again.flatMap((message) =>
    message.role === 'assistant'
      ? message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  )
  expect(ids).toEqual(['call_1', 'call_2', 'call_1_2', 'call_2_2'])
})

it("accepts a conversation's own messages unchanged", async () => {
  const agent = createTestAgent({
    script: {
      steps: [{ text: 'a', toolCalls: [{ toolName: 'add', input: { n: 1 } }] }, { text: 'b' }],
    },
    tools: [{ name: 'add', description: 'Adds.', execute: () => ({ sum: 1 }) }],
  })
  await agent.run('x', { conversationId: 'one' }).result
  const messages = (await agent.conversations.get('one'))?.messages ?? []
  await agent.run('y', { conversationId: 'two', history: messages }).result
  const copied = (await agent.conversations.get('two'))?.messages ?? []
  expect(copied.slice(0, messages.length)).toEqual(messages)
  await agent.dispose()
})
