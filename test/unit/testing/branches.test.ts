import { expect, onTestFinished, test } from 'vitest'
import type { ShownMessage } from '../../../src/conversation/snapshot.ts'
import { defineTool, type Conversation, type ConversationSnapshot } from '../../../src/index.ts'
import type { Message } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

/**
 * A model whose answers are the texts given, one after the other; what it was sent is in `sent`. To `wait` it asks
 * for a call first.
 */
function scriptedModel(answers: readonly string[]) {
  const sent: string[][] = []
  const left = [...answers]
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream({ messages }) {
      const texts = messages.map(textOf)
      sent.push(texts)
      const asks = texts.at(-1)?.includes('wait') === true && messages.at(-1)?.role === 'user'
      if (asks)
        yield [
          {
            type: 'tool-call',
            toolCallId: `call_${sent.length}`,
            toolName: 'wait',
            input: {},
          },
          { type: 'finish', finishReason: 'tool-calls', usage: {} },
        ]
      else
        yield [
          { type: 'text-delta', delta: left.shift() ?? 'Nothing left.' },
          { type: 'finish', finishReason: 'stop', usage: {} },
        ]
    },
  }
  return { provider, sent }
}

function talk(answers: readonly string[], testStorage = createTestStorage()) {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const wait = defineTool({ name: 'wait', description: 'Waits.', execute: () => held })
  const { provider, sent } = scriptedModel(answers)
  const agent = createTestAgent({
    model: { provider: 'listed', model: 'm' },
    providers: [provider],
    testStorage,
    tools: [wait],
  })
  onTestFinished(() => agent.dispose())
  const chat = agent.conversation('talk')
  chat.subscribe(() => undefined)
  const isWaiting = (): boolean =>
    chat.getSnapshot().messages.some(({ calls }) => calls?.[0]?.status === 'executing')
  return { agent, chat, sent, release, isWaiting }
}

const textOf = ({ parts }: Message): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

const said = ({ messages }: ConversationSnapshot): string[] => messages.map(textOf)

/** Id of a message that is shown, or is about to be. */
async function idOf({ getSnapshot }: Conversation, text: string): Promise<string> {
  const find = (): ShownMessage | undefined =>
    getSnapshot().messages.find((message) => textOf(message) === text)
  await until(() => find() !== undefined)
  return find()?.id ?? ''
}

test('an edited message becomes a sibling branch, and both can be shown', async () => {
  const { chat } = talk(['First.', 'Second.', 'Edited.', 'Again.'])
  await chat.send('One').result
  await chat.send('Two').result
  const first = await idOf(chat, 'One')
  const two = await idOf(chat, 'Two')

  expect(await chat.edit(two, 'Two, edited').result).toMatchObject({
    outcome: 'completed',
    text: 'Edited.',
  })
  await until(() => said(chat.getSnapshot()).length === 4)
  expect(said(chat.getSnapshot())).toEqual(['One', 'First.', 'Two, edited', 'Edited.'])
  const edited = await idOf(chat, 'Two, edited')
  expect(chat.getSnapshot().branches).toEqual({ [edited]: { index: 1, ids: [two, edited] } })

  expect(await chat.edit(first, 'Another beginning').result).toMatchObject({ text: 'Again.' })
  await until(() => said(chat.getSnapshot()).includes('Again.'))
  expect(said(chat.getSnapshot())).toEqual(['Another beginning', 'Again.'])

  expect(await chat.switchBranch(two)).toBe(true)
  await until(() => said(chat.getSnapshot()).includes('Second.'))
  expect(said(chat.getSnapshot())).toEqual(['One', 'First.', 'Two', 'Second.'])
  expect(
    Object.values(chat.getSnapshot().branches).map(({ index, ids }) => [index, ids.length]),
  ).toEqual([
    [0, 2],
    [0, 2],
  ])
})

test('three answers to a message are siblings; after a reload the newest continues', async () => {
  const testStorage = createTestStorage()
  const { agent, chat } = talk(['A', 'B', 'C'], testStorage)
  await chat.send('Ask').result
  const ask = await idOf(chat, 'Ask')
  expect(await chat.regenerate().result).toMatchObject({ text: 'B' })
  const b = await idOf(chat, 'B')
  // By the message, or by its answer.
  expect(await chat.regenerate(b).result).toMatchObject({ text: 'C' })
  await until(() => said(chat.getSnapshot())[1] === 'C')
  const c = await idOf(chat, 'C')
  expect(chat.getSnapshot().branches[c]).toMatchObject({ index: 2 })
  expect(chat.getSnapshot().branches[c]?.ids).toHaveLength(3)
  expect(ask).not.toBe('')
  await agent.dispose()
  simulateReload()

  const next = talk(['D'], testStorage)
  await until(() => said(next.chat.getSnapshot()).length === 2)
  expect(next.chat.getSnapshot().branches[c]).toMatchObject({ index: 2 })
  expect(await next.chat.regenerate(ask).result).toMatchObject({ text: 'D' })
  await until(() => said(next.chat.getSnapshot())[1] === 'D')
  expect(Object.values(next.chat.getSnapshot().branches)[0]?.ids).toHaveLength(4)
})

test('the model is sent only the branch in view', async () => {
  const { chat, sent } = talk(['First.', 'Second.', 'Edited.', 'Third.', 'Anew.'])
  await chat.send('One').result
  await chat.send('Two').result
  const two = await idOf(chat, 'Two')
  await chat.edit(two, 'Two, edited').result
  expect(sent.at(-1)).toEqual(['One', 'First.', 'Two, edited'])
  await chat.switchBranch(two)
  await chat.send('Three').result
  expect(sent.at(-1)).toEqual(['One', 'First.', 'Two', 'Second.', 'Three'])
  await chat.regenerate(await idOf(chat, 'One')).result
  expect(sent.at(-1)).toEqual(['One'])
})

test('editing a missing message or an answer is refused and stores nothing', async () => {
  const { agent, chat } = talk(['First.', 'Second.'])
  expect(await chat.regenerate().result).toMatchObject({ error: { code: 'invalid-input' } })
  await chat.send('One').result
  const answer = await idOf(chat, 'First.')
  const before = said(chat.getSnapshot())
  for (const id of ['nothing', answer, '', undefined as unknown as string]) {
    const result = await chat.edit(id, 'New').result
    expect(result, String(id)).toMatchObject({
      outcome: 'failed',
      error: { code: 'invalid-input' },
    })
  }
  expect(await chat.edit(await idOf(chat, 'One'), ' ').result).toMatchObject({
    error: { code: 'invalid-input' },
  })
  expect(await chat.regenerate('nothing').result).toMatchObject({ outcome: 'failed' })
  expect((await agent.conversations.get('talk'))?.messages).toHaveLength(2)
  expect(said(chat.getSnapshot()).slice(0, 2)).toEqual(before)
})

test('during a run, edit is refused unless it replaces the run', async () => {
  const { chat, release, isWaiting } = talk(['Replaced.'])
  const run = chat.send('Please wait')
  await until(isWaiting)
  const one = await idOf(chat, 'Please wait')
  expect(await chat.edit(one, 'Two').result).toMatchObject({ error: { code: 'conversation-busy' } })
  expect(await chat.regenerate(one).result).toMatchObject({ error: { code: 'conversation-busy' } })
  const replaced = chat.edit(one, 'Two', { ifBusy: 'replace' })
  release()
  expect(await run.result).toMatchObject({ outcome: 'aborted' })
  expect(await replaced.result).toMatchObject({ outcome: 'completed', text: 'Replaced.' })
  await until(() => said(chat.getSnapshot()).includes('Replaced.'))
  expect(said(chat.getSnapshot())).toEqual(['Two', 'Replaced.'])
})

test('two edits at once: both become branches, or one is refused', async () => {
  const { agent, chat } = talk(['First.', 'A', 'B'])
  await chat.send('One').result
  const one = await idOf(chat, 'One')
  const results = await Promise.all(
    ['Left', 'Right'].map((text) => chat.edit(one, text, { ifBusy: 'queue' }).result),
  )
  expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
  await until(() => Object.values(chat.getSnapshot().branches)[0]?.ids.length === 3)
  const open = await Promise.all([chat.edit(one, 'Third').result, chat.edit(one, 'Fourth').result])
  const refused = open.filter(
    (result) => result.outcome === 'failed' && result.error.code === 'conversation-busy',
  )
  expect(refused.length).toBeLessThanOrEqual(1)
  expect((await agent.conversations.list())[0]?.openRunId).toBeNull()
})

test('an edit is refused while calls wait for outputs', async () => {
  const { chat } = talk([])
  const run = await chat.send('Please wait', { maxSteps: 0 }).result
  expect(run.outcome).toBe('waiting')
  await until(() => chat.getSnapshot().pending.length === 1)
  const one = await idOf(chat, 'Please wait')
  for (const next of [chat.edit(one, 'Two'), chat.regenerate()])
    expect(await next.result).toMatchObject({ error: { code: 'calls-pending' } })
})

test('a fork is an independent conversation', async () => {
  const { agent, chat } = talk(['First.', 'Second.', 'Of the fork.', 'Third.'])
  await chat.send('One').result
  await chat.send('Two').result
  const forkId = await agent.conversations.fork('talk', {
    at: await idOf(chat, 'First.'),
  })
  expect(forkId).toEqual(expect.any(String))
  const fork = agent.conversation(forkId ?? '')
  fork.subscribe(() => undefined)
  await fork.send('Other').result
  await until(() => said(fork.getSnapshot()).length === 4)
  expect(said(fork.getSnapshot())).toEqual(['One', 'First.', 'Other', 'Of the fork.'])
  await chat.send('Three').result
  await until(() => said(chat.getSnapshot()).length === 6)
  expect(said(chat.getSnapshot()).at(-1)).toBe('Third.')
  const records = await agent.conversations.list()
  expect(records.map(({ title }) => title)).toEqual(['One', 'One'])
  expect(await agent.conversations.fork('nobody')).toBeNull()
  expect(await agent.conversations.fork('talk', { at: 'nothing' })).toBeNull()
  expect(await agent.conversations.list()).toHaveLength(2)
})

test('a refused first message or fork leaves no conversation in the list', async () => {
  let isRefusing = true
  const agent = createTestAgent({
    script: { fallback: [{ text: 'Hello.' }] },
    testStorage: createTestStorage(),
    redact: (fact) => {
      if (isRefusing) throw new Error('No.')
      return fact
    },
  })
  onTestFinished(() => agent.dispose())
  const REFUSED = { code: 'redact-failed' }
  const run = agent.run('My card', { conversationId: 'first' })
  expect(await run.result).toMatchObject({ error: REFUSED })
  expect(await agent.conversation('empty').regenerate().result).toMatchObject({
    error: { code: 'invalid-input' },
  })
  expect(await agent.conversations.list()).toEqual([])
  isRefusing = false
  await agent.run('One', { conversationId: 'talk' }).result
  isRefusing = true
  await expect(agent.conversations.fork('talk')).rejects.toMatchObject(REFUSED)
  expect(await agent.conversations.list()).toMatchObject([{ conversationId: 'talk' }])
})

test('a fork of an open run has finished calls only; unfinished calls are refused', async () => {
  const { agent, chat, release, isWaiting } = talk(['First.', 'Done.'])
  await chat.send('One').result
  const run = chat.send('Please wait')
  await until(isWaiting)
  const at = chat.getSnapshot().messages.at(-1)?.id ?? ''
  await expect(agent.conversations.fork('talk', { at })).rejects.toMatchObject({
    code: 'calls-pending',
  })
  const forkId = await agent.conversations.fork('talk')
  release()
  await run.result
  const stored = await agent.conversations.get(forkId ?? '')
  expect(stored?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(stored?.pending).toEqual([])
  // With the results of its calls.
  const whole = await agent.conversations.fork('talk', { at })
  const copied = await agent.conversations.get(whole ?? '')
  expect(copied?.messages.at(-1)).toMatchObject({ role: 'tool', parts: [{ toolName: 'wait' }] })
  expect(copied?.pending).toEqual([])
})
