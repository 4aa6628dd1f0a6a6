import { expect, onTestFinished, test, vi } from 'vitest'
import { createAgent, type AgentOptions, type ProposedAnswer } from '../../../src/index.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, heldStorage, said, talk } from './talk.ts'

type Verify = NonNullable<AgentOptions['verify']>

const warnings = ({ agent }: Pick<ReturnType<typeof talk>, 'agent'>): string[] => {
  const seen: string[] = []
  agent.on('warning', ({ code, message }) => seen.push(`${code} ${message}`))
  return seen
}

const wants =
  (words: string): Verify =>
  ({ text }) =>
    text.includes(words) ? { ok: true } : { feedback: `Say ${words}.` }

test('when verify rejects an answer, the model gets the feedback and answers again', async () => {
  const verify = vi.fn<Verify>(wants('please'))
  const turns = [call('quick'), answer('Done.'), answer('Done, please.')]
  const { chat, sent } = talk(turns, createTestStorage(), { verify })
  const run = chat.send('One')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done, please.', steps: 3 })
  expect(verify.mock.calls.map(([{ text }]) => text)).toEqual(['Done.', 'Done, please.'])
  expect(verify.mock.calls[0]?.[0]).toMatchObject({
    runId: run.runId,
    conversationId: 'talk',
    toolCalls: [{ toolName: 'quick', status: 'succeeded' }],
  })
  // The same beginning, for the prompt cache.
  expect(sent[2]?.slice(0, 4)).toEqual([...(sent[1] ?? []), 'Done.'])
  expect(sent[2]?.at(-1)).toContain('Say please.')
  const events: unknown[] = []
  for await (const { type, ...event } of run) if (type === 'answer-rejected') events.push(event)
  expect(events).toMatchObject([{ step: 2, feedback: expect.stringContaining('Say please.') }])
  // The feedback to the model isn't the user's message, so the chat doesn't show it.
  await until(() => said(chat).includes('Done, please.'))
  expect(said(chat)).toEqual(['One', '', 'Done.', 'Done, please.'])
})

test('verify rejects at most two answers, and accepts the next unchecked', async () => {
  const verify = vi.fn<Verify>(() => ({ feedback: 'No.' }))
  const turns = [answer('1'), answer('2'), answer('3'), answer('4')]
  const { chat } = talk(turns, createTestStorage(), { verify })
  expect(await chat.send('One').result).toMatchObject({ outcome: 'completed', text: '3' })
  expect(verify).toHaveBeenCalledTimes(2)
  // The limit applies to each run.
  expect(await chat.send('Two', { maxSteps: 2 }).result).toMatchObject({ text: 'Nothing left.' })
  expect(verify).toHaveBeenCalledTimes(3)
})

test.each([
  [0, 0],
  [1, 1],
  [3, 3],
])('verifyRounds %i limits how often verify runs', async (verifyRounds, times) => {
  const verify = vi.fn<Verify>(() => ({ feedback: 'No.' }))
  const { chat } = talk([], createTestStorage(), { verify, verifyRounds })
  expect((await chat.send('One').result).outcome).toBe('completed')
  expect(verify).toHaveBeenCalledTimes(times)
})

test('verify is skipped when no step is left, and for empty answers', async () => {
  const verify = vi.fn<Verify>(() => ({ feedback: 'No.' }))
  const turns = [answer('1'), answer('2'), answer(' '), answer(' ')]
  const { chat } = talk(turns, createTestStorage(), { verify })
  expect(await chat.send('One', { maxSteps: 1 }).result).toMatchObject({ outcome: 'completed' })
  expect(await chat.send('One', { maxSteps: 0 }).result).toMatchObject({ outcome: 'completed' })
  expect(await chat.send('One').result).toMatchObject({ error: { code: 'empty-answer' } })
  expect(verify).not.toHaveBeenCalled()
})

test('the result of finish_task is verified too', async () => {
  const finish = (result: string) => [
    { type: 'tool-call', toolCallId: result, toolName: 'finish_task', input: { result } } as const,
    { type: 'finish', finishReason: 'tool-calls' } as const,
  ]
  const options = { verify: wants('good'), controlTools: ['finish_task'] } as const
  const { chat } = talk([finish('bad'), finish('good')], createTestStorage(), options)
  expect(await chat.send('One').result).toMatchObject({ outcome: 'completed', text: 'good' })
})

test.each<[string, Verify]>([
  [
    'throws',
    () => {
      throw new Error('No network.')
    },
  ],
  ['says nothing', () => undefined as never],
  ['never answers', () => new Promise(() => undefined)],
])('a verify that %s accepts the answer', async (_how, verify) => {
  const options = { verify, verifyTimeoutMs: 50 }
  const set = talk([answer('Done.')], createTestStorage(), options)
  const seen = warnings(set)
  expect(await set.chat.send('One').result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(seen).toEqual([expect.stringContaining('hook-failed verify has failed')])
})

test.each(['abort', 'now', 'dispose'])('while verify runs: %s', async (what) => {
  const signals: AbortSignal[] = []
  const verify = vi.fn<Verify>(({ signal, text }) =>
    text === 'First.' ? new Promise(() => signals.push(signal)) : { ok: true },
  )
  const set = talk([answer('First.'), answer('Second.')], createTestStorage(), { verify })
  const seen = warnings(set)
  const run = set.chat.send('One')
  await until(() => signals.length === 1 && said(set.chat).includes('First.'))
  if (what === 'abort') run.abort('enough')
  else if (what === 'dispose') await set.agent.dispose()
  else run.send('Two', { when: 'now' })
  const result = await run.result
  expect(result.outcome).toBe(what === 'now' ? 'completed' : 'aborted')
  expect(result.text).toBe(what === 'now' ? 'Second.' : 'First.')
  await until(() => signals[0]?.aborted === true)
  expect(seen).toEqual([])
})

test('a reload before the verdict runs verify again; a reload after it does not', async () => {
  const testStorage = createTestStorage()
  const never = new Promise<never>(() => undefined)
  const first = talk([answer('First.')], testStorage, { verify: () => never })
  void first.chat.send('One')
  await until(() => said(first.chat).includes('First.'))
  await first.agent.dispose()
  simulateReload()

  const asked: string[] = []
  const verify: Verify = ({ text }) => {
    asked.push(text)
    return text === 'First.' ? { feedback: 'Again.' } : { ok: true }
  }
  const second = talk([[gate().opened]], testStorage, { verify })
  await second.agent.resume('talk')
  await until(() => second.sent.length === 1)
  expect(asked).toEqual(['First.'])
  await second.agent.dispose()
  simulateReload()

  const third = talk([answer('Second.')], testStorage, { verify })
  const run = await third.agent.resume('talk')
  expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'Second.', steps: 2 })
  expect(asked).toEqual(['First.', 'Second.'])
  expect(third.sent).toEqual(second.sent)
})

test('an abort at the commit of a verdict keeps the first answer', async () => {
  const { testStorage, reached, release } = heldStorage('answer-rejected')
  const verify: Verify = () => ({ feedback: 'No.' })
  const { chat, sent, agent } = talk([answer('First.')], testStorage, { verify })
  const run = chat.send('One')
  await reached
  await until(() => JSON.stringify(chat.getSnapshot()).includes('First.'))
  run.abort('enough')
  expect(await run.result).toMatchObject({ outcome: 'aborted', text: 'First.' })
  release()
  await until(() => chat.getSnapshot().status === 'idle')
  expect(await agent.resume('talk')).toBeNull()
  expect(sent).toHaveLength(1)
})

test('when the worker dies during verify, the next worker gets the same verdict', async () => {
  const spawn = inProcessWorker({ storage: createTestStorage() })
  const workers: ReturnType<typeof spawn>[] = []
  const verdict = gate()
  const verify = vi.fn(async ({ text }: ProposedAnswer) => {
    if (text === 'Better.') return { ok: true } as const
    await verdict.opened
    return { feedback: 'Do better.' }
  })
  const agent = createAgent({
    model: {
      provider: 'scripted',
      model: 'scripted',
      script: { fallback: [{ text: 'First.' }, { text: 'Better.' }] },
    },
    worker: () => {
      const worker = spawn()
      workers.push(worker)
      return worker
    },
    heartbeatMs: 20,
    verify,
  })
  onTestFinished(() => agent.dispose())
  const run = agent.run('One')
  await until(() => verify.mock.calls.length === 1)
  workers[0]?.terminate?.()
  await until(() => workers.length === 2)
  verdict.open()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Better.' })
  expect(verify).toHaveBeenCalledTimes(2)
})

test('an after-run message begins the next run once the answer is accepted', async () => {
  const verdict = gate()
  const verify: Verify = async ({ text }) => {
    if (text !== 'First.') return { ok: true }
    await verdict.opened
    return { feedback: 'Again.' }
  }
  const turns = [answer('First.'), answer('Better.'), answer('Next.')]
  const { chat, sent } = talk(turns, createTestStorage(), { verify })
  const run = chat.send('One')
  await until(() => said(chat).includes('First.'))
  const { outcome } = run.send('Two', { when: 'after-run' })
  await until(() => chat.getSnapshot().queued.length === 1)
  verdict.open()
  expect(await run.result).toMatchObject({ text: 'Better.' })
  const delivered = await outcome
  expect(delivered.status === 'delivered' && (await delivered.run?.result)?.text).toBe('Next.')
  expect(sent.at(-1)?.slice(-2)).toEqual(['Better.', 'Two'])
})

test('data that a schema checks is not verified', async () => {
  const verify = vi.fn<Verify>(() => ({ feedback: 'No.' }))
  const { agent } = talk([answer('{"n":1}')], createTestStorage(), { verify })
  const schema = {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
  } as const
  expect(await agent.extract({ schema, input: 'How many?' })).toEqual({ n: 1 })
  expect(verify).not.toHaveBeenCalled()
})
