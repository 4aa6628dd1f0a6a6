import { expect, it, onTestFinished } from 'vitest'
import { type Agent, createAgent } from '../../../src/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'

const LONG = { timeout: 30_000 }

const say = (delta: string): StreamPart[] => [
  { type: 'text-delta', delta },
  { type: 'finish', finishReason: 'stop' },
]

/** Two agents of one page; the one that is asked has its words made data. `extracts`: how often it was asked to. */
function family({ testStorage = createTestStorage(), hangs = false }) {
  const seen = { extracts: 0, stopped: 0 }
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream({ messages }, { model }, { signal }) {
      if (model === 'expert' && JSON.stringify(messages).includes('outcome of this work')) {
        seen.extracts++
        if (hangs) await new Promise((resolve) => signal?.addEventListener('abort', resolve))
        if (signal?.aborted) seen.stopped++
        else yield say('{"metres": 12}')
      } else if (model === 'expert') yield say('It is 12 m.')
      else if (messages.some(({ role }) => role === 'tool')) yield say('Done.')
      else
        yield [
          { type: 'tool-call', toolCallId: 'ask', toolName: 'ask_expert', input: { prompt: '?' } },
          { type: 'finish', finishReason: 'tool-calls' },
        ]
    },
  }
  const worker = inProcessWorker({ storage: testStorage, providers: [provider] })
  const expert = createAgent({ model: { provider: 'listed', model: 'expert' }, worker })
  const output = {
    type: 'object',
    properties: { metres: { type: 'number' } },
    required: ['metres'],
  } as const
  const makeBoss = (): Agent =>
    createAgent({
      model: { provider: 'listed', model: 'boss' },
      worker,
      tools: [expert.asTool({ name: 'ask_expert', description: 'Knows all.', output })],
    })
  const boss = makeBoss()
  const dispose = async (): Promise<void> => {
    await Promise.all([boss.dispose(), expert.dispose()])
  }
  onTestFinished(dispose)
  return { boss, makeBoss, seen, testStorage, dispose }
}

it("extraction from a sub-agent's answer stops when the calling run ends", async () => {
  const { boss, seen } = family({ hangs: true })
  const run = boss.run('How tall?')
  await expect.poll(() => seen.extracts, LONG).toBe(1)
  run.abort('enough')
  expect(await run.result).toMatchObject({ outcome: 'aborted' })
  await expect.poll(() => seen.stopped, LONG).toBe(1)
})

it('two resumes of a call at once extract its data once', async () => {
  const first = family({ hangs: true })
  const { conversationId } = first.boss.run('How tall?')
  await expect.poll(() => first.seen.extracts, LONG).toBe(1)
  await first.dispose()
  simulateReload()
  const { boss, seen } = family({ testStorage: first.testStorage })
  const runs = await Promise.all([boss.resume(conversationId), boss.resume(conversationId)])
  const result = await runs.find(Boolean)?.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(seen.extracts).toBe(1)
})

it('a call with an unstored answer is answered later with the same data', async () => {
  const store = createMemoryStore()
  let refused = 0
  const failing: Store = {
    ...store,
    async append(append) {
      const isAnswer = append.rows.some(({ type }) => type === 'call-settled')
      if (isAnswer && refused++ < 2) throw new Error('The disk is away.')
      return store.append(append)
    },
  }
  const { boss, seen } = family({ testStorage: { open: async () => failing } })
  expect(await boss.run('How tall?').result).toMatchObject({ outcome: 'completed' })
  expect(refused).toBeGreaterThan(1)
  expect(seen.extracts).toBe(1)
})

it('while a sub-agent works, the next agent of the page shows the conversation of a disposed one', async () => {
  const { boss, makeBoss, seen } = family({ hangs: true })
  const next = makeBoss()
  onTestFinished(() => next.dispose())
  const conversationId = 'c'
  boss.conversation(conversationId).subscribe(() => undefined)
  boss.run('How tall?', { conversationId })
  await expect.poll(() => seen.extracts, LONG).toBe(1)
  await boss.dispose()
  const { subscribe, getSnapshot } = next.conversation(conversationId)
  subscribe(() => undefined)
  await expect.poll(() => getSnapshot().messages.length, LONG).toBeGreaterThan(0)
  expect(getSnapshot().error).toBeUndefined()
  const run = await next.resume(conversationId)
  run?.abort('enough')
  await expect.poll(() => getSnapshot().ended?.outcome, LONG).toBe('aborted')
})
