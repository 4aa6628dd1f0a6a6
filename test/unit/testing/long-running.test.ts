import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Agent, defineTool, pending, type ToolOutput } from '../../../src/index.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

const CALL = { conversationId: 'talk', toolCallId: '' } as const

/** `until`: of each call that orders, as the tool says it. */
function desk({
  until: late,
  timeoutMs = 60_000,
}: { readonly until?: () => Date | number; readonly timeoutMs?: number } = {}) {
  const testStorage = createTestStorage()
  let orders = 0
  const afterwards: string[] = []
  const order = defineTool({
    name: 'order',
    description: 'Orders a report.',
    timeoutMs,
    execute: () => pending({ resumeToken: `job-${++orders}`, ...(late && { until: late() }) }),
  })
  const open = (tools = [order]): Agent => {
    const agent = createTestAgent({
      tools,
      testStorage,
      afterToolCall: ({ toolName }) => void afterwards.push(toolName),
      script: {
        scenes: [{ match: ['never mind'], steps: [{ text: 'Fine.' }] }],
        fallback: [{ toolCalls: [{ toolName: 'order', input: {} }] }, { text: 'It is here.' }],
      },
    })
    onTestFinished(() => agent.dispose())
    return agent
  }
  return { open, afterwards, orders: () => orders }
}

const shown = (agent: Agent) => {
  const talk = agent.conversation('talk')
  onTestFinished(talk.subscribe(() => undefined))
  return talk
}

/** The agent's one call, as soon as it waits. */
async function waiting(agent: Agent) {
  const talk = shown(agent)
  await until(() => talk.getSnapshot().pending.length > 0)
  return talk
}

const outputIn = (agent: Agent): ToolOutput | undefined =>
  agent
    .conversation('talk')
    .getSnapshot()
    .messages.flatMap(({ calls = [] }) => calls)[0]?.output

describe('a call of a long-running tool', () => {
  test('waits without a timeout, and accepts only one outcome', async () => {
    const timeoutMs = 2_000
    const { open, afterwards } = desk({ timeoutMs })
    const agent = open()
    const run = agent.run('Order it', { conversationId: 'talk' })
    const talk = await waiting(agent)
    const { status, pending: calls, messages } = talk.getSnapshot()
    expect(status).toBe('waiting')
    expect(calls).toMatchObject([{ kind: 'settlement', resumeToken: 'job-1', toolName: 'order' }])
    expect(messages.flatMap((message) => message.calls ?? [])[0]?.status).toBe('suspended')
    // Longer than the tool may take.
    await new Promise((resolve) => setTimeout(resolve, timeoutMs + 100))
    const [call] = calls
    expect(await agent.settle(call!, { output: { pages: 3 } })).toBe(true)
    expect(await agent.settle(call!, { output: 'late' })).toBe(false)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'It is here.' })
    expect(outputIn(agent)).toEqual({ type: 'json', value: { pages: 3 } })
    expect(afterwards).toEqual([])
  })

  test('accepts one of two simultaneous outcomes', async () => {
    const { open } = desk()
    const agent = open()
    const run = agent.run('Order it', { conversationId: 'talk' })
    const talk = await waiting(agent)
    const [call] = talk.getSnapshot().pending
    const said = await Promise.all([
      agent.settle(call!, { output: 'one' }),
      talk.settle(call!, { output: 'two' }),
    ])
    expect(said.toSorted()).toEqual([false, true])
    await run.result
    expect(outputIn(agent)).toEqual({ type: 'text', value: said[0] ? 'one' : 'two' })
  })

  test('fails with the given error message, and is truncated like any result', async () => {
    const failing = desk().open()
    const run = failing.run('Order it', { conversationId: 'talk' })
    await waiting(failing)
    const { toolCallId } = failing.conversation('talk').getSnapshot().pending[0]!
    await failing.settle(toolCallId, { error: new Error('No paper.') })
    expect((await run.result).toolCalls[0]).toMatchObject({
      status: 'failed',
      output: { type: 'error', code: 'failed', message: 'No paper.' },
    })
    const long = desk().open()
    const longRun = long.run('Order it', { conversationId: 'talk' })
    await waiting(long)
    await long.settle(long.conversation('talk').getSnapshot().pending[0]!, {
      output: 'x'.repeat(200_000),
    })
    const { output } = (await longRun.result).toolCalls[0]!
    expect(output).toMatchObject({ type: 'text' })
    expect(JSON.stringify(output).length).toBeLessThan(101_000)
  })

  test('still waits after a reload, and can be settled without resuming the run', async () => {
    const { open, orders } = desk()
    const before = open()
    void before.run('Order it', { conversationId: 'talk' })
    await waiting(before)
    await before.dispose()
    simulateReload()
    const after = open([])
    const talk = await waiting(after)
    expect(talk.getSnapshot()).toMatchObject({ status: 'waiting', ownership: 'none' })
    expect(await after.settle(talk.getSnapshot().pending[0]!, { output: 'done' })).toBe(true)
    await until(() => talk.getSnapshot().ended !== undefined)
    expect(talk.getSnapshot().ended).toMatchObject({ outcome: 'completed' })
    expect(orders()).toBe(1)
  })

  test('ends with its run, and then accepts no outcome', async () => {
    const agent = desk().open()
    const run = agent.run('Order it', { conversationId: 'talk' })
    const talk = await waiting(agent)
    const [call] = talk.getSnapshot().pending
    run.abort('enough')
    expect((await run.result).outcome).toBe('aborted')
    await until(() => talk.getSnapshot().ended !== undefined)
    expect(outputIn(agent)).toMatchObject({ type: 'error', code: 'aborted' })
    expect(JSON.stringify(outputIn(agent))).toContain('may or may not take effect')
    expect(await agent.settle(call!, { output: 'late' })).toBe(false)
  })

  test('ends when a message is sent with now', async () => {
    const agent = desk().open()
    const run = agent.run('Order it', { conversationId: 'talk' })
    const talk = await waiting(agent)
    run.send('Never mind', { when: 'now' })
    expect((await run.result).outcome).toBe('completed')
    await until(() => talk.getSnapshot().ended !== undefined)
    expect(outputIn(agent)).toMatchObject({ type: 'error', code: 'aborted' })
  })
})

/** A clock that stands until it is set; timers run. */
function stoppedClock() {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const noon = Date.UTC(2026, 0, 1, 12)
  vi.setSystemTime(noon)
  return { noon, pass: (ms: number) => vi.setSystemTime(noon + ms) }
}

const HOUR = 3_600_000

describe('a call with a deadline for its outcome', () => {
  test('fails at the deadline, and the model continues', async () => {
    const { open, afterwards } = desk({ until: () => Date.now() + 20 })
    const agent = open()
    const events: object[] = []
    const run = agent.run('Order it', { conversationId: 'talk' })
    for await (const event of run) if (event.type === 'tool-suspended') events.push(event)
    const { outcome, toolCalls } = await run.result
    expect(outcome).toBe('completed')
    expect(events).toMatchObject([{ resumeToken: 'job-1', until: expect.any(Number) }])
    expect(toolCalls).toMatchObject([
      { status: 'failed', output: { type: 'error', code: 'timeout' } },
    ])
    expect(afterwards).toEqual([])
    expect(
      await agent.settle({ ...CALL, toolCallId: toolCalls[0]!.toolCallId }, { output: 1 }),
    ).toBe(false)
  })

  test('accepts no outcome after the deadline, even before a timer fires', async () => {
    const { noon, pass } = stoppedClock()
    const { open } = desk({ until: () => new Date(noon + HOUR) })
    const agent = open()
    const run = agent.run('Order it', { conversationId: 'talk' })
    const talk = await waiting(agent)
    const [call] = talk.getSnapshot().pending
    expect(call).toMatchObject({ kind: 'settlement', until: noon + HOUR })
    pass(HOUR)
    expect(await agent.settle(call!, { output: 'late' })).toBe(false)
    expect((await run.result).outcome).toBe('completed')
    await until(() => talk.getSnapshot().ended !== undefined)
    expect(outputIn(agent)).toMatchObject({ code: 'timeout' })
    expect(JSON.stringify(outputIn(agent))).toContain('by 2026-01-01T13:00:00.000Z')
  })

  test('accepts an outcome until the deadline', async () => {
    const { noon, pass } = stoppedClock()
    const { open } = desk({ until: () => noon + HOUR })
    const agent = open()
    const run = agent.run('Order it', { conversationId: 'talk' })
    const talk = await waiting(agent)
    pass(HOUR - 1)
    expect(await agent.settle(talk.getSnapshot().pending[0]!, { output: 'just' })).toBe(true)
    expect((await run.result).toolCalls[0]).toMatchObject({ status: 'succeeded' })
  })

  test.each(['resumes its run', 'settles it too late'])(
    'is ended by a later page that %s',
    async (how) => {
      const { noon, pass } = stoppedClock()
      const { open, orders } = desk({ until: () => noon + HOUR })
      const before = open()
      void before.run('Order it', { conversationId: 'talk' })
      await waiting(before)
      await before.dispose()
      simulateReload()
      pass(2 * HOUR)
      const after = open([])
      const talk = await waiting(after)
      if (how === 'resumes its run') await after.resume()
      else expect(await after.settle(talk.getSnapshot().pending[0]!, { output: 1 })).toBe(false)
      await until(() => talk.getSnapshot().ended !== undefined)
      expect(talk.getSnapshot().ended).toMatchObject({ outcome: 'completed' })
      expect(outputIn(after)).toMatchObject({ type: 'error', code: 'timeout' })
      expect(orders()).toBe(1)
    },
  )

  test.each([0, 5, 10, 20, 40])(
    'accepts one of two outcomes, settled %i ms after it waits',
    async (ms) => {
      const agent = desk({ until: () => Date.now() + 20 }).open()
      const run = agent.run('Order it', { conversationId: 'talk' })
      let isTaken = false
      for await (const event of run) {
        if (event.type !== 'tool-suspended') continue
        await new Promise((resolve) => setTimeout(resolve, ms))
        isTaken = await agent.settle(event, { output: 'here' })
      }
      const statuses = (await run.result).toolCalls.map(({ status }) => status)
      expect(statuses).toEqual([isTaken ? 'succeeded' : 'failed'])
    },
  )

  test('fails within a composite tool, and its function continues with the error', async () => {
    const agent = createTestAgent({
      tools: [
        defineTool({
          name: 'order',
          description: 'Orders.',
          execute: () => pending({ resumeToken: 'job', until: Date.now() + 20 }),
        }),
        defineTool({
          name: 'report',
          description: 'Reports.',
          run: async (_input, { call }) =>
            call('order', {}).catch((error: { code?: string }) => `no report: ${error.code}`),
        }),
      ],
      script: { steps: [{ toolCalls: [{ toolName: 'report', input: {} }] }, { text: 'Well.' }] },
    })
    onTestFinished(() => agent.dispose())
    const { toolCalls } = await agent.run('Report').result
    expect(toolCalls.map(({ toolName, status }) => [toolName, status])).toEqual([
      ['report', 'succeeded'],
      ['order', 'failed'],
    ])
    expect(JSON.stringify(toolCalls[0]?.output)).toContain('no report')
  })
})

test.each([[Number.NaN], [Infinity], [Number.MAX_SAFE_INTEGER], ['tomorrow'], [new Date('never')]])(
  'pending rejects an invalid until (%#)',
  (until) => {
    expect(() => pending({ resumeToken: 'job', until: until as number })).toThrow(
      expect.objectContaining({ code: 'invalid-input' }),
    )
  },
)

test('settle refuses calls of tools that are not long-running', async () => {
  const agent = createTestAgent({
    tools: [{ name: 'pay', description: 'Pays.', needsApproval: true, execute: () => 'paid' }],
    script: { steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Paid.' }] },
  })
  onTestFinished(() => agent.dispose())
  const run = agent.run('Pay', { conversationId: 'talk' })
  await waiting(agent)
  const [call] = agent.conversation('talk').getSnapshot().pending
  expect(await agent.settle(call!, { output: 'paid' })).toBe(false)
  expect(await agent.settle({ ...CALL, toolCallId: 'nope' }, { output: 'paid' })).toBe(false)
  await expect(agent.settle(call!, { outcome: 'paid' } as never)).rejects.toMatchObject({
    code: 'invalid-config',
  })
  await agent.approve(call!)
  expect((await run.result).toolCalls[0]?.output).toEqual({ type: 'text', value: 'paid' })
})

test.each([[undefined], [{ job: 1 }], ['x'.repeat(10_001)]])(
  'pending rejects a resumeToken that is no text or too long (%#)',
  (resumeToken) => {
    expect(() => pending({ resumeToken: resumeToken as string })).toThrow(
      expect.objectContaining({ code: 'invalid-input' }),
    )
  },
)
