import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import type { Tool, ToolContext } from '../../../src/client/tools/tool.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from './fake-worker.ts'

const script = {
  steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Settled.' }],
}

interface Payment {
  readonly context: ToolContext
  settle(value: unknown): void
  fail(error: unknown): void
}

/** A tool whose executions the test ends by hand. */
function payTool(more: Partial<Tool> = {}) {
  const payments: Payment[] = []
  const execute = (_input: unknown, context: ToolContext) =>
    new Promise((settle, fail) => payments.push({ context, settle, fail }))
  return { payments, tool: { name: 'pay', description: 'Pays.', execute, ...more } }
}

function mount(storage: ReturnType<typeof createTestStorage>, tool: Tool): Agent {
  const agent = createTestAgent({ script, testStorage: storage, tools: [tool] })
  onTestFinished(() => agent.dispose())
  return agent
}

/** An agent that was disposed of while its tool ran. */
async function disposedWhilePaying(more: Partial<Tool> = {}) {
  const storage = createTestStorage()
  const { payments, tool } = payTool(more)
  const first = mount(storage, tool)
  const run = first.run('Pay', { conversationId: 'c' })
  if (tool.annotations?.destructive) {
    for await (const event of run)
      if (event.type === 'tool-approval-request') {
        await first.approve(event.toolCallId)
        break
      }
  }
  await until(() => payments.length)
  await first.dispose()
  return { storage, payments, tool, payment: payments[0]! }
}

/** A call outlives its agent for 250 ms, in which a busy machine may not get to resume it: until the test ends. */
function keepReleasedCalls(): void {
  const { setTimeout: real } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms?: number) =>
    ms === 250 ? undefined : real(work, ms)) as typeof setTimeout)
  onTestFinished(() => void vi.restoreAllMocks())
}

describe('dispose, then resume on the same page', () => {
  test.each([
    ['plain write', {}],
    ['approved destructive call', { annotations: { destructive: true } }],
  ])('runs a %s once, and joins it', async (_name, more) => {
    keepReleasedCalls()
    const { storage, payments, tool, payment } = await disposedWhilePaying(more)
    const second = mount(storage, tool)
    const run = await second.resume('c')
    payment.settle('paid')
    expect(await run?.result).toMatchObject({
      outcome: 'completed',
      text: 'Settled.',
      toolCalls: [{ status: 'succeeded', output: { value: 'paid' } }],
    })
    expect(payments.length).toBe(1)
    expect(payment.context.signal.aborted).toBe(false)
  })

  test('finds the outcome of a tool that ended in between', async () => {
    const { storage, payments, tool, payment } = await disposedWhilePaying()
    payment.settle('paid')
    const run = await mount(storage, tool).resume('c')
    expect(await run?.result).toMatchObject({ toolCalls: [{ status: 'succeeded' }] })
    expect(payments.length).toBe(1)
  })

  test("aborts an abandoned tool's signal, and a write that then throws is interrupted", async () => {
    const { storage, payments, tool, payment } = await disposedWhilePaying()
    const { signal } = payment.context
    await until(() => signal.aborted)
    payment.fail(signal.reason)
    const run = await mount(storage, tool).resume('c')
    expect(await run?.result).toMatchObject({ toolCalls: [{ status: 'interrupted' }] })
    expect(payments.length).toBe(1)
  })

  test('runs an idempotent tool again after its aborted signal stopped it', async () => {
    const { storage, payments, tool, payment } = await disposedWhilePaying({
      annotations: { idempotent: true },
    })
    await until(() => payment.context.signal.aborted)
    payment.fail(payment.context.signal.reason)
    const run = await mount(storage, tool).resume('c')
    await until(() => payments.length === 2)
    payments[1]!.settle('again')
    expect(await run?.result).toMatchObject({ toolCalls: [{ status: 'succeeded' }] })
    expect(payments[1]!.context.idempotencyKey).toBe(payment.context.idempotencyKey)
  })

  test('calls reconcile only once the tool has ended', async () => {
    const reconcile = vi.fn(() => ({ happened: true, result: 'it did' }) as const)
    const { storage, tool, payment } = await disposedWhilePaying({ reconcile })
    await until(() => payment.context.signal.aborted)
    const run = await mount(storage, tool).resume('c')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(reconcile).not.toHaveBeenCalled()
    payment.fail(new Error('broken off'))
    expect(await run?.result).toMatchObject({
      toolCalls: [{ status: 'succeeded', output: { value: 'it did' } }],
    })
  })

  test("waits no longer than the tool's timeout, and never reconciles while it runs", async () => {
    const reconcile = vi.fn(() => ({ happened: false }) as const)
    const { storage, payments, tool } = await disposedWhilePaying({ reconcile, timeoutMs: 600 })
    const run = await mount(storage, tool).resume('c')
    const result = await run?.result
    expect(result?.toolCalls[0]?.status).toMatch(/failed|interrupted/)
    expect(reconcile).not.toHaveBeenCalled()
    expect(payments.length).toBe(1)
  })

  test('knows a call that another copy of the package began', async () => {
    const { storage, payments, tool, payment } = await disposedWhilePaying()
    vi.resetModules()
    const copy = await import('../../../src/testing/index.ts')
    const second = copy.createTestAgent({ script, testStorage: storage, tools: [tool] })
    const run = await second.resume('c')
    payment.settle('paid')
    expect(await run?.result).toMatchObject({ toolCalls: [{ status: 'succeeded' }] })
    expect(payments.length).toBe(1)
    await second.dispose()
  })

  test('does not end the run as failed just before a model request', async () => {
    const storage = createTestStorage()
    const { tool } = payTool()
    let asked = 0
    const context = (): Promise<string> | string => (asked++ ? 'now' : new Promise(() => {}))
    const first = createTestAgent({ script, testStorage: storage, tools: [tool], context })
    const run = first.run('Pay', { conversationId: 'c' })
    await until(() => asked)
    await first.dispose()
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'disposed' })
    const second = mount(storage, tool)
    expect((await second.resume('c'))?.runId).toBe(run.runId)
  })
})

test('after a reload, running calls are forgotten and the crash table decides', async () => {
  const { storage, payments, tool } = await disposedWhilePaying()
  simulateReload()
  const run = await mount(storage, tool).resume('c')
  expect(await run?.result).toMatchObject({ toolCalls: [{ status: 'interrupted' }] })
  expect(payments.length).toBe(1)
})
