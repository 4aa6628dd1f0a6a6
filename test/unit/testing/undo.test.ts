import { expect, onTestFinished, test, vi } from 'vitest'
import { createAgent, defineTool, type Conversation, type ShownCall } from '../../../src/index.ts'
import { pageActs } from '../../../src/protocol/page-acts.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, talk } from './talk.ts'

const ITEM = { type: 'object', properties: { item: { type: 'string' } } } as const

const buys = (toolCallId = 'b') =>
  [
    { type: 'tool-call', toolCallId, toolName: 'buy', input: { item: 'mug' } },
    { type: 'finish', finishReason: 'tool-calls' },
  ] as const

const buying = (undo: (...given: never[]) => unknown) =>
  defineTool({
    name: 'buy',
    description: 'Buys.',
    inputSchema: ITEM,
    execute: () => ({ order: 7 }),
    undo: undo as () => unknown,
  })

const shown = (chat: Conversation): ShownCall | undefined =>
  chat.getSnapshot().messages.flatMap(({ calls = [] }) => calls)[0]

test('a call is undone once, with its input and output, and the model is informed', async () => {
  const undo = vi.fn()
  const { chat, sent } = talk([buys(), answer('Bought.'), answer('I see.')], createTestStorage(), {
    tools: [buying(undo)],
  })
  await chat.send('Buy a mug').result
  await until(() => shown(chat)?.undoable === true)
  expect(await chat.undo('b')).toBe(true)
  expect(undo).toHaveBeenCalledExactlyOnceWith({ item: 'mug' }, { order: 7 }, expect.anything())
  await until(() => shown(chat)?.undo === 'done')
  expect(shown(chat)).not.toHaveProperty('undoable')
  expect(await chat.undo('b')).toBe(false)
  expect(undo).toHaveBeenCalledTimes(1)
  await chat.send('And now?').result
  const results = chat
    .getSnapshot()
    .messages.flatMap(({ role, parts }) => (role === 'tool' ? parts : []))
  expect(results).toMatchObject([{ note: expect.stringContaining('was undone') }])
  expect(sent).toHaveLength(3)
})

test.each([Infinity, 2 ** 40])(
  'a call of a tool with timeoutMs: %s is undone',
  async (timeoutMs) => {
    const undo = vi.fn()
    const tool = { ...buying(undo), timeoutMs }
    const { chat } = talk([buys(), answer('Bought.')], createTestStorage(), { tools: [tool] })
    await chat.send('Buy a mug').result
    expect(await chat.undo('b')).toBe(true)
    expect(undo).toHaveBeenCalledTimes(1)
  },
)

test('only a successful call of a tool with undo can be undone', async () => {
  const { chat } = talk([call('quick'), answer('Done.')])
  await chat.send('Go').result
  await until(() => shown(chat)?.status === 'succeeded')
  expect(shown(chat)).not.toHaveProperty('undoable')
  expect(await chat.undo(shown(chat)?.toolCallId ?? '')).toBe(false)
  expect(await chat.undo('unknown')).toBe(false)
})

test('undo is refused while a run is open', async () => {
  const undo = vi.fn()
  const held = gate()
  const { chat } = talk([buys(), [held.opened, ...answer('Bought.')]], createTestStorage(), {
    tools: [buying(undo)],
  })
  const run = chat.send('Buy a mug')
  await until(() => shown(chat)?.undoable === true)
  await expect(chat.undo('b')).rejects.toMatchObject({ code: 'conversation-busy' })
  held.open()
  await run.result
  expect(undo).not.toHaveBeenCalled()
  expect(await chat.undo('b')).toBe(true)
})

test('a failed undo may be retried', async () => {
  const undo = vi.fn(() => {
    if (undo.mock.calls.length === 1) throw new Error('No network.')
  })
  const { chat } = talk([buys(), answer('Bought.')], createTestStorage(), { tools: [buying(undo)] })
  await chat.send('Buy a mug').result
  await expect(chat.undo('b')).rejects.toMatchObject({
    code: 'call-failed',
    message: expect.stringContaining('No network.'),
    details: { status: 'failed' },
  })
  await until(() => shown(chat)?.undo === 'failed')
  expect(shown(chat)?.undoable).toBe(true)
  expect(await chat.undo('b')).toBe(true)
  const keys = undo.mock.calls.map(
    (given: unknown[]) => (given[2] as { idempotencyKey: string }).idempotencyKey,
  )
  expect(new Set(keys).size).toBe(1)
})

test("an undo that takes too long is unknown, and isn't started again", async () => {
  const undo = vi.fn(() => new Promise(() => undefined))
  const tool = { ...buying(undo), timeoutMs: 1000 }
  const { chat } = talk([buys(), answer('Bought.')], createTestStorage(), { tools: [tool] })
  await chat.send('Buy a mug').result
  await expect(chat.undo('b')).rejects.toMatchObject({ details: { status: 'unknown' } })
  await until(() => shown(chat)?.undo === 'unknown')
  expect(shown(chat)).not.toHaveProperty('undoable')
  expect(await chat.undo('b')).toBe(false)
  expect(undo).toHaveBeenCalledTimes(1)
})

test('after a reload undo is still offered; an interrupted undo is unknown and not repeated', async () => {
  const storage = createTestStorage()
  const first = talk([buys(), answer('Bought.')], storage, { tools: [buying(vi.fn())] })
  await first.chat.send('Buy a mug').result
  await first.agent.dispose()
  simulateReload()
  const begun = gate()
  const cutOff = vi.fn(() => {
    begun.open()
    return new Promise(() => undefined)
  })
  const second = talk([], storage, { tools: [buying(cutOff)] })
  await until(() => shown(second.chat)?.undoable === true)
  const undone = second.chat.undo('b').catch((error: unknown) => error)
  await begun.opened
  await second.agent.dispose()
  expect(await undone).toMatchObject({ name: 'OffstageError' })
  simulateReload()
  const undo = vi.fn()
  const third = talk([answer('Hello.')], storage, { tools: [buying(undo)] })
  await until(() => shown(third.chat)?.undo === 'unknown')
  expect(await third.chat.undo('b')).toBe(false)
  expect(undo).not.toHaveBeenCalled()
  // Nothing else is held up by it.
  expect(await third.chat.send('Hello').result).toMatchObject({ outcome: 'completed' })
})

test("a page without the tool's undo reports it, and another page undoes the call", async () => {
  const storage = createTestStorage()
  const first = talk([buys(), answer('Bought.')], storage, { tools: [buying(vi.fn())] })
  await first.chat.send('Buy a mug').result
  await first.agent.dispose()
  simulateReload()
  const second = talk([], storage)
  await expect(second.chat.undo('b')).rejects.toMatchObject({ details: { status: 'not-begun' } })
  await second.agent.dispose()
  simulateReload()
  const undo = vi.fn()
  expect(await talk([], storage, { tools: [buying(undo)] }).chat.undo('b')).toBe(true)
  expect(undo).toHaveBeenCalledTimes(1)
})

test('two undo requests at once undo once: on one page, and by two workers', async () => {
  const storage = createTestStorage()
  const undo = vi.fn(async () => undefined)
  const model = {
    provider: 'scripted',
    model: 'scripted',
    script: {
      fallback: [{ toolCalls: [{ toolName: 'buy', input: { item: 'mug' } }] }, { text: 'Bought.' }],
    },
  } as const
  const agents = [inProcessWorker({ storage }), inProcessWorker({ storage })].map((worker) =>
    createAgent({ worker, model, tools: [buying(undo)] }),
  )
  for (const agent of agents) onTestFinished(() => agent.dispose())
  const [one, two] = agents.map((agent) => agent.conversation('talk'))
  if (!one || !two) throw new Error('There are two.')
  one.subscribe(() => undefined)
  await one.send('Buy a mug').result
  await until(() => shown(one)?.undoable === true)
  const id = shown(one)?.toolCallId ?? ''
  const answers = await Promise.all(
    [one, one, two].map((chat) => chat.undo(id).catch((error: { code: string }) => error.code)),
  )
  expect(answers.filter((each) => each === true)).toHaveLength(1)
  for (const each of answers)
    expect([true, false, 'conversation-busy', 'ownership-lost', 'call-failed']).toContain(each)
  expect(undo).toHaveBeenCalledTimes(1)
})

test('a branch undoes nothing: the call on the other branch can still be undone', async () => {
  const undo = vi.fn()
  const turns = [buys(), answer('Bought.'), answer('Nothing bought.')]
  const { chat } = talk(turns, createTestStorage(), { tools: [buying(undo)] })
  await chat.send('Buy a mug').result
  await chat.regenerate().result
  expect(undo).not.toHaveBeenCalled()
  expect(await chat.undo('b')).toBe(true)
  expect(undo).toHaveBeenCalledTimes(1)
})

test('undo requires a user gesture: refused during and after page actions, until a press', async () => {
  onTestFinished(() => void Object.assign(pageActs(), { open: 0, turns: 0, pressed: -1 }))
  const undo = vi.fn()
  const storage = createTestStorage()
  const { chat } = talk([buys(), answer('Bought.')], storage, { tools: [buying(undo)] })
  await chat.send('Buy a mug').result
  await until(() => shown(chat)?.undoable === true)
  Object.assign(pageActs(), { open: 1, turns: 5, pressed: 5 })
  await expect(chat.undo('b')).rejects.toMatchObject({ code: 'consent-refused' })
  Object.assign(pageActs(), { open: 0, turns: 6 })
  await expect(chat.undo('b')).rejects.toMatchObject({ code: 'consent-refused' })
  expect(undo).not.toHaveBeenCalled()
  // Nothing of it reached the journal.
  const { rows } = await (await storage.open('offstage')).read('talk')
  expect(rows).not.toContainEqual(expect.objectContaining({ type: 'undo-started' }))
  Object.assign(pageActs(), { pressed: 6 })
  expect(await chat.undo('b')).toBe(true)
  expect(undo).toHaveBeenCalledTimes(1)
})

test('when the worker dies during an undo, its outcome is unknown and not repeated', async () => {
  const spawn = inProcessWorker({ storage: createTestStorage() })
  const workers: ReturnType<typeof spawn>[] = []
  const held = gate()
  const undo = vi.fn(() => held.opened)
  const agent = createAgent({
    model: {
      provider: 'scripted',
      model: 'scripted',
      script: {
        fallback: [{ toolCalls: [{ toolName: 'buy', input: { item: 'mug' } }] }, { text: 'Yes.' }],
      },
    },
    worker: () => {
      const worker = spawn()
      workers.push(worker)
      return worker
    },
    heartbeatMs: 20,
    tools: [buying(undo)],
  })
  onTestFinished(() => agent.dispose())
  const chat = agent.conversation('talk')
  chat.subscribe(() => undefined)
  await chat.send('Buy a mug').result
  await until(() => shown(chat)?.undoable === true)
  const id = shown(chat)?.toolCallId ?? ''
  const undone = chat.undo(id).catch((error: unknown) => error)
  await until(() => undo.mock.calls.length === 1)
  workers[0]?.terminate?.()
  expect(await undone).toMatchObject({ name: 'OffstageError' })
  // The function's later result is ignored.
  held.open()
  expect(await chat.undo(id)).toBe(false)
  expect(shown(chat)).toMatchObject({ undo: 'unknown' })
  expect(shown(chat)).not.toHaveProperty('undoable')
  expect(undo).toHaveBeenCalledTimes(1)
  expect(await chat.send('Hello').result).toMatchObject({ outcome: 'completed' })
})
