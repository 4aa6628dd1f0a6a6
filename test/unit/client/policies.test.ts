import { describe, expect, onTestFinished, test } from 'vitest'
import type { AgentOptions } from '../../../src/client/api/options.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

/** Two calls of one step: the first changes what the rules say of the second. */
function lockThenDelete(rules: (state: { locked: boolean }) => Partial<AgentOptions>) {
  const state = { locked: false }
  const deleted: string[] = []
  const agent = createTestAgent({
    script: {
      steps: [
        { toolCalls: ['lock', 'remove'].map((toolName) => ({ toolName, input: {} })) },
        { text: 'Done.' },
      ],
    },
    tools: [
      { name: 'lock', description: 'Locks.', execute: () => void (state.locked = true) },
      { name: 'remove', description: 'Removes.', execute: () => void deleted.push('it') },
    ],
    ...rules(state),
  })
  onTestFinished(() => agent.dispose())
  return { agent, deleted }
}

describe('rules that change while the calls of a step run', () => {
  test('a policy is evaluated again before the next call', async () => {
    const { agent, deleted } = lockThenDelete((state) => ({
      toolApproval: ({ toolName }) => toolName === 'remove' && state.locked,
    }))
    const run = agent.run('Go')
    for await (const event of run) {
      if (event.type !== 'tool-approval-request') continue
      expect(deleted).toEqual([])
      await agent.deny(event.toolCallId)
    }
    expect((await run.result).toolCalls.map(({ status }) => status)).toEqual([
      'succeeded',
      'denied',
    ])
    expect(deleted).toEqual([])
  })

  test('a hook is evaluated again before the next call', async () => {
    const { agent, deleted } = lockThenDelete((state) => ({
      beforeToolCall: ({ toolName }) =>
        toolName === 'remove' && state.locked ? { veto: 'It is locked.' } : undefined,
    }))
    const result = await agent.run('Go').result
    expect(result.toolCalls.map(({ status }) => status)).toEqual(['succeeded', 'denied'])
    expect(deleted).toEqual([])
  })
})
