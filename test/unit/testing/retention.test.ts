import { expect, onTestFinished, test, vi } from 'vitest'
import {
  createAgent,
  type AgentOptions,
  type DroppedConversation,
  type Retention,
} from '../../../src/index.ts'
import {
  createMemoryStore,
  createTestAgent,
  createTestStorage,
  type TestAgentOptions,
} from '../../../src/testing/index.ts'
import type { Store } from '../../../src/worker/start-worker.ts'

const model = { provider: 'scripted', model: 'x' } as const
type Given = Partial<AgentOptions> & Pick<TestAgentOptions, 'testStorage' | 'script'>

function talk({ script = { fallback: [{ text: 'Hello.' }] }, ...options }: Given) {
  const agent = createTestAgent({ script, ...options })
  onTestFinished(() => agent.dispose())
  const dropped: DroppedConversation[] = []
  agent.on('conversations-dropped', ({ conversations }) => void dropped.push(...conversations))
  return { agent, dropped }
}

test('once nothing runs, excess conversations are deleted and announced; visible ones are kept', async () => {
  const testStorage = createTestStorage()
  const before = talk({ testStorage })
  for (const id of ['a', 'b', 'c'])
    await before.agent.run(`Say ${id}`, { conversationId: id }).result
  await before.agent.dispose()
  expect(before.dropped).toEqual([])

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { agent, dropped } = talk({ testStorage, retention: { conversations: 1 } })
  const shown = agent.conversation('a')
  onTestFinished(shown.subscribe(() => undefined))
  await shown.send('And again').result
  while (dropped.length === 0) await vi.advanceTimersByTimeAsync(500)
  expect(dropped).toMatchObject([
    { conversationId: 'b', title: 'Say b', reason: 'conversations' },
    { conversationId: 'c', title: 'Say c', reason: 'conversations' },
  ])
  expect(await agent.conversations.list()).toMatchObject([{ conversationId: 'a' }])
})

test('nothing is deleted during a run, or by a disposed agent', async () => {
  const testStorage = createTestStorage()
  const before = talk({ testStorage })
  for (const id of ['a', 'b']) await before.agent.run(`Say ${id}`, { conversationId: id }).result

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const script = { fallback: [{ text: 'Slow.', delayMs: 1e9 }] }
  const { agent, dropped } = talk({ testStorage, script, retention: { conversations: 1 } })
  const seen: string[] = []
  const run = agent.run('Go', { conversationId: 'c' })
  const watching = (async () => {
    for await (const { type } of run) seen.push(type)
  })()
  while (!seen.includes('step-start')) await vi.advanceTimersByTimeAsync(50)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(dropped).toEqual([])
  const disposal = agent.dispose()
  await vi.advanceTimersByTimeAsync(30_000)
  await Promise.all([disposal, watching])
  vi.useRealTimers()
  expect(await before.agent.conversations.list()).toHaveLength(3)
})

test('invalid limits are refused', () => {
  const wrong: [object, RegExp][] = [
    [{ days: 0 }, /retention\.days must be a number above 0/],
    [{ conversations: 0 }, /retention\.conversations must be a whole number, 1 or more/],
    [{ bytes: 1.5 }, /retention\.bytes must be a whole number/],
    [{ byte: 1 }, /Did you mean bytes\?/],
  ]
  for (const [retention, words] of wrong)
    expect(() => createAgent({ model, retention: retention as Retention })).toThrow(words)
})

test('retention by bytes reads a damaged conversation only as far as it has rows', async () => {
  const store = createMemoryStore()
  let reads = 0
  const damaged: Store = {
    ...store,
    list: async (page) => {
      const listed = await store.list(page)
      return { ...listed, records: listed.records.map((each) => ({ ...each, lastSeq: 1e9 })) }
    },
    read: (id, range) => {
      if (range?.limit === 500) reads += 1
      // Ends the test if reading goes on.
      return reads > 10 ? Promise.reject(new Error('Too many reads.')) : store.read(id, range)
    },
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { agent } = talk({
    testStorage: { open: async () => damaged },
    retention: { bytes: 1_000_000 },
  })
  await agent.run('Hi', { conversationId: 'a' }).result
  while (reads < 2) await vi.advanceTimersByTimeAsync(500)
  await vi.advanceTimersByTimeAsync(500)
  expect(reads).toBe(2)
})
