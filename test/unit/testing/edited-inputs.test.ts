import { expect, onTestFinished, test } from 'vitest'
import {
  type Agent,
  type CompositeTool,
  defineTool,
  pending,
  type Tool,
} from '../../../src/index.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

type Input = Readonly<Record<string, string>>

interface Edit {
  readonly tools: (helper: Agent) => readonly (Tool | CompositeTool)[]
  readonly edited?: Input
  readonly note: string
}

const inputSchema = { type: 'object', properties: { prompt: { type: 'string' } } } as const

const sell = (more: Partial<Tool>): Tool => ({
  name: 'sell',
  description: 'Sells.',
  inputSchema,
  needsApproval: true,
  execute: () => 'Sold.',
  ...more,
})

test.each<[string, Edit]>([
  ['a call', { tools: () => [sell({})], note: 'of this call to {"prompt":"One"}.' }],
  [
    'a long-running call',
    {
      tools: () => [sell({ execute: () => pending({ resumeToken: 'job' }) })],
      note: 'of this call to {"prompt":"One"}.',
    },
  ],
  [
    'a call of a sub-agent',
    {
      tools: (helper) => [
        helper.asTool({ name: 'sell', description: 'Sells.', needsApproval: true }),
      ],
      note: 'of this call to {"prompt":"One"}.',
    },
  ],
  [
    'a call within a composite tool',
    {
      tools: () => [
        sell({ name: 'deal' }),
        defineTool({
          name: 'sell',
          description: 'Sells.',
          inputSchema,
          run: (input, { call }) => call('deal', input),
        }),
      ],
      note: 'of its call of deal to {"prompt":"One"}.',
    },
  ],
  [
    'a call to a very long input',
    {
      tools: () => [sell({})],
      edited: { prompt: 'x'.repeat(1_000_001) },
      note: 'of this call to {"prompt":"xxx',
    },
  ],
])('the model learns of an edit of %s', async (_, { tools, edited = { prompt: 'One' }, note }) => {
  const testStorage = createTestStorage()
  const helper = createTestAgent({ testStorage, script: { steps: [{ text: 'Sold.' }] } })
  const agent = createTestAgent({
    testStorage,
    tools: tools(helper),
    script: {
      steps: [{ toolCalls: [{ toolName: 'sell', input: { prompt: 'All' } }] }, { text: 'Done.' }],
    },
  })
  for (const each of [agent, helper]) onTestFinished(() => each.dispose())
  const run = agent.run('Go', { conversationId: 'talk' })
  for await (const event of run) {
    if (event.type === 'tool-approval-request') await agent.approve(event, { input: edited })
    if (event.type === 'tool-suspended' && event.resumeToken === 'job')
      await agent.settle(event, { output: 'Sold.' })
  }
  const { outcome, toolCalls } = await run.result
  expect([outcome, toolCalls[0]?.status]).toEqual(['completed', 'succeeded'])
  const stored = await agent.conversations.get('talk')
  const results = stored?.messages.filter(({ role }) => role === 'tool')
  expect(results).toMatchObject([{ parts: [{ note: expect.stringContaining(note) as string }] }])
})
