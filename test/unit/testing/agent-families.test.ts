import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { ModelConfigData } from '../../../src/protocol/model.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import {
  createAgent,
  defineTool,
  type Agent,
  type AgentOptions,
  type Run,
} from '../../../src/index.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import { gate } from './talk.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'

const LONG = { timeout: 30_000 }
const EACH = { inputTokens: 8, outputTokens: 2 }

type Turn = readonly (StreamPart | Promise<unknown>)[]

const say = (text: string): Turn => [
  { type: 'text-delta', delta: text },
  { type: 'usage', usage: EACH },
  { type: 'finish', finishReason: 'stop' },
]

let calls = 0
const call = (toolName: string, count = 1): Turn => [
  ...Array.from({ length: count }, () => {
    const toolCallId = `call-${++calls}`
    const input = { prompt: `Work ${calls}` }
    return { type: 'tool-call', toolCallId, toolName, input } as const
  }),
  { type: 'usage', usage: EACH },
  { type: 'finish', finishReason: 'tool-calls' },
]

const ask = (count = 1): Turn => call('ask_expert', count)
const stuck = (): Promise<never> => new Promise(() => undefined)

interface Scene {
  readonly boss: readonly Turn[]
  /** The expert's turns. With `endless`, it keeps calling `work` after them. */
  readonly expert: readonly Turn[]
  readonly endless?: boolean
  readonly bossOptions?: Partial<AgentOptions>
  readonly expertOptions?: Partial<AgentOptions>
  readonly testStorage?: ReturnType<typeof createTestStorage>
  readonly work?: () => unknown
  /** The boss has no such tool on this page. */
  readonly isAlone?: boolean
}

/** Two agents of a page, whose models say what is listed; each turn takes ten tokens. */
function scene({ boss, expert, endless, testStorage = createTestStorage(), ...rest }: Scene) {
  const turns: Record<string, Turn[]> = { boss: [...boss], expert: [...expert] }
  const asked: { readonly who: string; readonly config: ModelConfigData }[] = []
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream(_request, config, { signal }) {
      asked.push({ who: config.model, config })
      const next = turns[config.model]?.shift()
      for (const part of next ??
        (endless && config.model === 'expert' ? call('work') : say('So far.'))) {
        if (part instanceof Promise)
          await Promise.race([
            part,
            new Promise((resolve) => signal?.addEventListener('abort', resolve)),
          ])
        else yield [part]
        if (signal?.aborted) return
      }
    },
  }
  const workers: WorkerLike[] = []
  const make = inProcessWorker({ storage: testStorage, providers: [provider] })
  const worker = (): WorkerLike => {
    const made = make()
    workers.push(made)
    return made
  }
  const inputSchema = { type: 'object', properties: { prompt: { type: 'string' } } } as const
  const paid = vi.fn(() => 'paid')
  const work = rest.work ?? (() => 'done')
  const expertAgent = createAgent({
    model: { provider: 'listed', model: 'expert' },
    worker,
    tools: [
      defineTool({ name: 'work', description: 'Works.', inputSchema, execute: work }),
      defineTool({
        name: 'pay',
        description: 'Pays.',
        inputSchema,
        needsApproval: true,
        execute: paid,
      }),
    ],
    ...rest.expertOptions,
  })
  const bossAgent = createAgent({
    model: { provider: 'listed', model: 'boss' },
    worker,
    tools: rest.isAlone ? [] : [expertAgent.asTool({ name: 'ask_expert', description: 'Knows.' })],
    heartbeatMs: 50,
    ...rest.bossOptions,
  })
  const close = async (): Promise<void> => {
    await Promise.all([bossAgent.dispose(), expertAgent.dispose()])
    simulateReload()
  }
  onTestFinished(close)
  const turnsOf = (who: string): number => asked.filter((each) => each.who === who).length
  return { boss: bossAgent, expert: expertAgent, asked, turnsOf, testStorage, close, workers, paid }
}

function show(agent: Agent, conversationId: string) {
  const talk = agent.conversation(conversationId)
  onTestFinished(talk.subscribe(() => undefined))
  return talk
}

const tokens = (count: number) => ({
  modelCalls: count,
  inputTokens: 8 * count,
  outputTokens: 2 * count,
})

/** The conversation in which the first call's agent works. */
async function firstChild(agent: Agent, conversationId: string): Promise<string> {
  const talk = show(agent, conversationId)
  const find = () =>
    talk.getSnapshot().messages.flatMap((message) => message.calls ?? [])[0]?.child?.conversationId
  await expect.poll(find, LONG).toBeDefined()
  return find() ?? ''
}

describe('the usage of a run', () => {
  it('is shown alone and with its sub-agents, even after a reload', async () => {
    const first = scene({
      boss: [ask(2), say('Done.')],
      expert: [call('work'), say('One.'), say('Two.')],
    })
    const result = await first.boss.run('Go', { conversationId: 'c' }).result
    expect(result.outcome).toBe('completed')
    expect(result.usage).toEqual(tokens(2))
    expect(result.totalUsage).toEqual(tokens(5))
    await first.close()
    const second = scene({ boss: [], expert: [], testStorage: first.testStorage })
    const talk = show(second.boss, 'c')
    await expect
      .poll(() => talk.getSnapshot().spent, LONG)
      .toEqual({ own: tokens(2), total: tokens(5) })
    const alone = await second.boss.run('Alone').result
    expect(alone.totalUsage).toBeUndefined()
  })

  it('includes a failed sub-agent once', async () => {
    const { boss } = scene({
      boss: [ask(), say('It failed.')],
      expert: [
        call('work'),
        [{ type: 'usage', usage: EACH }, { type: 'error', error: new Error('ill') } as never],
      ],
      expertOptions: { model: { provider: 'listed', model: 'expert', retry: { maxRetries: 0 } } },
    })
    const { totalUsage, toolCalls } = await boss.run('Go').result
    expect(toolCalls[0]?.status).toBe('failed')
    expect(totalUsage?.modelCalls).toBeGreaterThanOrEqual(3)
    expect(totalUsage?.inputTokens).toBeGreaterThanOrEqual(24)
  })

  it('includes a working sub-agent, and a sub-agent stopped with the run', async () => {
    const first = scene({
      boss: [ask()],
      expert: [call('work'), [{ type: 'text-delta', delta: 'Hm' }, stuck()]],
    })
    const run = first.boss.run('Go', { conversationId: 'c' })
    const talk = show(first.boss, 'c')
    await expect
      .poll(() => talk.getSnapshot().spent, LONG)
      .toEqual({ own: tokens(1), total: tokens(2) })
    const child = show(first.expert, await firstChild(first.boss, 'c'))
    run.abort('enough')
    expect(await run.result).toMatchObject({ outcome: 'aborted', usage: tokens(1) })
    await expect
      .poll(() => child.getSnapshot().ended, LONG)
      .toMatchObject({ outcome: 'aborted', reason: 'parent-ended' })
    await expect.poll(() => talk.getSnapshot().spent?.total, LONG).toEqual(tokens(2))
    await first.close()
    const second = scene({ boss: [], expert: [], testStorage: first.testStorage })
    const again = show(second.boss, 'c')
    await expect.poll(() => again.getSnapshot().spent?.total, LONG).toEqual(tokens(2))
  })
})

describe('limits of a run with sub-agents', () => {
  it.each([
    ['tokens', { tokens: 50 }, {}, 5],
    ['steps', { steps: 5 }, {}, 5],
    ['costUSD', { costUSD: 0.00005 }, { prices: { input: 1, output: 1 } }, 5],
  ])('apply to %s', async (limit, limits, model, most) => {
    const { boss, expert, asked, turnsOf } = scene({
      boss: [ask()],
      expert: [],
      endless: true,
      bossOptions: { limits, model: { provider: 'listed', model: 'boss', ...model } },
      expertOptions: { maxSteps: -1, model: { provider: 'listed', model: 'expert', ...model } },
    })
    const result = await boss.run('Go', { conversationId: 'c' }).result
    expect(result).toMatchObject({ outcome: 'limit', limit, text: 'So far.' })
    // The last answer comes on top.
    expect(asked).toHaveLength(most + 1)
    expect(turnsOf('boss')).toBe(2)
    expect(asked.at(-1)).toMatchObject({ who: 'boss', config: { toolChoice: 'none' } })
    expect(result.toolCalls[0]).toMatchObject({ status: 'failed' })
    const child = show(expert, await firstChild(boss, 'c'))
    await expect
      .poll(() => child.getSnapshot().ended, LONG)
      .toMatchObject({ outcome: 'limit', limit })
  })

  it('apply to active minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_000_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { boss, turnsOf } = scene({
      boss: [ask()],
      expert: [],
      endless: true,
      work: () => void vi.setSystemTime(Date.now() + 4 * 60_000),
      bossOptions: { limits: { minutes: 10 } },
    })
    expect(await boss.run('Go').result).toMatchObject({ outcome: 'limit', limit: 'minutes' })
    expect(turnsOf('expert')).toBeLessThanOrEqual(3)
  })

  it('are shared exactly by five sub-agents at once', async () => {
    const { boss, turnsOf } = scene({
      boss: [ask(5)],
      expert: [],
      endless: true,
      bossOptions: { limits: { steps: 9 } },
    })
    const result = await boss.run('Go').result
    expect(result).toMatchObject({ outcome: 'limit', limit: 'steps', text: 'So far.' })
    expect(turnsOf('expert')).toBe(8)
    expect(result.toolCalls.map(({ status }) => status)).toEqual(Array(5).fill('failed'))
  })

  it('give the last step to only one of several sub-agents', async () => {
    const held = gate()
    const { boss, turnsOf } = scene({
      boss: [ask(4)],
      expert: [[held.opened, ...say('One.')]],
      endless: true,
      bossOptions: { limits: { steps: 2 } },
    })
    const run = boss.run('Go', { conversationId: 'c' })
    const talk = show(boss, 'c')
    const statuses = () =>
      talk
        .getSnapshot()
        .messages.flatMap((message) => message.calls ?? [])
        .map(({ status }) => status)
        .toSorted()
    await expect.poll(statuses, LONG).toEqual(['failed', 'failed', 'failed', 'suspended'])
    held.open()
    expect(await run.result).toMatchObject({ outcome: 'limit', totalUsage: { modelCalls: 3 } })
    expect(statuses()).toEqual(['failed', 'failed', 'failed', 'succeeded'])
    expect(turnsOf('expert')).toBe(1)
  })

  it('count the steps of all, even without an explicit limit', async () => {
    const { boss, asked } = scene({
      boss: [ask()],
      expert: [],
      endless: true,
      expertOptions: { maxSteps: -1 },
    })
    expect(await boss.run('Go').result).toMatchObject({ outcome: 'limit', limit: 'steps' })
    expect(asked).toHaveLength(101)
  })

  it('apply to nested sub-agents', async () => {
    const { boss } = scene({
      boss: [ask(3), say('Done.')],
      expert: [],
      bossOptions: { maxChildren: 2 },
    })
    const { toolCalls } = await boss.run('Go').result
    expect(toolCalls.map(({ status }) => status).toSorted()).toEqual([
      'failed',
      'succeeded',
      'succeeded',
    ])
    expect(JSON.stringify(toolCalls)).toContain('2 times at most')
  })

  it('apply to cost only when the prices of both are known', async () => {
    const { boss } = scene({
      boss: [ask(), say('Done.')],
      expert: [],
      bossOptions: {
        limits: { costUSD: 1 },
        model: { provider: 'listed', model: 'boss', prices: { input: 1, output: 1 } },
      },
    })
    const { toolCalls } = await boss.run('Go').result
    expect(JSON.stringify(toolCalls)).toContain('needs the prices of')
  })

  it('apply across a reload', async () => {
    const limits = { limits: { tokens: 50 } }
    const first = scene({
      boss: [ask()],
      expert: [call('work'), call('work'), [{ type: 'text-delta', delta: 'Hm' }, stuck()]],
      bossOptions: limits,
    })
    first.boss.run('Go', { conversationId: 'c' })
    await expect.poll(() => first.turnsOf('expert'), LONG).toBe(3)
    await first.close()
    const second = scene({
      boss: [],
      expert: [],
      endless: true,
      bossOptions: limits,
      testStorage: first.testStorage,
    })
    const run = await second.boss.resume('c')
    expect(await run?.result).toMatchObject({
      outcome: 'limit',
      limit: 'tokens',
      totalUsage: { modelCalls: 6 },
    })
    expect(second.turnsOf('expert')).toBe(2)
  })

  it('apply across the death of the worker', async () => {
    const gone = scene({
      boss: [ask()],
      expert: [call('work'), call('work'), [{ type: 'text-delta', delta: 'Hm' }, stuck()]],
      endless: true,
      bossOptions: { limits: { tokens: 50 } },
    })
    const run = gone.boss.run('Go', { conversationId: 'c' })
    await expect.poll(() => gone.turnsOf('expert'), LONG).toBe(3)
    gone.workers[0]?.terminate?.()
    expect(await run.result).toMatchObject({
      outcome: 'limit',
      limit: 'tokens',
      totalUsage: { modelCalls: 6 },
    })
    expect(gone.turnsOf('expert')).toBe(5)
    expect(gone.workers).toHaveLength(2)
  })
})

describe('the handles of sub-agents', () => {
  const read = async (run: Run | null | undefined): Promise<Run[]> => {
    const found: Run[] = []
    if (run) for await (const child of run.children) found.push(child)
    return found
  }

  it('arrive as they start, with their events', async () => {
    const { boss } = scene({
      boss: [ask(2), ask(), say('Done.')],
      expert: [say('One.'), say('Two.'), say('Three.')],
    })
    const run = boss.run('Go')
    const children = await read(run)
    expect(children).toHaveLength(3)
    const results = await Promise.all(children.map(({ result }) => result))
    expect(results.map(({ text }) => text).toSorted()).toEqual(['One.', 'Three.', 'Two.'])
    for (const child of children) {
      const types: string[] = []
      for await (const { type } of child) types.push(type)
      expect(types[0]).toBe('run-start')
      expect(types.at(-1)).toBe('run-end')
    }
    expect(await read(run)).toEqual(children)
  })

  it('are available after a reload, for ended and resumed sub-agents', async () => {
    const first = scene({ boss: [ask(), ask()], expert: [say('One.'), call('pay')] })
    first.boss.run('Go', { conversationId: 'c' })
    const talk = show(first.boss, 'c')
    await expect.poll(() => talk.getSnapshot().pending.length, LONG).toBe(1)
    await first.close()
    const second = scene({
      boss: [say('Done.')],
      expert: [say('Two.')],
      testStorage: first.testStorage,
    })
    const run = await second.boss.resume('c')
    const children = read(run)
    const again = show(second.boss, 'c')
    await expect.poll(() => again.getSnapshot().pending.length, LONG).toBe(1)
    await again.approve(again.getSnapshot().pending[0] ?? '')
    expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    const results = await Promise.all((await children).map(({ result }) => result))
    expect(results.map(({ text }) => text).toSorted()).toEqual(['One.', 'Two.'])
  })
})

describe('a sub-agent after its caller ended while the page was gone', () => {
  /** The run that called waits for an agent that asks a person, and its page is gone. */
  async function left() {
    const first = scene({ boss: [ask()], expert: [call('pay')] })
    first.boss.run('Go', { conversationId: 'c' })
    const talk = show(first.boss, 'c')
    await expect.poll(() => talk.getSnapshot().pending.length, LONG).toBe(1)
    const childId = talk.getSnapshot().pending[0]?.conversationId ?? ''
    await first.close()
    const { testStorage } = first
    const store = await testStorage.open('offstage')
    const isOpen = async (): Promise<boolean> => (await store.get(childId))?.openRunId !== null
    return { childId, testStorage, isOpen }
  }

  /** The same, and it is aborted on a page that can't write what the called agent does. */
  async function orphan() {
    const { childId, testStorage, isOpen } = await left()
    const store = await testStorage.open('offstage')
    const { claim } = store
    const refusing = vi.spyOn(store, 'claim').mockImplementation((id, ...rest) => {
      if (id === childId) throw new OffstageError('storage-failed', 'Not now.')
      return claim(id, ...rest)
    })
    const second = scene({ boss: [], expert: [], isAlone: true, testStorage })
    expect(await second.boss.conversation('c').abort('enough')).toBe(true)
    await second.close()
    refusing.mockRestore()
    expect((await store.get('c'))?.openRunId).toBeNull()
    expect(await isOpen()).toBe(true)
    return { childId, testStorage, isOpen }
  }

  it('ends with its caller, whoever ends that', async () => {
    const { childId, testStorage, isOpen } = await left()
    const next = scene({ boss: [], expert: [], testStorage })
    expect(await next.boss.conversation('c').abort('enough')).toBe(true)
    await expect.poll(isOpen, LONG).toBe(false)
    const child = show(next.expert, childId)
    await expect
      .poll(() => child.getSnapshot().ended, LONG)
      .toMatchObject({ outcome: 'aborted', reason: 'parent-ended' })
    expect(next.paid).not.toHaveBeenCalled()
  })

  it('ends when it is resumed, without further work', async () => {
    const { childId, testStorage, isOpen } = await orphan()
    const third = scene({ boss: [], expert: [], testStorage })
    expect(await third.expert.resume(childId)).toBeNull()
    expect(await isOpen()).toBe(false)
    const child = show(third.expert, childId)
    await expect
      .poll(() => child.getSnapshot().ended, LONG)
      .toMatchObject({ outcome: 'aborted', reason: 'parent-ended' })
    expect(third.asked).toEqual([])
    expect(third.paid).not.toHaveBeenCalled()
    // A person may go on in it as in any conversation.
    expect(await third.expert.run('Well?', { conversationId: childId }).result).toMatchObject({
      outcome: 'completed',
    })
  })

  it.each([
    ['the conversation that called is resumed', 'c', 'resume'],
    ['the conversation that called is shown', 'c', 'show'],
    ['it is shown', null, 'show'],
  ])('ends when %s', async (_, of, how) => {
    const { childId, testStorage, isOpen } = await orphan()
    const third = scene({ boss: [], expert: [], testStorage })
    if (how === 'resume') expect(await third.boss.resume(of ?? childId)).toBeNull()
    else show(third.boss, of ?? childId)
    await expect.poll(isOpen, LONG).toBe(false)
    expect(third.asked).toEqual([])
  })

  it('accepts no answer any more', async () => {
    const { childId, testStorage, isOpen } = await orphan()
    const third = scene({ boss: [], expert: [], testStorage })
    const [toolCallId = ''] =
      (await (await testStorage.open('offstage')).get(childId))?.openCalls ?? []
    expect(await third.expert.approve({ conversationId: childId, toolCallId })).toBe(false)
    expect(await isOpen()).toBe(false)
    expect(third.paid).not.toHaveBeenCalled()
  })
})

describe('a sub-agent when its caller ends while it starts', () => {
  /** A storage that holds back what is asked of it for the agent's conversation. */
  function holding(what: 'claim' | 'append') {
    const inner = createTestStorage()
    const release = gate()
    let tell: (childId: string) => void
    const reached = new Promise<string>((resolve) => (tell = resolve))
    const held = async (conversationId: string): Promise<void> => {
      if (!conversationId.startsWith('c.')) return
      tell(conversationId)
      await release.opened
    }
    const open = async (name: string) => {
      const store = await inner.open(name)
      const claim: typeof store.claim = async (...args) => {
        if (what === 'claim') await held(args[0])
        return store.claim(...args)
      }
      const append: typeof store.append = async (given) => {
        if (what === 'append') await held(given.conversationId)
        return store.append(given)
      }
      return { ...store, claim, append }
    }
    return { testStorage: { open }, reached, release: release.open }
  }

  it.each([['claim'], ['append']] as const)('sends no request to its model (%s)', async (what) => {
    const { testStorage, reached, release } = holding(what)
    const { boss, turnsOf } = scene({ boss: [ask()], expert: [], endless: true, testStorage })
    const run = boss.run('Go', { conversationId: 'c' })
    const childId = await reached
    run.abort('enough')
    const store = await testStorage.open('offstage')
    await expect.poll(async () => (await store.get('c'))?.openRunId, LONG).toBeNull()
    release()
    await expect.poll(async () => (await store.get(childId))?.openRunId ?? null, LONG).toBeNull()
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    expect(await boss.run('Alone', { conversationId: 'c' }).result).toMatchObject({
      outcome: 'completed',
    })
    expect(turnsOf('expert')).toBe(0)
    expect((await store.get(childId))?.openRunId ?? null).toBeNull()
  })
})

describe('two copies of the package in a page', () => {
  it("share the page's agents", async () => {
    const { boss, testStorage } = scene({ boss: [], expert: [], isAlone: true })
    vi.resetModules()
    const copy = await import('../../../src/index.ts')
    const testing = await import('../../../src/testing/index.ts')
    expect(copy.createAgent).not.toBe(createAgent)
    const expert = copy.createAgent({
      model: { provider: 'scripted', model: 's', script: { steps: [{ text: '12 m' }] } },
      worker: testing.inProcessWorker({ storage: testStorage }),
    })
    onTestFinished(() => expert.dispose())
    boss.registerTool(expert.asTool({ name: 'ask_expert', description: 'Knows.' }))
    boss.configure({
      model: {
        provider: 'scripted',
        model: 's',
        script: {
          steps: [
            { toolCalls: [{ toolName: 'ask_expert', input: { prompt: 'How tall?' } }] },
            { text: 'It is 12 m tall.' },
          ],
        },
      },
    })
    const run = boss.run('Measure it')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'It is 12 m tall.' })
    expect(JSON.stringify(result.toolCalls)).toContain('12 m')
    expect(result.totalUsage?.modelCalls).toBe(3)
  })
})
