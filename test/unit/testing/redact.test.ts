import { expect, onTestFinished, test, vi } from 'vitest'
import type { AgentOptions } from '../../../src/index.ts'
import { createAgent, defineTool } from '../../../src/index.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, said, talk } from './talk.ts'

type Redact = NonNullable<AgentOptions['redact']>

const SECRET = '4111-1111-1111-1111'

/** Every text of a fact, wherever it is. */
const redact: Redact = (fact) =>
  JSON.parse(JSON.stringify(fact).replaceAll(SECRET, '[card]')) as typeof fact

const pays = (card: string) =>
  [
    { type: 'reasoning-delta', delta: `The card is ${card}.` },
    { type: 'text-delta', delta: `Paying with ${card}.` },
    { type: 'tool-call', toolCallId: 'p', toolName: 'pay', input: { card } },
    { type: 'finish', finishReason: 'tool-calls' },
  ] as const

/** All that the store holds, as text. */
async function stored(testStorage: ReturnType<typeof createTestStorage>): Promise<string> {
  const store = await testStorage.open('offstage')
  const all = (await store.list()).records.map(async (record) => [
    record,
    (await store.read(record.conversationId)).rows,
  ])
  return JSON.stringify(await Promise.all(all))
}

const CARD = { type: 'object', properties: { card: { type: 'string' } } } as const

const paying = (execute: (input: unknown) => unknown) =>
  defineTool({ name: 'pay', description: 'Pays.', jsonSchema: CARD, execute })

test('redacted text is not in the store, and not sent to model, tool or export', async () => {
  const storage = createTestStorage()
  const pay = vi.fn((_input: unknown) => `Paid with ${SECRET}.`)
  const { agent, chat, sent } = talk([pays(SECRET), answer(`${SECRET} was charged.`)], storage, {
    redact,
    tools: [paying(pay)],
  })
  const result = await chat.send(`My card is ${SECRET}`).result
  expect(result).toMatchObject({ outcome: 'completed', text: '[card] was charged.' })
  await agent.conversations.rename('talk', `Card ${SECRET}`)
  await agent.conversations.fork('talk')
  expect(await stored(storage)).not.toContain(SECRET)
  expect(await stored(storage)).toContain('Card [card]')
  expect(JSON.stringify(sent)).not.toContain(SECRET)
  expect(pay).toHaveBeenCalledExactlyOnceWith({ card: '[card]' }, expect.anything())
  const file = await new Response(await agent.conversations.export()).text()
  expect(file).not.toContain(SECRET)
  // After a reload, too, nothing else is shown.
  simulateReload()
  const after = talk([], storage, { redact })
  await until(() => said(after.chat).length > 0)
  expect(said(after.chat)[0]).toBe('My card is [card]')
  expect((await after.agent.conversations.list()).map(({ title }) => title)).toContain(
    'Card [card]',
  )
})

test('a file exported by another page is redacted on import', async () => {
  const from = talk([answer('Noted.')])
  await from.chat.send(`My card is ${SECRET}`).result
  const file = await new Response(await from.agent.conversations.export()).text()
  expect(file).toContain(SECRET)
  const storage = createTestStorage()
  const { agent } = talk([], storage, { redact })
  await agent.conversations.import(new Blob([file]))
  expect(await stored(storage)).toContain('[card]')
  expect(await stored(storage)).not.toContain(SECRET)
})

test.each<[string, (...args: Parameters<Redact>) => unknown]>([
  [
    'throws',
    () => {
      throw new Error(`No ${SECRET}`)
    },
  ],
  ['returns nothing', () => undefined],
  ['returns a promise', async (fact) => fact],
  ['returns what is no data', (fact) => ({ ...fact, at: () => 1 })],
  ['changes the type', (fact) => ({ ...fact, type: 'run-continued' })],
  ['adds a field', (fact) => ({ ...fact, more: 1 })],
  [
    'changes an id',
    (fact) =>
      fact.type === 'run-started' ? { ...fact, message: { ...fact.message, id: 'x' } } : fact,
  ],
  [
    'drops a part',
    (fact) =>
      fact.type === 'run-started' ? { ...fact, message: { ...fact.message, parts: [] } } : fact,
  ],
  [
    'gives a part no text',
    (fact) =>
      fact.type === 'run-started'
        ? { ...fact, message: { ...fact.message, parts: [{ type: 'text', text: 5 }] } }
        : fact,
  ],
])('when redact %s, the run fails and nothing is stored', async (_, wrong) => {
  const storage = createTestStorage()
  const { chat, sent } = talk([], storage, { redact: wrong as Redact })
  const result = await chat.send(`My card is ${SECRET}`).result
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'redact-failed' } })
  expect(sent).toEqual([])
  expect(await stored(storage)).not.toContain(SECRET)
})

test('when redact throws later, the run fails without storing the unredacted text', async () => {
  const storage = createTestStorage()
  const warnings: string[] = []
  const { agent, chat } = talk([answer(`It is ${SECRET}.`)], storage, {
    redact: (fact) => {
      if (fact.type === 'model-output') throw new Error(`No ${SECRET}`)
      return fact
    },
  })
  agent.on('warning', ({ code, message }) => warnings.push(`${code} ${message}`))
  const result = await chat.send('Which card?').result
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'redact-failed' } })
  expect(await stored(storage)).toContain('redact-failed')
  expect(await stored(storage)).not.toContain(SECRET)
  expect(warnings).toEqual([expect.stringContaining('hook-failed redact has failed')])
  // Nothing of the answer is shown either, once it has failed.
  await until(() => chat.getSnapshot().status === 'idle')
  expect(JSON.stringify(chat.getSnapshot().messages)).not.toContain(SECRET)
})

test('a call approved in another tab runs with the redacted input that is stored', async () => {
  const storage = createTestStorage()
  const pay = vi.fn((_input: unknown) => 'Paid.')
  const tools = [
    defineTool({
      name: 'pay',
      description: 'Pays.',
      jsonSchema: CARD,
      needsApproval: true,
      execute: pay,
    }),
  ]
  const first = talk([pays(SECRET)], storage, { redact, tools })
  const run = first.chat.send('Pay')
  await until(() => first.chat.getSnapshot().pending.length > 0)
  expect(first.chat.getSnapshot().pending).toMatchObject([{ input: { card: '[card]' } }])
  await first.agent.dispose()
  await run.result
  simulateReload()
  const second = talk([answer('Done.')], storage, { redact, tools })
  const resumed = await second.agent.resume('talk')
  await until(() => second.chat.getSnapshot().pending.length > 0)
  await second.chat.approve('p')
  expect(await resumed?.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(pay).toHaveBeenCalledExactlyOnceWith({ card: '[card]' }, expect.anything())
})

test("an agent's redact also covers other agents of the page, even once disposed of", async () => {
  const storage = createTestStorage()
  const worker = inProcessWorker({ storage })
  const once = vi.fn(redact)
  const model = {
    provider: 'scripted',
    model: 'scripted',
    script: { fallback: [{ text: `It is ${SECRET}.` }] },
  } as const
  const first = createAgent({ worker, model, redact: once })
  const second = createAgent({ worker, model })
  onTestFinished(() => second.dispose())
  await first.run('Hello').result
  const calls = once.mock.calls.length
  const run = () => second.run(`My card is ${SECRET}`, { conversationId: 'other' }).result
  expect(await run()).toMatchObject({ outcome: 'completed', text: 'It is [card].' })
  expect(once.mock.calls.length).toBeGreaterThan(calls)
  await first.dispose()
  expect(await run()).toMatchObject({ outcome: 'completed', text: 'It is [card].' })
  expect(await stored(storage)).not.toContain(SECRET)
})

test('a message queued during a run is redacted before its delivery', async () => {
  const storage = createTestStorage()
  const held = gate()
  const turns = [[...answer('One').slice(0, 1), held.opened, ...answer('').slice(1)], answer('Two')]
  const { chat, sent } = talk(turns, storage, { redact })
  const run = chat.send('Go')
  await until(() => sent.length > 0)
  run.send(`My card is ${SECRET}`, { when: 'now' })
  expect((await run.result).outcome).toBe('completed')
  expect(sent.at(-1)?.at(-1)).toBe('My card is [card]')
  expect(await stored(storage)).not.toContain(SECRET)
})

test('undo receives the stored input, and its error is redacted', async () => {
  const storage = createTestStorage()
  const undo = vi.fn((..._given: unknown[]) => {
    if (undo.mock.calls.length === 1) throw new Error(`${SECRET} was refused.`)
  })
  const tool = { ...paying(() => `Paid with ${SECRET}.`), undo }
  const { chat } = talk([pays(SECRET), answer('Paid.')], storage, { redact, tools: [tool] })
  await chat.send('Pay').result
  await expect(chat.undo('p')).rejects.toMatchObject({ code: 'call-failed' })
  expect(await stored(storage)).toContain('[card] was refused.')
  expect(await chat.undo('p')).toBe(true)
  for (const given of undo.mock.calls)
    expect(given.slice(0, 2)).toEqual([{ card: '[card]' }, 'Paid with [card].'])
  expect(await stored(storage)).not.toContain(SECRET)
})

test('when redact fails, no undo begins, and it can be requested again', async () => {
  let isFailing = false
  const undo = vi.fn()
  const tool = { ...paying(() => 'Paid.'), undo }
  const { chat } = talk([pays('none'), answer('Paid.')], createTestStorage(), {
    redact: (fact) => {
      if (isFailing) throw new Error('No.')
      return fact
    },
    tools: [tool],
  })
  await chat.send('Pay').result
  isFailing = true
  await expect(chat.undo('p')).rejects.toMatchObject({ code: 'redact-failed' })
  expect(undo).not.toHaveBeenCalled()
  isFailing = false
  expect(await chat.undo('p')).toBe(true)
  expect(undo).toHaveBeenCalledTimes(1)
})

/** A composite tool that is run again once its payment is approved; `seen` is what its function got to the end. */
function composing(storage: ReturnType<typeof createTestStorage>, card: string) {
  const seen: unknown[] = []
  const paid: unknown[] = []
  const work = defineTool({
    name: 'work',
    description: 'Works.',
    run: async (_input, { call: ask, step }) => {
      const read = await step('read', () => `The card is ${SECRET}.`)
      const found = await ask('find')
      await ask('pay', { card })
      seen.push(read, found)
      return `Done with ${SECRET}.`
    },
  })
  const find = defineTool({
    name: 'find',
    description: 'Finds.',
    execute: () => `${SECRET} is valid.`,
  })
  const pay = { ...paying((input) => paid.push(input)), needsApproval: true }
  const tools = [work, find, pay]
  return { seen, paid, ...talk([call('work'), answer('Done.')], storage, { redact, tools }) }
}

test("a composite tool's results are redacted, and its function gets the stored form", async () => {
  const storage = createTestStorage()
  const { chat, seen, paid } = composing(storage, 'of the shop')
  const run = chat.send('Work')
  await until(() => chat.getSnapshot().pending.length === 1)
  await chat.approve(chat.getSnapshot().pending[0]?.toolCallId ?? '')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect(paid).toEqual([{ card: 'of the shop' }])
  expect(seen).toEqual(['The card is [card].', '[card] is valid.'])
  expect(await stored(storage)).toContain('Done with [card].')
  expect(await stored(storage)).not.toContain(SECRET)
})

test('a nested call with a redacted input does not run with another input', async () => {
  const storage = createTestStorage()
  const { chat, seen, paid } = composing(storage, SECRET)
  const run = chat.send('Work')
  await until(() => chat.getSnapshot().pending.length === 1)
  const [asked] = chat.getSnapshot().pending
  expect(asked).toMatchObject({ toolName: 'pay', input: { card: '[card]' } })
  await chat.approve(asked?.toolCallId ?? '')
  const { toolCalls } = await run.result
  expect(toolCalls.find(({ toolName }) => toolName === 'work')).toMatchObject({
    status: 'interrupted',
    output: { code: 'workflow-changed' },
  })
  expect([...paid, ...seen]).toEqual([])
  expect(await stored(storage)).not.toContain(SECRET)
})

test("a person's answer to a question is redacted", async () => {
  const storage = createTestStorage()
  const asks = [
    {
      type: 'tool-call',
      toolCallId: 'q',
      toolName: 'ask_user',
      input: { question: `Is ${SECRET} right?`, options: [SECRET, 'No'] },
    },
    { type: 'finish', finishReason: 'tool-calls' },
  ] as const
  const { chat, sent } = talk([asks, answer('Thanks.')], storage, { redact })
  const run = chat.send('Pay')
  await until(() => chat.getSnapshot().pending.length === 1)
  expect(chat.getSnapshot().pending[0]?.question).toMatchObject({
    question: 'Is [card] right?',
    options: ['[card]', 'No'],
  })
  expect(await chat.answer('q', `It is ${SECRET}.`)).toBe(true)
  expect(await run.result).toMatchObject({
    toolCalls: [{ output: { type: 'text', value: 'It is [card].' } }],
  })
  expect(JSON.stringify(sent)).not.toContain(SECRET)
  expect(await stored(storage)).not.toContain(SECRET)
})

test('a reflection is redacted, and so is the answer that it replaces', async () => {
  const storage = createTestStorage()
  const turns = [answer(`It is ${SECRET}.`), answer(`The card is ${SECRET}.`)]
  const { chat } = talk(turns, storage, {
    redact,
    reflect: { mode: 'replace', instructions: 'A whole sentence.' },
  })
  expect((await chat.send('Which?').result).text).toBe('The card is [card].')
  await until(() => said(chat).includes('The card is [card].'))
  expect(chat.getSnapshot().messages[1]?.reflection).toEqual({
    mode: 'replace',
    original: 'It is [card].',
  })
  expect(await stored(storage)).not.toContain(SECRET)
})
