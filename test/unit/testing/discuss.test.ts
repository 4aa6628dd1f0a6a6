import { expect, onTestFinished, test } from 'vitest'
import { discussionId, readDiscussion } from '../../../src/conversation/discussion.ts'
import { defineTool, type Agent, type Conversation, type PendingCall } from '../../../src/index.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, gate, type Turn } from './talk.ts'

const MAIL = {
  type: 'object',
  properties: {
    to: { type: 'string' },
    attachments: { type: 'array', items: { type: 'string' } },
  },
  required: ['to', 'attachments'],
  additionalProperties: false,
} as const

const FILES = ['plan.pdf', 'notes.txt', 'invoice.pdf']
const uses = (toolName: string, input: object): StreamPart[] => [
  {
    type: 'tool-call',
    toolCallId: `${toolName}-${Math.random()}`,
    toolName,
    input: input as never,
  },
  { type: 'finish', finishReason: 'tool-calls' },
]
const asksToSend: Turn = [
  { type: 'text-delta', delta: 'I will mail it.' },
  ...uses('send_mail', { to: 'anna@example.org', attachments: FILES }),
]

/** A page with a mail that waits for approval. `discussing` are the model's answers about it. */
async function mailWaits(
  discussing: readonly Turn[],
  after: readonly Turn[] = [answer('It is sent.')],
  storage = createTestStorage(),
) {
  const sent: unknown[] = []
  const requests: ModelRequest[] = []
  const left = { main: [asksToSend, ...after], discussion: [...discussing] }
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream(request, _config, { signal }) {
      requests.push(request)
      const turns = request.instructions?.includes('waits for a person')
        ? left.discussion
        : left.main
      for (const part of turns.shift() ?? answer('Nothing left.')) {
        if (part instanceof Promise)
          await Promise.race([
            part,
            new Promise((resolve) => signal?.addEventListener('abort', resolve)),
          ])
        else yield [part]
        if (signal?.aborted) return
      }
    },
  }
  const page = (): { agent: Agent; chat: Conversation } => {
    const agent = createTestAgent({
      model: { provider: 'listed', model: 'm' },
      providers: [provider],
      testStorage: storage,
      tools: [
        defineTool({
          name: 'send_mail',
          description: 'Sends a mail.',
          inputSchema: MAIL,
          needsApproval: true,
          execute: (input) => void sent.push(input),
        }),
        defineTool({
          name: 'wipe',
          description: 'Wipes all.',
          execute: () => void sent.push('wipe'),
        }),
      ],
    })
    const chat = agent.conversation('desk')
    onTestFinished(chat.subscribe(() => undefined))
    onTestFinished(() => agent.dispose())
    return { agent, chat }
  }
  const first = page()
  const run = first.chat.send('Mail the plan to Anna')
  await until(() => first.chat.getSnapshot().pending.length === 1)
  return { ...first, page, run, sent, requests, storage }
}

const waiting = (chat: Conversation): PendingCall => {
  const [call] = chat.getSnapshot().pending
  if (!call) throw new Error('No call waits.')
  return call
}

const discussionOf = async (agent: Agent, chat: Conversation, call = waiting(chat)) => {
  const conversation = agent.conversation(
    discussionId({ conversationId: 'desk', toolCallId: call.toolCallId }),
  )
  onTestFinished(conversation.subscribe(() => undefined))
  await until(() => conversation.getSnapshot().status !== 'loading')
  return () => readDiscussion(conversation.getSnapshot())
}

test('a question about a waiting call is answered, and the call keeps waiting', async () => {
  const { agent, chat, requests, sent } = await mailWaits([answer('Anna asked for all three.')])
  const call = waiting(chat)
  const run = await chat.discuss(call, 'Why three attachments?')
  const result = await run?.result
  expect(result?.text).toBe('Anna asked for all three.')
  expect(chat.getSnapshot().pending).toEqual([call])
  expect(sent).toEqual([])
  const read = await discussionOf(agent, chat)
  await until(() => read()[0]?.answer === 'Anna asked for all three.')
  expect(read()).toMatchObject([{ question: 'Why three attachments?', suggestions: [] }])
  // The request has the call as not yet decided, and no tool but the suggestion.
  const request = requests.at(-1)
  expect(request?.trailer).toContain('invoice.pdf')
  expect(request?.trailer).toContain('Mail the plan to Anna')
  expect(request?.messages.map(({ role }) => role)).toEqual(['user'])
  expect(request?.tools.map(({ name }) => name)).toEqual(['suggest_change'])
  // Neither the list of conversations nor the conversation itself shows it as its own.
  expect((await agent.conversations.list()).map(({ conversationId }) => conversationId)).toEqual([
    'desk',
  ])
  // An export of the conversation has it, though no row of that one names it.
  const file = await new Response(await agent.conversations.export('desk')).text()
  expect(file).toContain('Why three attachments?')
})

test('a suggested input is checked, runs only when a person approves it, and the model learns why', async () => {
  const suggestion = { to: 'anna@example.org', attachments: FILES.slice(0, 2) }
  const { agent, chat, requests, run, sent } = await mailWaits([
    [...uses('suggest_change', { to: 'anna@example.org' })],
    [...uses('suggest_change', suggestion)],
    answer('Without the invoice, then.'),
  ])
  const call = waiting(chat)
  await (
    await chat.discuss(call, 'Leave out the invoice')
  )?.result
  const read = await discussionOf(agent, chat)
  await until(() => read()[0]?.answer === 'Without the invoice, then.')
  expect(read()[0]?.suggestions).toEqual([suggestion])
  expect(waiting(chat).input).toEqual({ to: 'anna@example.org', attachments: FILES })
  expect(await chat.approve(call, { input: suggestion })).toBe(true)
  expect((await run.result).text).toBe('It is sent.')
  expect(sent).toEqual([suggestion])
  const result = JSON.stringify(requests.at(-1)?.messages.at(-1))
  expect(result).toContain('before deciding, the person asked about this')
  expect(result).toMatch(/Person: \\*"Leave out the invoice/)
  expect(result).toMatch(/You: \\*"Without the invoice, then\./)
  expect(result).toContain('a person changed the input')
})

test('a denied call passes the discussion on to the model, apart from the reason', async () => {
  const { chat, requests, run } = await mailWaits([answer('To be safe.')], [answer('As you like.')])
  const call = waiting(chat)
  await (
    await chat.discuss(call, 'Why now?')
  )?.result
  expect(await chat.deny(call, 'Too early')).toBe(true)
  await run.result
  const shown = chat.getSnapshot().messages.flatMap(({ calls = [] }) => calls)
  expect(shown[0]?.output).toEqual({ type: 'denied', reason: 'Too early' })
  const result = JSON.stringify(requests.at(-1)?.messages.at(-1))
  expect(result).toMatch(/Person: \\*"Why now\?/)
  expect(result).toContain('Too early')
})

test('a model that answers with calls runs none of them', async () => {
  const { agent, chat, sent } = await mailWaits([
    [...uses('wipe', {}).slice(0, 1), ...uses('send_mail', { to: 'x', attachments: [] })],
    answer('I can not.'),
  ])
  await (
    await chat.discuss(waiting(chat), 'Then do it')
  )?.result
  const read = await discussionOf(agent, chat)
  await until(() => read()[0]?.answer === 'I can not.')
  expect(read()[0]?.refused).toEqual(['wipe', 'send_mail'])
  expect(sent).toEqual([])
  expect(chat.getSnapshot().pending).toHaveLength(1)
})

test('a discussion that never ends stops after four steps', async () => {
  const again = uses('suggest_change', { to: 'b@example.org', attachments: [] })
  const { chat, requests } = await mailWaits(Array.from({ length: 20 }, () => again))
  const before = requests.length
  const run = await chat.discuss(waiting(chat), 'Again?')
  expect((await run?.result)?.outcome).toBe('max-steps')
  expect(requests.length - before).toBeLessThanOrEqual(4)
})

test('an answer ends when the call is decided meanwhile', async () => {
  const { opened } = gate()
  const { chat, run } = await mailWaits([[{ type: 'text-delta', delta: 'Well' }, opened]])
  const call = waiting(chat)
  const discussing = await chat.discuss(call, 'Why?')
  expect(await chat.approve(call)).toBe(true)
  expect(await discussing?.result).toMatchObject({ outcome: 'aborted', reason: 'parent-ended' })
  expect((await run.result).outcome).toBe('completed')
  await expect(chat.discuss(call, 'And now?')).rejects.toMatchObject({ code: 'invalid-input' })
})

test('after a reload the discussion stands, an answer that was cut off goes on, and the call can be approved', async () => {
  const { opened } = gate()
  const first = await mailWaits([
    answer('Anna asked for them.'),
    [{ type: 'text-delta', delta: 'Becau' }, opened],
    answer('Because of the plan.'),
  ])
  const call = waiting(first.chat)
  await (
    await first.chat.discuss(call, 'Why three?')
  )?.result
  await first.chat.discuss(call, 'Why today?')
  await until(() => first.requests.length === 3)
  simulateReload()
  const { agent, chat } = first.page()
  await agent.resume('desk')
  await until(() => chat.getSnapshot().pending.length === 1)
  const read = await discussionOf(agent, chat)
  await until(() => read().length === 2)
  expect(read()[0]?.answer).toBe('Anna asked for them.')
  const resumed = await chat.discuss(waiting(chat))
  expect((await resumed?.result)?.outcome).toBe('completed')
  await until(() => read()[1]?.answer.endsWith('Because of the plan.') === true)
  expect(await chat.discuss(waiting(chat))).toBe(null)
  expect(await chat.approve(waiting(chat))).toBe(true)
  await until(() => chat.getSnapshot().status === 'idle')
  expect(first.sent).toHaveLength(1)
})

test('an answer that dispose() cuts off goes on with the next agent', async () => {
  const { opened } = gate()
  const first = await mailWaits([
    [{ type: 'text-delta', delta: 'Becau' }, opened],
    answer('Because of the plan.'),
  ])
  const discussing = await first.chat.discuss(waiting(first.chat), 'Why?')
  await until(() => first.requests.length === 2)
  await first.agent.dispose()
  expect(await discussing?.result).toMatchObject({ outcome: 'aborted', reason: 'disposed' })
  const { agent, chat } = first.page()
  await agent.resume('desk')
  await until(() => chat.getSnapshot().pending.length === 1)
  const resumed = await chat.discuss(waiting(chat))
  expect((await resumed?.result)?.outcome).toBe('completed')
})

test('exporting the conversation exports its discussions', async () => {
  const { agent, chat } = await mailWaits([answer('So.')])
  const call = waiting(chat)
  await (
    await chat.discuss(call, 'Why?')
  )?.result
  const importing = createTestAgent({ script: { steps: [] } })
  onTestFinished(() => importing.dispose())
  const { imported } = await importing.conversations.import(
    await agent.conversations.export('desk'),
  )
  const id = discussionId({ conversationId: 'desk', toolCallId: call.toolCallId })
  expect(imported.map(({ to }) => to)).toEqual(['desk', id])
})

test('deleting the conversation deletes its discussions', async () => {
  const { agent, chat } = await mailWaits([answer('So.')])
  const call = waiting(chat)
  await (
    await chat.discuss(call, 'Why?')
  )?.result
  await chat.deny(call)
  await until(() => chat.getSnapshot().status === 'idle')
  const id = discussionId({ conversationId: 'desk', toolCallId: call.toolCallId })
  expect(await agent.conversations.get(id)).not.toBe(null)
  await agent.conversations.delete('desk')
  expect(await agent.conversations.get(id)).toBe(null)
})
