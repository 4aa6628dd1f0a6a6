import { describe, expect, it, onTestFinished } from 'vitest'
import { createAgent, defineTool, type RunEvent } from '../../../src/index.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import {
  createTestAgent,
  createTestStorage,
  inProcessWorker,
  simulateReload,
} from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

const add = defineTool({
  name: 'add_to_cart',
  description: 'Put an item into the cart.',
  inputSchema: {
    type: 'object',
    properties: { sku: { type: 'string' }, quantity: { type: 'integer' } },
    required: ['sku'],
  },
  execute: (input) => ({ added: input.sku, quantity: input.quantity ?? 1 }),
})

const script = {
  steps: [
    {
      text: 'I put them in. ',
      toolCalls: [{ toolName: 'add_to_cart', input: { sku: 'mug', quantity: 2 } }],
    },
    { text: 'Two mugs are in your cart.' },
  ],
}

describe('an agent in one process', () => {
  it('runs page, client, worker, provider, loop and journal for real', async () => {
    const agent = createTestAgent({ script, tools: [add] })
    const run = agent.run('Two mugs, please', { conversationId: 'c' })
    const events: RunEvent[] = []
    for await (const event of run) events.push(event)
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Two mugs are in your cart.',
      steps: 2,
      toolCalls: [{ toolName: 'add_to_cart', status: 'succeeded' }],
    })
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
    const stored = await agent.conversations.get('c')
    expect(stored?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    await agent.dispose()
  })

  it('resumes in another agent what the first one did not finish', async () => {
    const testStorage = createTestStorage()
    const storage = { name: 'shop' }
    let executions = 0
    const slow = (hang: boolean) => ({
      ...add,
      annotations: { idempotent: true },
      execute: () => {
        executions += 1
        return hang ? new Promise<never>(() => undefined) : 'ok'
      },
    })
    const first = createTestAgent({ script, storage, testStorage, tools: [slow(true)] })
    const run = first.run('go', { conversationId: 'c' })
    while (executions === 0) await new Promise((resolve) => setTimeout(resolve))
    await first.dispose()
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'disposed' })

    simulateReload()
    const second = createTestAgent({ script, storage, testStorage, tools: [slow(false)] })
    const resumed = await second.resume()
    expect(resumed?.runId).toBe(run.runId)
    expect(await resumed?.result).toMatchObject({ outcome: 'completed', steps: 2 })
    expect(executions).toBe(2)
    expect(await second.resume()).toBeNull()
    await second.dispose()
  })

  it('stores nothing when its page is reloaded before the worker has started', async () => {
    const testStorage = createTestStorage()
    const storage = { name: 'shop' }
    const gone = createTestAgent({ script, storage, testStorage, tools: [add] })
    onTestFinished(() => gone.dispose())
    void gone.run('Two mugs', { conversationId: 'first' })
    simulateReload()
    const page = createTestAgent({ script, storage, testStorage, tools: [add] })
    onTestFinished(() => page.dispose())
    for (const id of ['second', 'third']) await page.run('Two mugs', { conversationId: id }).result
    const stored = await page.conversations.list()
    expect(stored.map(({ conversationId }) => conversationId).sort()).toEqual(['second', 'third'])
  })
})

describe('a worker in this process', () => {
  it('shows a run with a lost claim as stopped when tabs are isolated', async () => {
    const testStorage = createTestStorage()
    const storage = { name: 'shop' }
    let isLost = false
    const losing = {
      ...add,
      execute: async () => {
        if (!isLost) await (await testStorage.open('shop')).claim('c', 1)
        isLost = true
        return 'ok'
      },
    }
    const agent = createTestAgent({ script, storage, testStorage, tools: [losing] })
    const view = agent.conversation('c')
    const stop = view.subscribe(() => undefined)
    const { outcome } = await agent.run('go', { conversationId: 'c' }).result
    expect(outcome).toBe('aborted')
    await expect
      .poll(() => view.getSnapshot())
      .toMatchObject({ status: 'idle', ownership: 'none', runId: expect.any(String) })
    expect(await (await agent.resume('c'))?.result).toMatchObject({ outcome: 'completed' })
    stop()
    await agent.dispose()
  })

  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    needsApproval: true,
    execute: () => 'paid',
  })
  const paying = { steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Settled.' }] }

  /** A storage that notes which of the workers that use it became the owner of something, in their order. */
  function watched() {
    const inner = createTestStorage()
    const owners: number[] = []
    let workers = 0
    const storage = {
      open: async (name: string) => {
        const store = await inner.open(name)
        const worker = ++workers
        const claim: typeof store.claim = (...asked) => {
          owners.push(worker)
          return store.claim(...asked)
        }
        return { ...store, claim }
      },
    }
    return { storage, owners }
  }

  /** The run waits for a user when its worker dies. From then on, only the next worker may own it. */
  it.each(['is terminated', 'is left behind by a reload'])(
    'cannot take back a resumed run after it %s',
    async (death) => {
      const { storage, owners } = watched()
      const workers: WorkerLike[] = []
      const make = inProcessWorker({ storage })
      const open = () => {
        const agent = createAgent({
          model: { provider: 'scripted', model: 'scripted', script: paying },
          tools: [pay],
          worker: () => {
            workers.push(make())
            return workers.at(-1)!
          },
        })
        onTestFinished(() => agent.dispose())
        const talk = agent.conversation('c')
        talk.subscribe(() => undefined)
        return { agent, talk }
      }
      const before = open()
      void before.agent.run('Pay', { conversationId: 'c' })
      await until(() => before.talk.getSnapshot().status === 'waiting')
      if (death === 'is terminated') workers[0]!.terminate!()
      else simulateReload()
      const after = open()
      const run = await after.agent.resume('c')
      await until(() => after.talk.getSnapshot().pending.length === 1)
      owners.length = 0
      await after.talk.approve(after.talk.getSnapshot().pending[0]!)
      expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'Settled.' })
      expect(new Set(owners)).toEqual(new Set([2]))
    },
  )
})
