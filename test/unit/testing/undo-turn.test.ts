import { expect, onTestFinished, test, vi } from 'vitest'
import { undoPlan } from '../../../src/conversation/undo-plan.ts'
import {
  createAgent,
  defineTool,
  type Conversation,
  type JsonValue,
  type ShownCall,
  type Tool,
} from '../../../src/index.ts'
import { pageActs } from '../../../src/protocol/page-acts.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, gate, talk } from './talk.ts'

const ITEM = { type: 'object', properties: { item: { type: 'string' } } } as const
const ITEMS = ['mug', 'bowl', 'plate'] as const

const adds = (items: readonly string[], toolName = 'add') =>
  [
    ...items.map((item) => ({
      type: 'tool-call' as const,
      toolCallId: `${toolName}-${item}`,
      toolName,
      input: { item },
    })),
    { type: 'finish', finishReason: 'tool-calls' },
  ] as const

/** A cart, and tools that fill it. `refuse` decides what `undo` does beside taking the item out. */
function shop(refuse: (item: string) => unknown = () => undefined) {
  const cart: string[] = []
  const undone: string[] = []
  const itemOf = (input: JsonValue): string => String((input as { item?: string }).item)
  const add: Tool = defineTool({
    name: 'add',
    description: 'Adds.',
    inputSchema: ITEM,
    execute: (input) => void cart.push(itemOf(input)),
    undo: async (input) => {
      const item = itemOf(input)
      await refuse(item)
      undone.push(item)
      cart.splice(cart.lastIndexOf(item), 1)
    },
  })
  const mail = defineTool({
    name: 'mail',
    description: 'Mails.',
    inputSchema: ITEM,
    execute: () => 'Sent.',
  })
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    inputSchema: ITEM,
    annotations: { readOnly: true },
    execute: () => 'Read.',
  })
  const fails = defineTool({
    name: 'fails',
    description: 'Fails.',
    inputSchema: ITEM,
    execute: () => {
      throw new Error('No network.')
    },
  })
  return { cart, undone, tools: [add, mail, read, fails] }
}

const callsIn = (chat: Conversation): readonly ShownCall[] =>
  chat.getSnapshot().messages.flatMap(({ calls = [] }) => calls)
const asked = (chat: Conversation, at = -1): string =>
  chat
    .getSnapshot()
    .messages.filter(({ role }) => role === 'user')
    .at(at)?.id ?? ''
const undoable = (chat: Conversation): number =>
  callsIn(chat).filter((call) => call.undoable).length

/** A conversation whose model has added all items, in two steps. */
async function filled(
  { tools }: Pick<ReturnType<typeof shop>, 'tools'>,
  storage = createTestStorage(),
) {
  const turns = [adds(ITEMS.slice(0, 2)), adds(ITEMS.slice(2)), answer('Added.'), answer('I see.')]
  const opened = talk(turns, storage, { tools })
  await opened.chat.send('Fill the cart').result
  return { ...opened, storage }
}

test('a turn is undone in reverse order, each call once, and the model is informed', async () => {
  const { cart, undone, tools } = shop()
  const { chat } = await filled({ tools })
  expect(cart).toEqual(ITEMS)
  expect(await chat.undoTurn(asked(chat))).toEqual({
    undone: ['add-plate', 'add-bowl', 'add-mug'],
    kept: [],
  })
  expect(undone).toEqual(['plate', 'bowl', 'mug'])
  expect(cart).toEqual([])
  await until(() => callsIn(chat).every(({ undo }) => undo === 'done'))
  expect(await chat.undoTurn(asked(chat))).toEqual({
    undone: [],
    kept: ['add-plate', 'add-bowl', 'add-mug'].map((toolCallId) => ({
      toolCallId,
      reason: 'undone',
    })),
  })
  expect(undone).toHaveLength(3)
  await chat.send('And now?').result
  const notes = chat
    .getSnapshot()
    .messages.flatMap(({ role, parts }) => (role === 'tool' ? parts : []))
  expect(notes).toHaveLength(3)
  for (const part of notes)
    expect(part).toMatchObject({ note: expect.stringContaining('was undone') })
})

test('a turn is found by its user message and by any message of its answer, and ends before the next', async () => {
  const { cart, tools } = shop()
  const turns = [adds(['mug']), answer('One.'), adds(['bowl']), answer('Two.')]
  const { chat } = talk(turns, createTestStorage(), { tools })
  await chat.send('A mug').result
  await chat.send('A bowl').result
  const first = chat.getSnapshot().messages.slice(0, 4)
  expect(first.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  for (const { id } of first)
    expect(undoPlan(chat.getSnapshot(), id)?.undoable.map((call) => call.toolCallId)).toEqual([
      'add-mug',
    ])
  const last = chat.getSnapshot().messages.at(-1)?.id ?? ''
  expect(await chat.undoTurn(last)).toMatchObject({ undone: ['add-bowl'] })
  expect(cart).toEqual(['mug'])
  expect(undoPlan(chat.getSnapshot(), 'unknown')).toBeNull()
  await expect(chat.undoTurn('unknown')).rejects.toMatchObject({ code: 'invalid-input' })
  await expect(chat.undoTurn(undefined as unknown as string)).rejects.toMatchObject({
    code: 'invalid-input',
  })
})

test('what has no undo, or has not succeeded, is listed; what only reads is not', async () => {
  const { tools } = shop()
  const turns = [
    adds(['mug']),
    adds(['letter'], 'mail'),
    adds(['news'], 'read'),
    adds(['fax'], 'fails'),
    answer('Done.'),
  ]
  const { chat } = talk(turns, createTestStorage(), { tools })
  await chat.send('All of it').result
  const kept = [
    { toolCallId: 'fails-fax', reason: 'not-succeeded' },
    { toolCallId: 'mail-letter', reason: 'no-undo' },
  ]
  const plan = undoPlan(chat.getSnapshot(), asked(chat))
  expect(plan?.undoable.map(({ toolCallId }) => toolCallId)).toEqual(['add-mug'])
  expect(plan?.kept.map(({ call: { toolCallId }, reason }) => ({ toolCallId, reason }))).toEqual(
    kept,
  )
  expect(await chat.undoTurn(asked(chat))).toEqual({ undone: ['add-mug'], kept })
})

test('an undo that refuses stops the turn with its reason; asking again, or without it, continues', async () => {
  let isEdited = true
  const { cart, undone, tools } = shop((item) => {
    if (isEdited && item === 'bowl') throw new Error('You have edited the bowl since.')
  })
  const { chat } = await filled({ tools })
  const id = asked(chat)
  const stopped = {
    failed: {
      toolCallId: 'add-bowl',
      status: 'failed',
      message: 'You have edited the bowl since.',
    },
    kept: expect.arrayContaining([{ toolCallId: 'add-mug', reason: 'not-tried' }]),
  }
  expect(await chat.undoTurn(id)).toEqual({ undone: ['add-plate'], ...stopped })
  await until(() => undoable(chat) === 2)
  expect(await chat.undoTurn(id)).toEqual({ undone: [], ...stopped })
  expect(cart).toEqual(['mug', 'bowl'])
  expect(await chat.undoTurn(id, { skip: ['add-bowl'] })).toEqual({
    undone: ['add-mug'],
    kept: [
      { toolCallId: 'add-plate', reason: 'undone' },
      { toolCallId: 'add-bowl', reason: 'skipped' },
    ],
  })
  isEdited = false
  expect(await chat.undoTurn(id)).toMatchObject({ undone: ['add-bowl'] })
  expect(undone).toEqual(['plate', 'mug', 'bowl'])
})

test('an undo that hangs stops the turn as unknown, and is not repeated when asked again', async () => {
  const hung = vi.fn()
  const { undone, tools } = shop((item) => {
    if (item !== 'bowl') return undefined
    hung()
    return new Promise(() => undefined)
  })
  const [add, ...others] = tools
  if (!add) throw new Error('There is one.')
  const { chat } = await filled({ tools: [{ ...add, timeoutMs: 300 }, ...others] })
  expect(await chat.undoTurn(asked(chat))).toMatchObject({
    undone: ['add-plate'],
    failed: { toolCallId: 'add-bowl', status: 'unknown' },
  })
  await until(() => undoable(chat) === 1)
  expect(await chat.undoTurn(asked(chat))).toMatchObject({
    undone: ['add-mug'],
    kept: expect.arrayContaining([{ toolCallId: 'add-bowl', reason: 'unknown' }]),
  })
  expect(hung).toHaveBeenCalledTimes(1)
  expect(undone).toEqual(['plate', 'mug'])
})

test.each([0, 1, 2])(
  'after a reload behind undo %i, asking again undoes what is left, and nothing twice',
  async (at) => {
    const storage = createTestStorage()
    const reached = gate()
    const first = shop((item) => {
      if (item !== ITEMS.toReversed()[at]) return undefined
      reached.open()
      return new Promise(() => undefined)
    })
    const before = await filled(first, storage)
    const cutOff = before.chat.undoTurn(asked(before.chat)).catch((error: unknown) => error)
    await reached.opened
    await before.agent.dispose()
    expect(await cutOff).toMatchObject({ code: 'disposed' })
    expect(first.undone).toEqual(ITEMS.toReversed().slice(0, at))
    simulateReload()
    const second = shop()
    second.cart.push(...first.cart)
    const { chat } = talk([], storage, { tools: second.tools })
    await until(() => callsIn(chat).length === 3)
    const result = await chat.undoTurn(asked(chat))
    // The one that was cut off has an unknown outcome.
    expect(second.undone).toEqual(ITEMS.toReversed().slice(at + 1))
    expect(result.undone).toHaveLength(2 - at)
    expect(result.kept).toContainEqual({
      toolCallId: `add-${ITEMS.toReversed()[at]}`,
      reason: 'unknown',
    })
  },
)

test('after a reload between two undos, the rest is undone, without any subscriber', async () => {
  const storage = createTestStorage()
  const first = shop()
  const before = await filled(first, storage)
  const id = asked(before.chat)
  await before.chat.undoTurn(id, { skip: ['add-mug', 'add-bowl'] })
  await before.agent.dispose()
  simulateReload()
  const second = shop()
  second.cart.push(...first.cart)
  const worker = inProcessWorker({ storage })
  const agent = createAgent({
    worker,
    model: { provider: 'scripted', model: 'm', script: { steps: [] } },
    tools: second.tools,
  })
  onTestFinished(() => agent.dispose())
  expect(await agent.conversation('talk').undoTurn(id)).toEqual({
    undone: ['add-bowl', 'add-mug'],
    kept: [{ toolCallId: 'add-plate', reason: 'undone' }],
  })
  expect(second.undone).toEqual(['bowl', 'mug'])
})

test('two tabs that undo one turn at the same time undo each call once', async () => {
  const storage = createTestStorage()
  const { cart, undone, tools } = shop(() => new Promise((resolve) => setTimeout(resolve, 5)))
  const model = {
    provider: 'scripted',
    model: 'scripted',
    script: {
      fallback: [
        { toolCalls: ITEMS.map((item) => ({ toolName: 'add', input: { item } })) },
        { text: 'Added.' },
      ],
    },
  } as const
  const chats = [inProcessWorker({ storage }), inProcessWorker({ storage })].map((worker) => {
    const agent = createAgent({ worker, model, tools })
    onTestFinished(() => agent.dispose())
    return agent.conversation('talk')
  })
  const [one, two] = chats
  if (!one || !two) throw new Error('There are two.')
  for (const chat of chats) chat.subscribe(() => undefined)
  await one.send('Fill the cart').result
  await until(() => chats.every((chat) => undoable(chat) === 3))
  const id = asked(one)
  const outcomes = await Promise.all(
    [one, one, two].map((chat) => chat.undoTurn(id).catch((error: { code: string }) => error.code)),
  )
  for (const outcome of outcomes)
    if (typeof outcome === 'string')
      expect(['conversation-busy', 'ownership-lost']).toContain(outcome)
  // Whichever tab was refused can finish what the others left.
  for (const deadline = Date.now() + 20_000; undone.length < 3 && Date.now() < deadline;)
    await one.undoTurn(id).catch(() => undefined)
  expect(undone.toSorted()).toEqual([...ITEMS].toSorted())
  expect(cart).toEqual([])
})

test('a tool that is not registered on this page stops the turn, and another page undoes it', async () => {
  const { cart, tools } = shop()
  const { chat, agent, storage } = await filled({ tools })
  const id = asked(chat)
  await agent.dispose()
  simulateReload()
  const without = talk([], storage)
  expect(await without.chat.undoTurn(id)).toMatchObject({
    undone: [],
    failed: { toolCallId: 'add-plate', status: 'not-begun' },
  })
  await without.agent.dispose()
  simulateReload()
  const again = talk([], storage, { tools })
  expect((await again.chat.undoTurn(id)).undone).toHaveLength(3)
  expect(cart).toEqual([])
})

test('a turn is not undone while a run is open', async () => {
  const { cart, undone, tools } = shop()
  const held = gate()
  const turns = [adds(['mug']), [held.opened, ...answer('Added.')]]
  const { chat } = talk(turns, createTestStorage(), { tools })
  const run = chat.send('A mug')
  await until(() => undoable(chat) === 1)
  await expect(chat.undoTurn(asked(chat))).rejects.toMatchObject({ code: 'conversation-busy' })
  expect(undone).toEqual([])
  held.open()
  await run.result
  await chat.undoTurn(asked(chat))
  expect(cart).toEqual([])
})

test('an aborted signal ends the undo after the call that is being undone', async () => {
  const stop = new AbortController()
  const { undone, tools } = shop((item) => item === 'plate' && stop.abort())
  const { chat } = await filled({ tools })
  expect(await chat.undoTurn(asked(chat), { signal: stop.signal })).toEqual({
    undone: ['add-plate'],
    kept: ['add-bowl', 'add-mug'].map((toolCallId) => ({ toolCallId, reason: 'not-tried' })),
  })
  expect(undone).toEqual(['plate'])
})

test('one user gesture undoes a whole turn: none is made while page tools act', async () => {
  onTestFinished(() => void Object.assign(pageActs(), { open: 0, turns: 0, pressed: -1 }))
  const { undone, tools } = shop()
  const { chat } = await filled({ tools })
  Object.assign(pageActs(), { open: 1, turns: 5, pressed: 5 })
  await expect(chat.undoTurn(asked(chat))).rejects.toMatchObject({ code: 'consent-refused' })
  Object.assign(pageActs(), { open: 0, turns: 6 })
  await expect(chat.undoTurn(asked(chat))).rejects.toMatchObject({ code: 'consent-refused' })
  expect(undone).toEqual([])
  Object.assign(pageActs(), { pressed: 6 })
  expect((await chat.undoTurn(asked(chat))).undone).toHaveLength(3)
})

test('a turn that was undone is edited and sent again as a branch', async () => {
  const { cart, tools } = shop()
  const { chat } = talk(
    [adds(['mug']), answer('One.'), adds(['bowl']), answer('Two.')],
    createTestStorage(),
    { tools },
  )
  await chat.send('A mug').result
  const id = asked(chat)
  await chat.undoTurn(id)
  expect(await chat.edit(id, 'A bowl').result).toMatchObject({ outcome: 'completed' })
  expect(cart).toEqual(['bowl'])
  await until(() => chat.getSnapshot().branches[asked(chat)]?.ids.length === 2)
  expect(callsIn(chat).map(({ toolCallId }) => toolCallId)).toEqual(['add-bowl'])
})
