import { describe, expect, it, test } from 'vitest'
import type { Agent, HookedCall, JsonValue, Tool } from '../../../src/index.ts'
import { createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { agentWith, call, LONG, pendingOf, ran, tool } from './support.ts'

// Calls of one tool that says nothing of its effect, in one answer of the model.

const inputs: JsonValue[] = []
const act = (more: Partial<Tool> = {}): Tool =>
  tool('act', {
    inputSchema: { type: 'object' },
    execute: (input) => {
      ran.push('act')
      inputs.push(input as JsonValue)
      return 'done'
    },
    ...more,
  })
const look = tool('look', { annotations: { readOnly: true } })

const acts = (...numbers: readonly number[]) => ({
  toolCalls: numbers.map((number) => ({ toolName: 'act', input: { number } })),
})
const looksAndActs = {
  toolCalls: [{ toolName: 'look', input: {} }, ...acts(1, 2).toolCalls],
}
const reading = (...steps: readonly ReturnType<typeof call>[]) => ({
  steps: [call('read_reviews'), ...steps, { text: 'end' }],
})

const waiting = (agent: Agent): readonly string[] =>
  agent
    .conversation('c')
    .getSnapshot()
    .pending.map(({ toolCallId }) => toolCallId)

/** Begins a run, and waits until a person is asked. Returns the question, which has to be one. */
async function begin(agent: Agent) {
  inputs.length = 0
  agent.conversation('c').subscribe(() => undefined)
  const run = agent.run('go', { conversationId: 'c' })
  const pending = await pendingOf(agent)
  expect(pending).toHaveLength(1)
  const of = { conversationId: 'c', toolCallId: pending[0]?.toolCallId ?? '' }
  return { run, of }
}

/** What is asked next: another call than before. */
async function next(agent: Agent, before: string) {
  await expect.poll(() => waiting(agent).filter((id) => id !== before).length, LONG).toBe(1)
  const [toolCallId = ''] = waiting(agent)
  return { conversationId: 'c', toolCallId }
}

describe('of several calls in one answer, one is asked about', () => {
  it('approved, the others run unasked, in order', async () => {
    const { agent } = agentWith([act()], { script: reading(acts(1, 2, 3)) })
    const { run, of } = await begin(agent)
    await agent.approve(of)
    expect((await run.result).outcome).toBe('completed')
    expect(inputs).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
  })

  it('denied, the next one is asked about by itself', async () => {
    const { agent } = agentWith([act()], { script: reading(acts(1, 2, 3)) })
    const { run, of } = await begin(agent)
    await agent.deny(of)
    const second = await next(agent, of.toolCallId)
    expect(ran).toEqual(['read_reviews'])
    await agent.approve(second)
    await run.result
    expect(inputs).toEqual([{ number: 2 }, { number: 3 }])
  })

  it('denied, one with the same input is denied with it', async () => {
    const { agent } = agentWith([act()], { script: reading(acts(1, 1, 1)) })
    const { run, of } = await begin(agent)
    await agent.deny(of)
    const { toolCalls } = await run.result
    expect(toolCalls.map(({ status }) => status)).toEqual([
      'succeeded',
      'denied',
      'denied',
      'denied',
    ])
    expect(inputs).toEqual([])
  })

  it('approved with another input, the next one is asked about, as are later ones', async () => {
    const { agent } = agentWith([act()], { script: reading(acts(1, 2), acts(3)) })
    const { run, of } = await begin(agent)
    await agent.approve({ ...of }, { input: { number: 7 } })
    const second = await next(agent, of.toolCallId)
    await expect.poll(() => inputs, LONG).toEqual([{ number: 7 }])
    await agent.approve(second, { input: { number: 2 } })
    await run.result
    expect(inputs).toEqual([{ number: 7 }, { number: 2 }, { number: 3 }])
  })

  it('approved with the input as it is, the others run unasked', async () => {
    const { agent } = agentWith([act()], { script: reading(acts(1, 2)) })
    const { run, of } = await begin(agent)
    await agent.approve(of, { input: { number: 1 } })
    await run.result
    expect(inputs).toEqual([{ number: 1 }, { number: 2 }])
  })

  it('the run does nothing meanwhile, and what stands before runs once', async () => {
    const { agent } = agentWith([act(), look], { script: reading(looksAndActs) })
    const { run, of } = await begin(agent)
    await expect.poll(() => ran, LONG).toEqual(['read_reviews', 'look'])
    await expect.poll(() => agent.conversation('c').getSnapshot().ownership, LONG).toBe('none')
    await agent.approve(of)
    await run.result
    expect(ran).toEqual(['read_reviews', 'look', 'act', 'act'])
  })

  it('a stop ends them all', async () => {
    const { agent } = agentWith([act()], { script: reading(acts(1, 2, 3)) })
    const { run, of } = await begin(agent)
    const answered = agent.deny(of)
    run.abort()
    await answered.catch(() => undefined)
    expect((await run.result).outcome).toBe('aborted')
    expect(inputs).toEqual([])
    expect(waiting(agent)).toEqual([])
  })

  it('hooks are asked about each, and one that is vetoed doesn’t wait', async () => {
    const { agent } = agentWith([act()], {
      script: reading(acts(1, 2, 3)),
      beforeToolCall: ({ input }: HookedCall) =>
        JSON.stringify(input) === '{"number":2}' ? { veto: 'not this one' } : undefined,
    })
    const { run, of } = await begin(agent)
    await agent.approve(of)
    await run.result
    expect(inputs).toEqual([{ number: 1 }, { number: 3 }])
  })
})

describe('each is asked about', () => {
  test.each<[string, Partial<Tool>, object]>([
    ['of a tool that leaves the app', { annotations: { openWorld: true } }, {}],
    ['by the tool’s own rule', { needsApproval: true }, {}],
    ['by the tool’s function', { needsApproval: () => true }, {}],
    ['by the policy', {}, { toolApproval: ({ toolName }: HookedCall) => toolName === 'act' }],
    ['by a policy that is strict with words of others', {}, { whileTainted: 'ask-writes' }],
  ])('%s', async (_, more, options) => {
    const { agent } = agentWith([act(more)], { script: reading(acts(1, 2, 3)), ...options })
    const run = agent.run('go', { conversationId: 'c' })
    expect(await pendingOf(agent)).toHaveLength(3)
    run.abort()
    await run.result
  })
})

describe('what waits is known by what is stored', () => {
  test.each(['approve', 'deny'] as const)('after a reload: %s', async (answer) => {
    const testStorage = createTestStorage()
    const { agent } = agentWith([act()], { script: reading(acts(1, 2)), testStorage })
    void agent.run('go', { conversationId: 'c' }).result.catch(() => undefined)
    const [before] = await pendingOf(agent)
    simulateReload()
    inputs.length = 0
    const { agent: after } = agentWith([act()], { script: reading(acts(1, 2)), testStorage })
    after.conversation('c').subscribe(() => undefined)
    const resumed = after.resume('c')
    expect(await pendingOf(after)).toMatchObject([{ toolCallId: before?.toolCallId }])
    const of = { conversationId: 'c', toolCallId: before?.toolCallId ?? '' }
    await after[answer](of)
    if (answer === 'deny') await after.approve(await next(after, of.toolCallId))
    await (
      await resumed
    )?.result
    expect(inputs).toEqual(answer === 'deny' ? [{ number: 2 }] : [{ number: 1 }, { number: 2 }])
  })

  it('in another tab: its answer counts for all', async () => {
    const testStorage = createTestStorage()
    const { agent } = agentWith([act()], { script: reading(acts(1, 2, 3)), testStorage })
    const { run, of } = await begin(agent)
    const { agent: other } = agentWith([], { script: {}, testStorage })
    expect(await pendingOf(other)).toHaveLength(1)
    await Promise.all([other.approve(of), agent.deny(of).catch(() => undefined)])
    const isNext = (): boolean => waiting(agent).some((id) => id !== of.toolCallId)
    await expect.poll(() => inputs.length === 3 || isNext(), LONG).toBe(true)
    // Whichever came first, nothing ran that nobody allowed.
    expect(inputs).toHaveLength(isNext() ? 0 : 3)
    run.abort()
    await run.result
  })
})
