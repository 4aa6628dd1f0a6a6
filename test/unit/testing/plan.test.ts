import { afterEach, describe, expect, it } from 'vitest'
import type { PlanItem } from '../../../src/index.ts'
import {
  createTestAgent,
  createTestStorage,
  simulateReload,
  type Script,
} from '../../../src/testing/index.ts'

const agents: { dispose(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.dispose()))
})

const open: readonly PlanItem[] = [
  { content: 'Find a table', status: 'in-progress' },
  { content: 'Book it', status: 'pending' },
]
const done: readonly PlanItem[] = [
  { content: 'Find a table', status: 'done' },
  { content: 'Book it', status: 'dropped' },
]
const plans = (items: readonly PlanItem[]) => ({
  toolCalls: [{ toolName: 'plan', input: { items: items.map((item) => ({ ...item })) } }],
})

type Options = Parameters<typeof createTestAgent>[0]

function planner(steps: Script['steps'], options: Partial<Options> = {}) {
  const agent = createTestAgent({
    controlTools: ['plan'],
    script: { steps: steps ?? [] },
    ...options,
  })
  agents.push(agent)
  return agent
}

type Shown = ReturnType<ReturnType<typeof planner>['conversation']>

/** The conversation's snapshot once it is loaded. */
async function shown(talk: Shown): Promise<ReturnType<Shown['getSnapshot']>> {
  const leave = talk.subscribe(() => undefined)
  await expect.poll(() => talk.getSnapshot().status).not.toBe('loading')
  const snapshot = talk.getSnapshot()
  leave()
  return snapshot
}

describe('a plan', () => {
  it('is shown, and repeated in its call', async () => {
    const agent = planner([plans(open), { text: 'First.' }, { text: 'That is all.' }])
    const run = agent.run('A table for two')
    const result = await run.result
    expect(result.toolCalls).toMatchObject([
      { toolName: 'plan', status: 'succeeded', output: { type: 'json', value: open } },
    ])
    expect((await shown(agent.conversation(run.conversationId))).plan).toEqual(open)
  })

  it('disappears once no item is open', async () => {
    const agent = planner([plans(open), plans(done), { text: 'Booked.' }])
    const run = agent.run('A table for two')
    expect(await run.result).toMatchObject({ outcome: 'completed', steps: 3, text: 'Booked.' })
    expect((await shown(agent.conversation(run.conversationId))).plan).toBeUndefined()
  })

  it('is taken from the last of two calls in a step', async () => {
    const both = { toolCalls: [...plans(done).toolCalls, ...plans(open).toolCalls] }
    const agent = planner([both, { text: 'One.' }, { text: 'Two.' }])
    const run = agent.run('A table for two')
    expect((await run.result).toolCalls.map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
    ])
    expect((await shown(agent.conversation(run.conversationId))).plan).toEqual(open)
  })

  it('has its open items mentioned once, in text hidden from the chat', async () => {
    const agent = planner([plans(open), { text: 'Done?' }, { text: 'Done.' }, { text: 'Never.' }])
    const run = agent.run('A table for two')
    expect(await run.result).toMatchObject({ outcome: 'completed', steps: 3, text: 'Done.' })
    const stored = await agent.conversations.get(run.conversationId)
    const mentions = stored?.messages.filter((message) =>
      JSON.stringify(message).includes('still has open items'),
    )
    expect(mentions).toMatchObject([{ role: 'user', synthetic: true }])
    expect(JSON.stringify(mentions)).toContain('Find a table (in-progress)')
    const { messages } = await shown(agent.conversation(run.conversationId))
    expect(JSON.stringify(messages)).not.toContain('still has open items')
  })

  it('is not mentioned when no step is left for it', async () => {
    const agent = planner([plans(open), { text: 'Done.' }, { text: 'Never.' }], { maxSteps: 2 })
    expect(await agent.run('A table for two').result).toMatchObject({
      outcome: 'completed',
      steps: 2,
      text: 'Done.',
    })
  })

  it('ends with the next request, but not when the run continues', async () => {
    const agent = planner(undefined, {
      script: {
        scenes: [
          { match: ['table'], steps: [plans(open), { error: 'Away.' }] },
          { match: ['else'], steps: [{ text: 'Something else.' }] },
        ],
      },
    })
    const run = agent.run('A table for two')
    expect(await run.result).toMatchObject({ outcome: 'failed' })
    const { conversationId } = run
    const talk = agent.conversation(conversationId)
    expect((await shown(talk)).plan).toEqual(open)
    // The run fails again and keeps its plan.
    expect(await (await agent.continue(conversationId))?.result).toMatchObject({
      outcome: 'failed',
    })
    expect((await shown(talk)).plan).toEqual(open)
    const other = agent.run('Something else', { conversationId })
    expect(await other.result).toMatchObject({ outcome: 'completed', steps: 1 })
    expect((await shown(talk)).plan).toBeUndefined()
  })

  it('belongs to the branch in view', async () => {
    const agent = planner(undefined, {
      script: {
        scenes: [
          { match: ['table'], steps: [plans(open), { text: 'One.' }, { text: 'Two.' }] },
          { match: ['room'], steps: [{ text: 'No plan.' }] },
        ],
      },
    })
    const run = agent.run('A table for two')
    await run.result
    const talk = agent.conversation(run.conversationId)
    const first = (await shown(talk)).messages[0]?.id ?? ''
    expect(await talk.edit(first, 'A room').result).toMatchObject({ steps: 1 })
    expect((await shown(talk)).plan).toBeUndefined()
    await talk.switchBranch(first)
    await expect.poll(async () => (await shown(talk)).plan).toEqual(open)
  })

  it('survives a reload, and is not mentioned again', async () => {
    const testStorage = createTestStorage()
    const steps = [plans(open), { text: 'Done?' }, { text: 'Slow.', delayMs: 100_000 }]
    const before = planner(steps, { testStorage })
    const run = before.run('A table for two')
    for await (const event of run) if (event.type === 'step-start' && event.step === 3) break
    simulateReload()
    const after = planner([...steps.slice(0, 2), { text: 'Done.' }, { text: 'Never.' }], {
      testStorage,
    })
    const resumed = await after.resume(run.conversationId)
    expect(await resumed?.result).toMatchObject({ outcome: 'completed', steps: 3, text: 'Done.' })
    expect((await shown(after.conversation(run.conversationId))).plan).toEqual(open)
    const stored = await after.conversations.get(run.conversationId)
    expect(JSON.stringify(stored?.messages).split('still has open items')).toHaveLength(2)
  })

  it('with an unknown item status is refused with the reason', async () => {
    const wrong = {
      toolCalls: [{ toolName: 'plan', input: { items: [{ content: 'x', status: 'open' }] } }],
    }
    const agent = planner([wrong, { text: 'Well.' }])
    expect((await agent.run('A table').result).toolCalls).toMatchObject([{ status: 'invalid' }])
  })
})
