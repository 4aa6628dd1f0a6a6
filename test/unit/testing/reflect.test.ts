import { expect, onTestFinished, test, vi } from 'vitest'
import {
  createAgent,
  type AgentOptions,
  type Conversation,
  type ReflectOptions,
  type RunEvent,
  type ShownMessage,
} from '../../../src/index.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, heldStorage, said, talk } from './talk.ts'

const replace: ReflectOptions = { mode: 'replace', instructions: 'Check the sum.' }
const annotate: ReflectOptions = { mode: 'annotate', instructions: 'What is uncertain?' }

const newest = (chat: Conversation): ShownMessage | undefined =>
  chat.getSnapshot().messages.findLast(({ role }) => role === 'assistant')

async function eventsOf(run: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

const counted = (text: string, tokens: number): StreamPart[] => [
  { type: 'text-delta', delta: text },
  { type: 'usage', usage: { inputTokens: tokens, outputTokens: tokens } },
  { type: 'finish', finishReason: 'stop' },
]

test('remarks on an answer are shown, returned and emitted, but never sent', async () => {
  const turns = [
    call('quick'),
    answer('52.'),
    answer('The sum is 54.'),
    answer('Next.'),
    answer('Fine.'),
  ]
  const { chat, sent } = talk(turns, createTestStorage(), { reflect: annotate })
  const run = chat.send('How much?')
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    text: '52.',
    reflection: 'The sum is 54.',
    steps: 2,
    usage: { modelCalls: 3 },
  })
  // The conversation as it was sent before, with one more turn: for the prompt cache.
  expect(sent[2]?.slice(0, -1)).toEqual([...(sent[1] ?? []), '52.'])
  expect(sent[2]?.at(-1)).toContain('What is uncertain?')
  const reflection = { mode: 'annotate', text: 'The sum is 54.' }
  await until(() => newest(chat)?.reflection !== undefined)
  expect(newest(chat)).toMatchObject({ parts: [{ type: 'text', text: '52.' }], reflection })
  const events = await eventsOf(run)
  expect(events.filter(({ type }) => type === 'answer-reflected')).toMatchObject([
    { step: 2, messageId: newest(chat)?.id, ...reflection },
  ])
  expect(events.map(({ type }) => type)).not.toContain('step-reset')
  await chat.send('And now?').result
  expect(sent[3]).toEqual([...(sent[1] ?? []), '52.', 'And now?'])
  expect(sent.slice(3).flat().join()).not.toContain('The sum is 54.')
})

test('a better answer replaces the first in the chat, the request and the result', async () => {
  const turns = [answer('52.'), answer('54.'), answer('Next.'), answer('Next.')]
  const { agent, chat, sent } = talk(turns, createTestStorage(), { reflect: replace })
  const run = chat.send('How much?')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: '54.', steps: 1 })
  expect(result).not.toHaveProperty('reflection')
  await until(() => said(chat).includes('54.'))
  expect(said(chat)).toEqual(['How much?', '54.'])
  expect(newest(chat)?.reflection).toEqual({ mode: 'replace', original: '52.' })
  const events = await eventsOf(run)
  const at = events.findIndex(({ type }) => type === 'step-reset')
  expect(events.slice(at)).toMatchObject([
    { type: 'step-reset', step: 1, reason: { code: 'answer-replaced' } },
    { type: 'text-start' },
    { type: 'text-delta', delta: '54.' },
    { type: 'text-end' },
    { type: 'answer-reflected', messageId: newest(chat)?.id, mode: 'replace', text: '54.' },
    { type: 'step-end', step: 1 },
    { type: 'run-end' },
  ])
  await chat.send('And now?').result
  expect(sent[2]).toEqual(['How much?', '54.', 'And now?'])
  const stored = await agent.conversations.get('talk')
  expect(stored?.messages[1]?.parts).toEqual([{ type: 'text', text: '54.' }])
})

test('a replacement with the same text changes nothing', async () => {
  const { chat } = talk([answer('54.'), answer('54.\n')], createTestStorage(), { reflect: replace })
  const run = chat.send('How much?')
  expect(await run.result).toMatchObject({ text: '54.', usage: { modelCalls: 2 } })
  const types = (await eventsOf(run)).map(({ type }) => type)
  expect(types).not.toContain('step-reset')
  expect(types).not.toContain('warning')
  expect(newest(chat)).not.toHaveProperty('reflection')
})

test('a replaced answer loses its reasoning and keeps its files', async () => {
  const file = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const
  const first: StreamPart[] = [
    { type: 'reasoning-delta', delta: 'Hm.' },
    { type: 'text-delta', delta: '52.' },
    { type: 'file', file },
    { type: 'finish', finishReason: 'stop', providerMetadata: { listed: { signature: 's' } } },
  ]
  const { agent, chat } = talk([first, answer('54.')], createTestStorage(), { reflect: replace })
  await chat.send('How much?').result
  const stored = (await agent.conversations.get('talk'))?.messages[1]
  expect(stored?.parts).toEqual([{ type: 'text', text: '54.' }, file])
  expect(stored).not.toHaveProperty('providerMetadata')
})

test('the result of finish_task is reflected on too', async () => {
  const finish: StreamPart[] = [
    { type: 'text-delta', delta: 'I am done.' },
    { type: 'tool-call', toolCallId: 'f', toolName: 'finish_task', input: { result: 'bad' } },
    { type: 'finish', finishReason: 'tool-calls', providerMetadata: { listed: { id: 'bad' } } },
  ]
  const options = { reflect: replace, controlTools: ['finish_task'] } as const
  const { agent, chat } = talk([finish, answer('good')], createTestStorage(), options)
  const run = chat.send('One')
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    text: 'good',
    toolCalls: [{ input: { result: 'good' }, output: { value: 'good' } }],
  })
  expect((await eventsOf(run)).map(({ type }) => type)).not.toContain('step-reset')
  const { messages = [] } = (await agent.conversations.get('talk')) ?? {}
  expect(messages.slice(1)).toMatchObject([
    { parts: [{ text: 'I am done.' }, { input: { result: 'good' } }] },
    { parts: [{ output: { type: 'text', value: 'good' } }] },
  ])
  expect(messages[1]).not.toHaveProperty('providerMetadata')
  expect(newest(chat)?.reflection).toEqual({ mode: 'replace', original: 'bad' })
})

test('verify judges the better answer, and each answer is reflected on', async () => {
  const verify = vi.fn<NonNullable<AgentOptions['verify']>>(({ text }) =>
    text === '55.' ? { ok: true } : { feedback: 'No.' },
  )
  const turns = [answer('52.'), answer('53.'), answer('54.'), answer('55.')]
  const { chat } = talk(turns, createTestStorage(), { reflect: replace, verify })
  expect(await chat.send('How much?').result).toMatchObject({
    text: '55.',
    steps: 2,
    usage: { modelCalls: 4 },
  })
  expect(verify.mock.calls.map(([{ text }]) => text)).toEqual(['53.', '55.'])
  await until(() => said(chat).includes('55.'))
  expect(chat.getSnapshot().messages.slice(1)).toMatchObject([
    { rejected: true, reflection: { original: '52.' } },
    { reflection: { original: '54.' } },
  ])
  expect(newest(chat)).not.toHaveProperty('rejected')
})

test('marks and reflections survive a reload and an import', async () => {
  const verify: AgentOptions['verify'] = ({ text }) =>
    text === '54.' ? { ok: true } : { feedback: 'No.' }
  const turns = [answer('52.'), answer('53.'), answer('54.'), answer('54.')]
  const testStorage = createTestStorage()
  const first = talk(turns, testStorage, { reflect: replace, verify })
  await first.chat.send('How much?').result
  await until(() => said(first.chat).includes('54.'))
  const before = first.chat.getSnapshot().messages
  expect(before[1]).toMatchObject({ rejected: true, reflection: { original: '52.' } })
  const file = await first.agent.conversations.export()
  const bytes = await new Response(file).blob()
  await first.agent.dispose()
  simulateReload()
  const second = talk([], testStorage)
  await until(() => second.chat.getSnapshot().status === 'idle')
  expect(second.chat.getSnapshot().messages).toEqual(before)
  const third = talk([])
  await third.agent.conversations.import(bytes)
  await until(() => third.chat.getSnapshot().messages.length === before.length)
  expect(third.chat.getSnapshot().messages).toEqual(before)
})

test('remarks are made on answers that verify accepted', async () => {
  const verify: AgentOptions['verify'] = ({ text }) =>
    text === 'Good.' ? { ok: true } : { feedback: 'No.' }
  const turns = [answer('Bad.'), answer('Good.'), answer('It is short.')]
  const { chat } = talk(turns, createTestStorage(), { reflect: annotate, verify })
  expect(await chat.send('One').result).toMatchObject({
    text: 'Good.',
    reflection: 'It is short.',
    usage: { modelCalls: 3 },
  })
})

const cut: StreamPart[] = [
  { type: 'text-delta', delta: 'Half an' },
  { type: 'finish', finishReason: 'length' },
]
const failed: StreamPart[] = [
  { type: 'error', error: { code: 'bad-request', message: 'No such thing.', retryable: false } },
]

test.each<[string, readonly (StreamPart | Promise<unknown>)[], string]>([
  ['fails', failed, 'No such thing.'],
  ['says nothing', answer(' '), 'said nothing'],
  ['is cut off', cut, 'cut off'],
  ['takes too long', [new Promise(() => undefined)], 'longer than 30 ms'],
])('a reflection that %s leaves the answer unchanged, with a warning', async (_how, turn, why) => {
  const reflect = { ...replace, timeoutMs: 30 }
  const { chat } = talk([answer('52.'), turn], createTestStorage(), { reflect })
  const run = chat.send('How much?')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: '52.', steps: 1 })
  const warnings = (await eventsOf(run)).filter(({ type }) => type === 'warning')
  expect(warnings).toMatchObject([
    { code: 'reflect-failed', message: expect.stringContaining(why) },
  ])
  expect(newest(chat)).not.toHaveProperty('reflection')
})

test('a reflection with a timeoutMs of Infinity takes its time', async () => {
  const { opened, open } = gate()
  const reflect = { ...replace, timeoutMs: Infinity }
  const turns = [answer('52.'), [opened, ...answer('54.')]]
  const { chat, sent } = talk(turns, createTestStorage(), { reflect })
  const { result } = chat.send('How much?')
  await until(() => sent.length === 2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  open()
  expect(await result).toMatchObject({ outcome: 'completed', text: '54.' })
})

test.each(['abort', 'now', 'dispose'])('while a reflection runs: %s', async (what) => {
  const turns = [
    answer('First.'),
    [...counted('Half', 5).slice(0, 2), gate().opened],
    answer('Second.'),
    answer('Second.'),
  ]
  const set = talk(turns, createTestStorage(), { reflect: replace })
  const run = set.chat.send('One')
  await until(() => set.sent.length === 2 && said(set.chat).includes('First.'))
  if (what === 'abort') run.abort('enough')
  else if (what === 'dispose') await set.agent.dispose()
  else run.send('Two', { when: 'now' })
  const result = await run.result
  expect(result.outcome).toBe(what === 'now' ? 'completed' : 'aborted')
  expect(result.text).toBe(what === 'now' ? 'Second.' : 'First.')
  // Tokens that the model used until then are counted.
  if (what !== 'dispose') expect(result.usage.inputTokens).toBe(5)
  if (what === 'now') expect(set.sent[2]).toEqual(['One', 'First.', 'Two'])
  const types = (await eventsOf(run)).map(({ type }) => type)
  expect(types).not.toContain('step-reset')
  expect(types).not.toContain('warning')
})

test('after a reload, an unfinished reflection is requested again, a stored one never', async () => {
  const testStorage = createTestStorage()
  const first = talk([answer('52.'), [gate().opened]], testStorage, { reflect: replace })
  void first.chat.send('How much?')
  await until(() => first.sent.length === 2)
  await first.agent.dispose()
  simulateReload()

  const never: AgentOptions['verify'] = () => new Promise(() => undefined)
  const second = talk([answer('54.')], testStorage, { reflect: replace, verify: never })
  await second.agent.resume('talk')
  await until(() => said(second.chat).includes('54.'))
  expect(second.sent).toEqual([first.sent[1]])
  await second.agent.dispose()
  simulateReload()

  const third = talk([], testStorage, { reflect: replace, verify: () => ({ ok: true }) })
  const run = await third.agent.resume('talk')
  expect(await run?.result).toMatchObject({ outcome: 'completed', text: '54.', steps: 1 })
  expect(third.sent).toEqual([])
  await until(() => newest(third.chat)?.reflection !== undefined)
  expect(newest(third.chat)?.reflection).toEqual({ mode: 'replace', original: '52.' })
})

test('a page without reflect resumes the run without it', async () => {
  const testStorage = createTestStorage()
  const first = talk([answer('52.'), [gate().opened]], testStorage, { reflect: replace })
  void first.chat.send('How much?')
  await until(() => first.sent.length === 2)
  await first.agent.dispose()
  simulateReload()
  const second = talk([], testStorage)
  const run = await second.agent.resume('talk')
  expect(await run?.result).toMatchObject({ outcome: 'completed', text: '52.' })
  expect(second.sent).toEqual([])
})

test('an abort at the commit of a reflection keeps the first answer', async () => {
  const { testStorage, reached, release } = heldStorage('answer-reflected')
  const turns = [answer('First.'), answer('Better.')]
  const { agent, chat, sent } = talk(turns, testStorage, { reflect: replace })
  const run = chat.send('One')
  await reached
  run.abort('enough')
  expect(await run.result).toMatchObject({ outcome: 'aborted', text: 'First.' })
  release()
  await until(() => chat.getSnapshot().status === 'idle')
  expect(await agent.resume('talk')).toBeNull()
  expect(sent).toHaveLength(2)
})

test('a reflection stored while the page is left is shown on the next page', async () => {
  const { testStorage, reached, release } = heldStorage('answer-reflected')
  const turns = [answer('First.'), answer('Better.')]
  const first = talk(turns, testStorage, { reflect: replace })
  void first.chat.send('One')
  await reached
  await first.agent.dispose()
  simulateReload()
  release()
  const second = talk([answer('Even better.')], testStorage, { reflect: replace })
  await until(() => newest(second.chat)?.reflection !== undefined)
  const run = await second.agent.resume('talk')
  expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'Better.' })
  expect(second.sent).toEqual([])
})

test('when the worker dies during a reflection, the next worker requests it again', async () => {
  const spawn = inProcessWorker({ storage: createTestStorage(), providers: [counting()] })
  const workers: ReturnType<typeof spawn>[] = []
  const agent = createAgent({
    model: { provider: 'counting', model: 'm' },
    worker: () => {
      const worker = spawn()
      workers.push(worker)
      return worker
    },
    heartbeatMs: 20,
    reflect: annotate,
  })
  onTestFinished(() => agent.dispose())
  const run = agent.run('One')
  await until(() => asked === 2)
  workers[0]?.terminate?.()
  expect(await run.result).toMatchObject({ text: 'Answer 1', reflection: 'Answer 3' })
  expect(asked).toBe(3)
})

let asked = 0

/** The second answer never arrives. */
function counting(): StreamProviderDefinition {
  asked = 0
  return {
    id: 'counting',
    async *stream() {
      asked += 1
      const nth = asked
      if (nth === 2) await new Promise(() => undefined)
      yield answer(`Answer ${nth}`)
    },
  }
}

test("reflect's own model counts usage by its own prices", async () => {
  const models: string[] = []
  const provider: StreamProviderDefinition = {
    id: 'two',
    async *stream(_request, { model }) {
      models.push(model)
      yield counted(model, 1_000_000)
    },
  }
  const prices = { input: 1, output: 1 }
  const dear = { input: 10, output: 20 }
  const { chat } = talk([], createTestStorage(), {
    model: { provider: 'two', model: 'cheap', prices },
    reflect: { ...replace, model: { provider: 'two', model: 'dear', prices: dear } },
    ...({ providers: [provider] } as object),
    limits: { costUSD: 100 },
  })
  expect(await chat.send('One').result).toMatchObject({
    outcome: 'completed',
    text: 'dear',
    usage: { modelCalls: 2, inputTokens: 2_000_000, costUSD: 32 },
  })
  expect(models).toEqual(['cheap', 'dear'])
})

test('no reflection at a limit, in one-shot mode, or on empty answers', async () => {
  const turns = [counted('52.', 50), answer('Bye.'), answer('53.'), answer(' '), answer(' ')]
  const set = talk(turns, createTestStorage(), { reflect: replace })
  const limits = { tokens: 100 }
  expect(await set.chat.send('One', { limits }).result).toMatchObject({ text: '52.' })
  expect(await set.chat.send('One', { maxSteps: 0 }).result).toMatchObject({ text: 'Bye.' })
  expect(await set.chat.send('One', { limits: { steps: 1 } }).result).toMatchObject({ text: '53.' })
  expect(await set.chat.send('One').result).toMatchObject({ error: { code: 'empty-answer' } })
  expect(set.sent).toHaveLength(5)
})

test('a reflection needs no step, even in the last one', async () => {
  const { chat } = talk([answer('52.'), answer('54.')], createTestStorage(), { reflect: replace })
  expect(await chat.send('One', { maxSteps: 1 }).result).toMatchObject({ text: '54.', steps: 1 })
})

test("the usage of a reflection counts towards the run's limits", async () => {
  const turns = [counted('52.', 30), counted('53.', 30), counted('54.', 1)]
  const verify = vi.fn(() => ({ feedback: 'No.' }))
  const options = { reflect: replace, verify, limits: { tokens: 100 } }
  const { chat, sent } = talk(turns, createTestStorage(), options)
  expect(await chat.send('One').result).toMatchObject({ outcome: 'completed', text: '53.' })
  // The limit is reached: the model could not answer again.
  expect(verify).not.toHaveBeenCalled()
  expect(sent).toHaveLength(2)
})

test('no reflection on data that a schema checks', async () => {
  const { agent, sent } = talk([answer('{"n":1}')], createTestStorage(), { reflect: replace })
  const schema = {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
  } as const
  expect(await agent.extract({ schema, input: 'How many?' })).toEqual({ n: 1 })
  expect(sent).toHaveLength(1)
})

test("reflect's instructions are filled with values", async () => {
  const { chat, sent } = talk([answer('1'), answer('2')], createTestStorage(), {
    reflect: { ...annotate, instructions: 'Is it in {{unit}}?' },
    values: { unit: 'euros' },
  })
  await chat.send('One').result
  expect(sent[1]?.at(-1)).toContain('Is it in euros?')
})

test.each<[unknown, string]>([
  [{ mode: 'annotate' }, 'reflect must be like'],
  [{ instructions: 'x' }, 'reflect must be like'],
  [{ mode: 'rewrite', instructions: 'x' }, 'mode of reflect of createAgent must be'],
  [{ ...replace, model: { provider: 'openai' } }, 'model must be like'],
  [{ ...replace, modell: {} }, 'has no modell'],
])('reflect %j is refused', (reflect, words) => {
  expect(() =>
    createAgent({
      model: { provider: 'scripted', model: 's' },
      reflect: reflect as ReflectOptions,
    }),
  ).toThrow(words)
})

test('a limit of cost needs the prices of both models', () => {
  const model = { provider: 'ollama', model: 'm', prices: { input: 1, output: 1 } } as const
  const { prices: _prices, ...unpriced } = model
  const limits = { costUSD: 1 }
  expect(() => createAgent({ model, limits, reflect: { ...replace, model: unpriced } })).toThrow(
    'prices',
  )
})
