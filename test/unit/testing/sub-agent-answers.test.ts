import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createAgent,
  defineTool,
  type Agent,
  type AgentOptions,
  type PendingCall,
} from '../../../src/index.ts'
import {
  createTestStorage,
  inProcessWorker,
  simulateReload,
  type Script,
  type TestStorage,
} from '../../../src/testing/index.ts'
import { gate } from './talk.ts'

const LONG = { timeout: 30_000 }

const scripted = (script: Script): AgentOptions['model'] => ({
  provider: 'scripted',
  model: 'scripted',
  script,
})

/** A page with two agents, of which one asks the other to pay, which asks a person. */
function page(testStorage: TestStorage, paid: string[] = []) {
  const worker = inProcessWorker({ storage: testStorage })
  const expert = createAgent({
    worker,
    model: scripted({
      steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'It is done.' }],
    }),
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays.',
        needsApproval: true,
        execute: () => void paid.push('paid'),
      }),
    ],
  })
  const boss = (): Agent => {
    const ask = { toolName: 'ask_expert', input: { prompt: 'Pay.' } }
    const made = createAgent({
      worker,
      model: scripted({ steps: [{ toolCalls: [ask] }, { text: 'All is done.' }] }),
      tools: [expert.asTool({ name: 'ask_expert', description: 'Pays.' })],
    })
    onTestFinished(() => made.dispose())
    return made
  }
  onTestFinished(() => expert.dispose())
  return { expert, boss, paid }
}

/** State that a closed page has left behind: the called agent waits for a user. */
async function left() {
  const storage = createTestStorage()
  const { expert, boss } = page(storage)
  const asking = boss()
  asking.run('Pay the bill', { conversationId: 'c' })
  const talk = asking.conversation('c')
  onTestFinished(talk.subscribe(() => undefined))
  await expect.poll(() => talk.getSnapshot().pending, LONG).toHaveLength(1)
  const [pending] = talk.getSnapshot().pending
  await Promise.all([asking.dispose(), expert.dispose()])
  simulateReload()
  return { storage, call: callOf(pending) }
}

function callOf(pending: PendingCall | undefined) {
  return {
    conversationId: pending?.conversationId ?? '',
    toolCallId: pending?.toolCallId ?? '',
  }
}

/** How the run that called ended, once it has. */
async function endOf(agent: Agent): Promise<unknown> {
  const talk = agent.conversation('c')
  onTestFinished(talk.subscribe(() => undefined))
  await expect.poll(() => talk.getSnapshot().ended, LONG).toBeDefined()
  return talk.getSnapshot().ended?.outcome
}

describe("an answer to a sub-agent's question right after a reload", () => {
  it.each(['boss', 'expert'] as const)(
    'waits until the sub-agent is resumed (given to the %s)',
    async (who) => {
      const { storage, call } = await left()
      const { boss: make, expert, paid } = page(storage)
      const boss = make()
      const resumed = boss.resume('c')
      expect(await (who === 'boss' ? boss : expert).approve(call)).toBe(true)
      expect(await (await resumed)?.result).toMatchObject({
        outcome: 'completed',
        text: 'All is done.',
      })
      expect(paid).toEqual(['paid'])
    },
  )

  it('resumes both agents, even if nobody has resumed them', async () => {
    const { storage, call } = await left()
    const { boss: make, paid } = page(storage)
    const boss = make()
    expect(await boss.approve(call)).toBe(true)
    expect(await endOf(boss)).toBe('completed')
    expect(paid).toEqual(['paid'])
  })

  it('counts only once if several conflict', async () => {
    const { storage, call } = await left()
    const { boss: make, expert, paid } = page(storage)
    const boss = make()
    const answers = await Promise.all([
      boss.deny(call, 'no'),
      expert.approve(call),
      boss.approve(call),
    ])
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await endOf(boss)).toBe('completed')
    expect(paid).toEqual(answers[0] ? [] : ['paid'])
  })

  it('waits for the calling agent, which may be created later', async () => {
    const { storage, call } = await left()
    const { boss: make, expert, paid } = page(storage)
    const answered = expert.approve(call)
    const early = await Promise.race([answered, new Promise((go) => setTimeout(go, 300, 'waits'))])
    expect(early).toBe('waits')
    const boss = make()
    await boss.conversations.list()
    expect(await answered).toBe(true)
    expect(await endOf(boss)).toBe('completed')
    expect(paid).toEqual(['paid'])
  })

  it('stops waiting when its agent is disposed of', async () => {
    const { storage, call } = await left()
    const { expert } = page(storage)
    const answered = expert.approve(call)
    setTimeout(() => void expert.dispose(), 200)
    await expect(answered).rejects.toMatchObject({ code: 'disposed' })
  })

  it('is refused when nothing waits for it', async () => {
    const { storage, call } = await left()
    const { boss: make } = page(storage)
    const boss = make()
    expect(await boss.approve({ ...call, toolCallId: 'other' })).toBe(false)
    expect(await boss.answer(call, 'A word.')).toBe(false)
    expect(await boss.approve({ ...call, conversationId: 'c.other' })).toBe(false)
  })

  it('is too late once the calling run has ended', async () => {
    const { storage, call } = await left()
    const { boss: make, expert, paid } = page(storage)
    const answered = expert.approve(call)
    const boss = make()
    const [isTaken] = await Promise.all([answered, boss.conversation('c').abort('enough')])
    await endOf(boss)
    expect(paid.length).toBeLessThanOrEqual(isTaken ? 1 : 0)
    const open = await boss.conversations.list({ unfinished: true, children: true })
    expect(open).toEqual([])
  })

  it('waits for slow storage', async () => {
    const { storage, call } = await left()
    const slow = gate()
    const held = {
      open: async (name: string) => {
        const store = await storage.open(name)
        const claim: typeof store.claim = async (...how) => {
          await slow.opened
          return store.claim(...how)
        }
        return { ...store, claim }
      },
    }
    const { boss: make, paid } = page(held)
    const boss = make()
    const resumed = boss.resume('c')
    const answered = boss.approve(call)
    const early = await Promise.race([answered, new Promise((go) => setTimeout(go, 300, 'waits'))])
    expect(early).toBe('waits')
    slow.open()
    expect(await answered).toBe(true)
    expect(await (await resumed)?.result).toMatchObject({ outcome: 'completed' })
    expect(paid).toEqual(['paid'])
  })
})

describe('the conversation of a sub-agent', () => {
  it('when deleted while it waits, fails its call, and the calling run continues', async () => {
    const { boss: make, paid } = page(createTestStorage())
    const boss = make()
    const run = boss.run('Pay the bill', { conversationId: 'c' })
    const talk = boss.conversation('c')
    onTestFinished(talk.subscribe(() => undefined))
    await expect.poll(() => talk.getSnapshot().pending, LONG).toHaveLength(1)
    await boss.conversations.delete(callOf(talk.getSnapshot().pending[0]).conversationId)
    const { outcome, toolCalls } = await run.result
    expect(outcome).toBe('completed')
    expect(toolCalls).toMatchObject([{ status: 'failed' }])
    expect(paid).toEqual([])
  })
})
