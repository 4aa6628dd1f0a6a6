import { describe, expect, it } from 'vitest'
import { defineTool, type RunEvent } from '../../../src/index.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'

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

  it('resumes in another agent what the first one left', async () => {
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
})
