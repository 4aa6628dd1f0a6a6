import { afterEach, describe, expect, it } from 'vitest'
import { defineTool, type Agent, type ErrorCode, type ModelConfig } from '../../../src/index.ts'
import {
  createTestAgent,
  createTestStorage,
  type TestAgentOptions,
} from '../../../src/testing/index.ts'

const agents: Agent[] = []
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.dispose())))

function open(options: TestAgentOptions): Agent {
  const agent = createTestAgent(options)
  agents.push(agent)
  return agent
}

const script = {
  steps: [{ toolCalls: [{ toolName: 'add', input: {} }] }, { text: 'done' }],
} as const
const add = defineTool({ name: 'add', description: 'Adds.', execute: () => 'added' })

/** Options that cause a failure as long as `isFailing()` returns true. */
type Setup = (isFailing: () => boolean) => Partial<TestAgentOptions>

const failures: [string, ErrorCode, Setup][] = [
  [
    'context() throws',
    'invalid-config',
    (isFailing) => ({
      context: () => {
        if (isFailing()) throw new Error('no context')
        return 'fine'
      },
    }),
  ],
  [
    'available() throws',
    'invalid-config',
    (isFailing) => ({
      tools: [
        {
          ...add,
          available: () => {
            if (isFailing()) throw new Error('who knows')
            return true
          },
        },
      ],
    }),
  ],
  [
    'no tool is available',
    'no-tools-available',
    (isFailing) => ({ tools: [{ ...add, available: () => !isFailing() }] }),
  ],
  [
    "a hook returns what can't be cloned",
    'internal',
    (isFailing) => ({
      beforeToolCall: ({ input }) => ({ input: isFailing() ? ((() => 1) as never) : input }),
    }),
  ],
]

describe('a run that fails outside its model', () => {
  it.each(failures)('ends in the journal when %s', async (_what, code, setup) => {
    let isFailing = true
    const testStorage = createTestStorage()
    const options = { script, testStorage, tools: [add], ...setup(() => isFailing) }
    const agent = open(options)
    const failed = await agent.run('go', { conversationId: 'c' }).result
    expect(failed).toMatchObject({ outcome: 'failed', error: { code } })

    const [record] = await agent.conversations.list()
    expect(record).toMatchObject({ conversationId: 'c', openRunId: null })
    expect(await open(options).resume()).toBeNull()

    isFailing = false
    const next = await agent.run('again', { conversationId: 'c' }).result
    expect(next).toMatchObject({ outcome: 'completed', text: 'done' })
  })

  const wrongModels: [string, ErrorCode, ModelConfig][] = [
    ['an unknown provider', 'unknown-provider', { provider: 'nobody', model: 'm' } as never],
    [
      'a bad address',
      'invalid-config',
      { provider: 'openai-compatible', model: 'm', baseURL: 'not an address' },
    ],
  ]

  it.each(wrongModels)('ends in the journal when the model has %s', async (_what, code, model) => {
    const testStorage = createTestStorage()
    const agent = open({ script, testStorage, tools: [add] })
    agent.configure({ model })
    const failed = await agent.run('go', { conversationId: 'c' }).result
    expect(failed).toMatchObject({ outcome: 'failed', error: { code } })
    expect(await open({ script, testStorage }).resume()).toBeNull()

    agent.configure({ model: { provider: 'scripted', model: 'scripted', script } })
    const next = await agent.run('again', { conversationId: 'c' }).result
    expect(next).toMatchObject({ outcome: 'completed', text: 'done' })
  })
})
