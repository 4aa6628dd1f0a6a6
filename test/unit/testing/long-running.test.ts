import { describe, expect, onTestFinished, test } from 'vitest'
import { type Agent, defineTool, pending, type ToolOutput } from '../../../src/index.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

const CALL = { conversationId: 'talk', toolCallId: '' } as const

function desk(testStorage = createTestStorage()) {
  let orders = 0
  const afterwards: string[] = []
  const order = defineTool({
    name: 'order',
    description: 'Orders a report.',
    timeoutMs: 30,
    execute: () => pending({ resumeToken: `job-${++orders}` }),
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
  test('waits without a timeout, and takes one outcome of those that are said', async () => {
    const { open, afterwards } = desk()
    const agent = open()
    const run = agent.run('Order it', { conversationId: 'talk' })
    const talk = await waiting(agent)
    const { status, pending: calls, messages } = talk.getSnapshot()
    expect(status).toBe('waiting')
    expect(calls).toMatchObject([{ kind: 'settlement', resumeToken: 'job-1', toolName: 'order' }])
    expect(messages.flatMap((message) => message.calls ?? [])[0]?.status).toBe('suspended')
    // Longer than the tool may take.
    await new Promise((resolve) => setTimeout(resolve, 60))
    const [call] = calls
    expect(await agent.settle(call!, { output: { pages: 3 } })).toBe(true)
    expect(await agent.settle(call!, { output: 'late' })).toBe(false)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'It is here.' })
    expect(outputIn(agent)).toEqual({ type: 'json', value: { pages: 3 } })
    expect(afterwards).toEqual([])
  })

  test('takes one of two outcomes that are said at once', async () => {
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

  test('fails with the words of an error, and is cut like any result', async () => {
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

  test('waits on after a reload, and is settled by a page that has not resumed the run', async () => {
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

  test('ends with its run, and then takes no outcome', async () => {
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

  test('ends for a message that is not to wait', async () => {
    const agent = desk().open()
    const run = agent.run('Order it', { conversationId: 'talk' })
    const talk = await waiting(agent)
    run.send('Never mind', { when: 'now' })
    expect((await run.result).outcome).toBe('completed')
    await until(() => talk.getSnapshot().ended !== undefined)
    expect(outputIn(agent)).toMatchObject({ type: 'error', code: 'aborted' })
  })
})

test('other calls than those of long-running tools take no outcome from outside', async () => {
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
  'what is no text of 10 000 characters is no token (%#)',
  (resumeToken) => {
    expect(() => pending({ resumeToken: resumeToken as string })).toThrow(
      expect.objectContaining({ code: 'invalid-input' }),
    )
  },
)
