import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import type { AgentOptions } from '../../../src/client/api/options.ts'
import type { Run } from '../../../src/client/runs/run.ts'
import type { Tool } from '../../../src/client/tools/tool.ts'
import type { RunEvent } from '../../../src/protocol/event.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'

const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }

function drop(more: Partial<Tool> = {}) {
  const execute = vi.fn(() => 'dropped')
  return { execute, tool: { name: 'drop', description: 'Drops.', inputSchema, execute, ...more } }
}

const calls = (...names: string[]) => ({
  steps: [
    { toolCalls: names.map((toolName) => ({ toolName, input: { id: 'x' } })) },
    { text: 'Done.' },
  ],
})

function mount(options: Partial<AgentOptions> & Parameters<typeof createTestAgent>[0]): Agent {
  const agent = createTestAgent(options)
  onTestFinished(() => agent.dispose())
  return agent
}

async function untilType(run: Run, type: RunEvent['type']): Promise<RunEvent> {
  for await (const event of run) if (event.type === type) return event
  throw new Error(`The run ended without ${type}.`)
}

describe('a tool that changes while its call waits behind another call', () => {
  /** `change` runs in the middle of the first call of the step; the second is of `drop`. */
  function afterDeciding(change: (agent: Agent) => void, first = drop()) {
    const agent: Agent = mount({
      script: calls('prepare', 'drop'),
      tools: [
        {
          name: 'prepare',
          description: 'Goes first.',
          inputSchema,
          execute: () => change(agent),
        },
        first.tool,
      ],
    })
    return { agent, run: agent.run('Go'), first }
  }

  test('requests approval when it became destructive', async () => {
    const later = drop({ annotations: { destructive: true } })
    const { agent, run, first } = afterDeciding((agent) =>
      agent.registerTool(later.tool, { replace: true }),
    )
    const asked = await untilType(run, 'tool-approval-request')
    expect(first.execute).not.toHaveBeenCalled()
    expect(later.execute).not.toHaveBeenCalled()
    await agent.approve((asked as { toolCallId: string }).toolCallId)
    expect((await run.result).toolCalls[1]).toMatchObject({ status: 'succeeded' })
    expect(first.execute).not.toHaveBeenCalled()
    expect(later.execute).toHaveBeenCalledTimes(1)
  })

  test('does not run with an input that its new schema rejects', async () => {
    const later = drop({ inputSchema: { ...inputSchema, required: ['id', 'reason'] } })
    const { run } = afterDeciding((agent) => agent.registerTool(later.tool, { replace: true }))
    expect((await run.result).toolCalls[1]).toMatchObject({ status: 'invalid' })
    expect(later.execute).not.toHaveBeenCalled()
  })

  test('does not run when it was disabled, and the model gets the reason', async () => {
    const { run, first } = afterDeciding((agent) => agent.setEnabledTools(['prepare']))
    expect((await run.result).toolCalls[1]).toMatchObject({
      status: 'failed',
      output: { message: expect.stringContaining('did not run') },
    })
    expect(first.execute).not.toHaveBeenCalled()
  })

  test('runs when its registration was replaced by an equal one', async () => {
    const later = drop()
    const { run } = afterDeciding((agent) => agent.registerTool(later.tool, { replace: true }))
    expect((await run.result).toolCalls[1]).toMatchObject({ status: 'succeeded' })
    expect(later.execute).toHaveBeenCalledTimes(1)
  })

  test('gives up without running when it changes every time', async () => {
    let version = 0
    const first = drop()
    Object.defineProperty(first.tool, 'description', { get: () => `Version ${version++}.` })
    const { run } = afterDeciding(() => {}, first)
    expect((await run.result).toolCalls[1]).toMatchObject({
      status: 'failed',
      output: { message: expect.stringContaining('kept changing') },
    })
    expect(first.execute).not.toHaveBeenCalled()
  })
})

describe('a tool that changes over a reload while its call waits for approval', () => {
  async function reloaded(before: Partial<Tool>, after: Partial<Tool>) {
    const testStorage = createTestStorage()
    const options = { testStorage, script: calls('drop') }
    const old = drop(before)
    const first = mount({ ...options, tools: [old.tool] })
    const asked = await untilType(first.run('Go', { conversationId: 'c' }), 'tool-approval-request')
    const { toolCallId } = asked as { toolCallId: string }
    await first.dispose()
    simulateReload()
    const fresh = drop(after)
    const second = mount({ ...options, tools: [fresh.tool] })
    const run = await second.resume('c')
    return { run: run!, agent: second, toolCallId, fresh }
  }
  const destructive = { annotations: { destructive: true } }

  test('requests approval again when its wording changed', async () => {
    const { run, agent, toolCallId, fresh } = await reloaded(destructive, {
      ...destructive,
      description: 'Drops everything, for ever.',
    })
    expect(await agent.approve(toolCallId)).toBe(true)
    await untilType(run, 'tool-approval-request')
    expect(fresh.execute).not.toHaveBeenCalled()
    expect(await agent.approve(toolCallId)).toBe(true)
    expect((await run.result).toolCalls[0]).toMatchObject({ status: 'succeeded' })
    expect(fresh.execute).toHaveBeenCalledTimes(1)
  })

  test('runs as it was approved when it is unchanged', async () => {
    const { run, agent, toolCallId, fresh } = await reloaded(destructive, destructive)
    await agent.approve(toolCallId)
    expect((await run.result).toolCalls[0]).toMatchObject({ status: 'succeeded' })
    expect(fresh.execute).toHaveBeenCalledTimes(1)
  })
})
