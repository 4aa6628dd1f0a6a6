import { expect, test } from 'vitest'
import { createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, heldStorage, said, statusOf, talk, typesOf } from './talk.ts'

test("a steering message is read after the step's results, before the next request", async () => {
  const { chat, sent, work } = talk([call('work'), answer('Both.')])
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  const { messageId, outcome } = run.send('And a vase')
  await until(() => chat.getSnapshot().queued.length === 1)
  expect(chat.getSnapshot().queued[0]).toMatchObject({ id: messageId })
  expect(said(chat)).not.toContain('And a vase')
  work.open()
  expect(await outcome).toEqual({ status: 'delivered' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Both.', steps: 2 })
  expect(sent[1]).toEqual(['One', '', '[text]', 'And a vase'])
  expect(await typesOf(run)).toEqual([
    'step-start',
    'message-queued',
    'message-delivered',
    'step-start',
  ])
  await until(() => said(chat).includes('Both.'))
  expect(said(chat)).toEqual(['One', '', 'And a vase', 'Both.'])
  expect(chat.getSnapshot().queued).toEqual([])
})

test('several messages keep their order, without withdrawn ones', async () => {
  const { chat, sent, work } = talk([call('work'), answer('Good.')])
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  const messages = ['Two', 'Three', 'Four'].map((text) => run.send(text))
  expect(await messages[1]?.cancel()).toBe(true)
  expect(await messages[1]?.cancel()).toBe(false)
  expect(await messages[1]?.outcome).toEqual({ status: 'withdrawn' })
  work.open()
  await run.result
  expect(sent[1]?.slice(-2)).toEqual(['Two', 'Four'])
  expect(await messages[0]?.cancel()).toBe(false)
})

test('messages that are undelivered when the run ends are returned', async () => {
  const last = gate()
  const { chat, sent } = talk([
    [{ type: 'text-delta', delta: 'Nearly ' }, last.opened, ...answer('done.')],
    answer('Next.'),
  ])
  const run = chat.send('One')
  await until(() => said(chat).includes('Nearly '))
  const { outcome, messageId } = run.send('Wait')
  await until(() => chat.getSnapshot().queued.length === 1)
  last.open()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Nearly done.' })
  expect(await outcome).toMatchObject({ status: 'returned', message: { id: messageId } })
  expect((await typesOf(run)).at(-1)).toBe('message-returned')
  await until(() => chat.getSnapshot().queued.length === 0)
  await chat.send('Two').result
  expect(sent.at(-1)).toEqual(['One', 'Nearly done.', 'Two'])
  // To a run that has ended nothing is said.
  expect(await run.send('Too late').outcome).toMatchObject({ status: 'returned' })
})

test('now: the answer is cut and kept, and the model reads the message', async () => {
  const never = gate()
  const { chat, sent } = talk([
    [{ type: 'text-delta', delta: 'I will tell you at length' }, never.opened],
    answer('Short.'),
  ])
  const run = chat.send('One')
  await until(() => said(chat).includes('I will tell you at length'))
  const { outcome } = run.send('Be brief', { when: 'now' })
  expect(await outcome).toEqual({ status: 'delivered' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Short.', steps: 2 })
  expect(sent[1]).toEqual(['One', 'I will tell you at length', 'Be brief'])
  await until(() => said(chat).includes('Short.'))
  expect(said(chat)).toEqual(['One', 'I will tell you at length', 'Be brief', 'Short.'])
})

test('now: works before any text, and twice in a row', async () => {
  const never = gate()
  const { chat, sent } = talk([[never.opened], [never.opened], answer('Well.')])
  const run = chat.send('One')
  await until(() => sent.length === 1)
  run.send('Two', { when: 'now' })
  await until(() => sent.length === 2)
  run.send('Three', { when: 'now' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Well.' })
  expect(sent.at(-1)).toEqual(['One', 'Two', 'Three'])
  const parts = new Set<string>()
  for await (const event of run) if (event.type === 'text-start') parts.add(event.partId)
  expect(parts.size).toBe(1)
})

test('now: running tools are stopped, and the run continues', async () => {
  const { chat, sent, stops } = talk([call('work'), answer('As you wish.')])
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  run.send('Never mind', { when: 'now' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'As you wish.' })
  expect(stops()).toBe(1)
  expect(sent[1]).toEqual(['One', '', '[error]', 'Never mind'])
  expect(['aborted', 'interrupted']).toContain(statusOf(chat, 'work'))
})

test('a message never answers an approval; now denies it', async () => {
  const { chat, sent, agent } = talk([call('buy'), answer('Not bought.')])
  const run = chat.send('One')
  await until(() => chat.getSnapshot().pending.length === 1)
  const waiting = run.send('Yes')
  await until(() => chat.getSnapshot().queued.length === 1)
  expect(chat.getSnapshot().pending).toHaveLength(1)
  expect(sent).toHaveLength(1)
  run.send('Rather not', { when: 'now' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Not bought.' })
  expect(sent[1]).toEqual(['One', '', '[denied]', 'Yes', 'Rather not'])
  expect(await waiting.outcome).toEqual({ status: 'delivered' })
  const stored = await agent.conversations.get('talk')
  const results = stored?.messages.find(({ role }) => role === 'tool')?.parts
  expect(results).toMatchObject([{ output: { type: 'denied', reason: /person wrote/ } }])
})

test('an abort and a message at once: the run ends and returns the message', async () => {
  const { chat, work } = talk([call('work'), answer('Never.')])
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  const { outcome } = run.send('Two', { when: 'now' })
  run.abort('enough')
  expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
  expect(['returned', 'delivered']).toContain((await outcome).status)
  work.open()
  await until(() => chat.getSnapshot().status === 'idle')
  expect(chat.getSnapshot().queued).toEqual([])
})

test('a message survives a reload and is delivered once', async () => {
  const testStorage = createTestStorage()
  const first = talk([call('buy')], testStorage)
  const run = first.chat.send('One')
  await until(() => first.chat.getSnapshot().pending.length === 1)
  const { outcome } = run.send('And gift-wrap it')
  await until(() => first.chat.getSnapshot().queued.length === 1)
  await first.agent.dispose()
  expect(await outcome).toEqual({ status: 'left' })
  simulateReload()

  const { chat, sent, agent } = talk([answer('Wrapped.')], testStorage)
  await until(() => chat.getSnapshot().queued.length === 1)
  const resumed = await agent.resume('talk')
  const [pending] = chat.getSnapshot().pending
  expect(await chat.approve(pending?.toolCallId ?? '')).toBe(true)
  expect(await resumed?.result).toMatchObject({ outcome: 'completed', text: 'Wrapped.' })
  expect(sent).toEqual([['One', '', '[text]', 'And gift-wrap it']])
})

test('the step limit counts a step that was cut short', async () => {
  const never = gate()
  const { chat } = talk([[{ type: 'text-delta', delta: 'Long' }, never.opened], answer('No.')])
  const run = chat.send('One', { maxSteps: 1 })
  await until(() => said(chat).includes('Long'))
  run.send('Two', { when: 'now' })
  expect(await run.result).toMatchObject({ outcome: 'max-steps' })
})

test('an empty message throws, and an invalid message is returned with its error', async () => {
  const { chat, work } = talk([call('work'), answer('Done.')])
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  expect(() => run.send(' ')).toThrow(expect.objectContaining({ code: 'invalid-input' }))
  const { outcome } = run.send([{ type: 'file', mediaType: 'image/png', data: 'not base64!' }])
  expect(await outcome).toMatchObject({ status: 'returned', error: { code: 'invalid-input' } })
  work.open()
  expect((await run.result).outcome).toBe('completed')
})

test('a message sent while a step is being cut is delivered', async () => {
  const { testStorage, reached, release } = heldStorage('step-cut')
  const next = gate()
  const turns = [[gate().opened], [next.opened, ...call('quick')], answer('Well.')]
  const { chat, sent } = talk(turns, testStorage)
  const run = chat.send('One')
  await until(() => sent.length === 1)
  const first = run.send('Two', { when: 'now' })
  await reached
  const second = run.send('Three')
  // The second message usually reaches the worker while the storage is held. If it comes later, it is delivered one
  // step later.
  await new Promise((resolve) => setTimeout(resolve, 50))
  release()
  await until(() => said(chat).includes('Three') || chat.getSnapshot().queued.length === 1)
  next.open()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Well.' })
  expect(await first.outcome).toEqual({ status: 'delivered' })
  expect(await second.outcome).toEqual({ status: 'delivered' })
  expect(sent.at(-1)).toEqual(expect.arrayContaining(['One', 'Two', 'Three']))
})

test('an abort during a delivery: the outcome matches the store', async () => {
  const { testStorage, reached, release } = heldStorage('message-delivered')
  const { chat, work, agent } = talk([call('work'), answer('Never.')], testStorage)
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  const message = run.send('Two')
  await until(() => chat.getSnapshot().queued.length === 1)
  work.open()
  await reached
  run.abort('enough')
  expect((await run.result).outcome).toBe('aborted')
  release()
  expect(await message.outcome).toEqual({ status: 'delivered' })
  const stored = await agent.conversations.get('talk')
  expect(stored?.messages.some(({ id }) => id === message.messageId)).toBe(true)
  expect(await message.cancel()).toBe(false)
})

test('a message in transit when the page disposes of its agent is stored or returned', async () => {
  const { testStorage, release } = heldStorage('message-queued')
  const first = talk([call('buy')], testStorage)
  const run = first.chat.send('One')
  await until(() => first.chat.getSnapshot().pending.length === 1)
  const { outcome, cancel } = run.send('And gift-wrap it')
  const disposed = first.agent.dispose()
  release()
  await disposed
  expect(await outcome).toMatchObject({ status: 'returned' })
  expect(await cancel()).toBe(false)
})

test('a message sent right after the start of a run is delivered', async () => {
  const { chat, sent } = talk([call('quick'), answer('Both.')])
  const run = chat.send('One')
  const { outcome } = run.send('Two')
  await run.result
  expect(await outcome).toEqual({ status: 'delivered' })
  expect(sent.flat().filter((text) => text === 'Two')).not.toHaveLength(0)
})

test('a call that a message has interrupted requests approval when the model asks for it again', async () => {
  const { chat } = talk([call('buy'), call('buy'), answer('Well.')])
  const run = chat.send('Buy')
  await until(() => chat.getSnapshot().pending.length === 1)
  const first = chat.getSnapshot().pending[0]?.toolCallId
  await run.send('Yes, but hurry up', { when: 'now' }).outcome
  // Nobody has denied it. Now: denied without asking, and the run ends.
  await until(() => chat.getSnapshot().pending.some(({ toolCallId }) => toolCallId !== first), 3000)
  expect(await chat.approve(chat.getSnapshot().pending[0]!)).toBe(true)
  expect((await run.result).text).toBe('Well.')
})
