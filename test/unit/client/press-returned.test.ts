import { expect, it, onTestFinished } from 'vitest'
import type { CallRef } from '../../../src/client/execution/person-check.ts'
import { createTestAgent, simulateUserGesture } from '../../../src/testing/index.ts'

it('a refused input uses no gesture, and an accepted one uses it once', async () => {
  const paid: unknown[] = []
  const call = { toolName: 'pay', input: { amount: 1 } }
  const agent = createTestAgent({
    consent: 'person',
    tools: [
      {
        name: 'pay',
        description: 'Pays.',
        inputSchema: {
          type: 'object',
          properties: { amount: { type: 'number' } },
          required: ['amount'],
        },
        needsApproval: true,
        execute: ({ amount }: { amount: number }) => void paid.push(amount),
      },
    ],
    script: { steps: [{ toolCalls: [call, call] }, { text: 'Paid.' }] },
  })
  onTestFinished(() => agent.dispose())
  const run = agent.run('Pay')
  const asked: CallRef[] = []
  for await (const event of run) {
    if (event.type !== 'tool-approval-request') continue
    asked.push(event)
    if (asked.length === 1) continue
    simulateUserGesture()
    const wrong = { input: { amount: 'all' } }
    await expect(agent.approve(event, wrong)).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await agent.approve(event, { input: { amount: 2 } })).toBe(true)
    await expect(agent.approve(event)).rejects.toMatchObject({ code: 'consent-refused' })
    for (const other of asked.slice(0, 1)) await agent.deny(other)
  }
  expect(paid).toEqual([2])
})
