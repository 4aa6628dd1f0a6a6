import { describe, expect, it } from 'vitest'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

const script = { steps: [{ text: 'ok' }] }

async function typed(input: string, options: object, agentOptions: object = {}): Promise<unknown> {
  const agent = createTestAgent({ script, ...agentOptions })
  const { outcome, ...result } = await agent.run(input, { conversationId: 'c', ...options }).result
  const stored = await agent.conversations.get('c')
  await agent.dispose()
  return outcome === 'failed' ? { outcome, ...result } : stored?.messages[0]?.parts
}

describe('values in a prompt', () => {
  const values = { name: 'Ann', count: 2 }

  it('come from the agent and the run, and the run wins', async () => {
    expect(await typed('Hi {{ name }}, {{count}} mugs', {}, { values })).toEqual([
      { type: 'text', text: 'Hi Ann, 2 mugs' },
    ])
    expect(await typed('Hi {{name}}, {{count}}', { values: { name: 'Bob' } }, { values })).toEqual([
      { type: 'text', text: 'Hi Bob, 2' },
    ])
  })

  it('missing values fail the run before anything is stored, by name', async () => {
    const result = await typed('Hi {{nmae}}', { values })
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'invalid-input' } })
    expect(JSON.stringify(result)).toContain('{{nmae}}')
  })

  it('braces stay without values, with escapes, or when the run says so', async () => {
    const text = 'In Vue: {{ user }}'
    expect(await typed(text, {})).toEqual([{ type: 'text', text }])
    expect(await typed(text, { values: false }, { values })).toEqual([{ type: 'text', text }])
    expect(await typed('\\{{user}} {{name}}', { values })).toEqual([
      { type: 'text', text: '{{user}} Ann' },
    ])
  })

  it('templates within values are not filled', async () => {
    expect(await typed('{{name}}', { values: { name: '{{count}}' } })).toEqual([
      { type: 'text', text: '{{count}}' },
    ])
  })
})

it('a value missing in the instructions fails the run, which is stored as ended', async () => {
  const testStorage = createTestStorage()
  const storage = { name: 'shop' }
  const agent = createTestAgent({
    script,
    instructions: 'Today is {{date}}.',
    testStorage,
    storage,
  })
  const run = agent.run('x', { conversationId: 'c' })
  expect(await run.result).toMatchObject({
    outcome: 'failed',
    error: { code: 'invalid-config', message: expect.stringContaining('{{date}}') },
  })
  expect(await agent.conversations.get('c')).toMatchObject({ openRunId: null })
  agent.configure({ values: { date: 'Monday' } })
  expect(await agent.run('again', { conversationId: 'c' }).result).toMatchObject({
    outcome: 'completed',
  })
  await agent.dispose()
})
