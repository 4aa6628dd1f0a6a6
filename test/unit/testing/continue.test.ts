import { expect, onTestFinished, test } from 'vitest'
import { defineTool } from '../../../src/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { answer, call as toolCall } from './talk.ts'

// The scripted provider answers.

const look = defineTool({ name: 'look', description: 'Looks.', execute: () => 'seen' })
const calls = { toolCalls: [{ toolName: 'look', input: {} }] }

function talk(steps: object[], testStorage = createTestStorage()) {
  const agent = createTestAgent({ script: { steps }, tools: [look], testStorage })
  onTestFinished(() => agent.dispose())
  return agent
}

test('a run that used up its steps continues in a new one with a fresh limit', async () => {
  const agent = talk([calls, { ...calls, text: 'Again.' }, { text: 'Done.' }])
  const first = await agent.run('One', { conversationId: 'c', maxSteps: 1 }).result
  expect(first.outcome).toBe('max-steps')
  const second = await (await agent.continue('c'))?.result
  expect(second).toMatchObject({ outcome: 'max-steps', steps: 1 })
  expect(second?.runId).not.toBe(first.runId)
  const third = await (await agent.continue('c'))?.result
  expect(third).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(await agent.continue('c')).toBeNull()
  const stored = await agent.conversations.get('c')
  expect(stored?.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
})

test('a failed run continues, even after a reload', async () => {
  const testStorage = createTestStorage()
  const before = talk([{ error: 'The model fell over.' }], testStorage)
  const failed = await before.run('One', { conversationId: 'c' }).result
  expect(failed.outcome).toBe('failed')
  await before.dispose()
  simulateReload()
  const agent = talk([{ text: 'There.' }], testStorage)
  const run = await agent.continue('c')
  expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'There.' })
})

test('two continue calls at once start one run', async () => {
  const agent = talk([calls, { text: 'Done.' }])
  await agent.run('One', { conversationId: 'c', maxSteps: 1 }).result
  const [left, right] = await Promise.all([agent.continue('c'), agent.continue('c')])
  const results = await Promise.all([left?.result, right?.result])
  expect(new Set(results.map((result) => result?.runId).filter(Boolean)).size).toBe(1)
  expect(results.find(Boolean)).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

test('stopped, completed and missing runs do not continue', async () => {
  const agent = talk([{ text: 'A slow answer.', delayMs: 1_000 }])
  expect(await agent.continue('nothing')).toBeNull()
  const run = agent.run('One', { conversationId: 'c' })
  for await (const { type } of run) if (type === 'step-start') run.abort()
  expect((await run.result).outcome).toBe('aborted')
  expect(await agent.continue('c')).toBeNull()
  await agent.run('Two', { conversationId: 'c' }).result
  expect(await agent.continue('c')).toBeNull()
})

const failing = (delta: string): StreamPart[] => [
  { type: 'text-delta', delta },
  { type: 'error', error: { code: 'network', message: 'Gone.', retryable: true } },
]

// Claude since 4.6, Mistral and WebLLM refuse a request that ends with an answer of the model.
test.each<[string, StreamPart[][]]>([
  ['the last answer of a run at its limit', [toolCall('look'), answer('That is all I could do.')]],
  ['an answer that broke off', [failing('Half an')]],
])('a request that continues after %s ends with a user message', async (_what, before) => {
  const turns = [...before, toolCall('look'), answer('And the rest.')]
  const sent: string[] = []
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream({ messages }) {
      sent.push(messages.map(({ role }) => role).join(' '))
      yield* [turns.shift() ?? []]
    },
  }
  const agent = createTestAgent({
    model: { provider: 'listed', model: 'm', retry: { maxRetries: 0 } },
    providers: [provider],
    tools: [look],
  })
  onTestFinished(() => agent.dispose())
  await agent.run('One', { conversationId: 'c', limits: { steps: 1 } }).result
  const run = await agent.continue('c')
  expect((await run?.result)?.text).toBe('And the rest.')
  expect(sent.slice(before.length).map((roles) => roles.split(' ').at(-1))).toEqual([
    'user',
    'tool',
  ])
})
