import { expect, test, vi } from 'vitest'
import type * as live from '../../../src/client/api/lazy-runtime.ts'
import { OffstageError } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

// The page was loaded before a deploy, or is offline now: what it hasn't loaded can't be.
vi.mock('../../../src/client/views/lazy-views.ts', () => Promise.reject(new Error('gone')))
vi.mock('../../../src/client/features/extract.ts', () => Promise.reject(new Error('gone')))
vi.mock('../../../src/client/execution/sensitive-fields.ts', () =>
  Promise.reject(new Error('gone')),
)
vi.mock('../../../src/client/features/read-history.ts', () => Promise.reject(new Error('gone')))
// The code for titles is missing once: the page was offline for a moment.
vi.mock('../../../src/client/api/lazy-runtime.ts', async (original) => {
  const part = await original<typeof live>()
  let tries = 0
  const prepareIdleWork = async (options: Parameters<typeof part.prepareIdleWork>[0]) => {
    if (options.titles && ++tries === 1)
      throw new OffstageError('worker-load-failed', 'gone', { retryable: true })
    await part.prepareIdleWork(options)
  }
  return { ...part, prepareIdleWork }
})

const missing = { code: 'worker-load-failed', retryable: true }

test('without the code for titles, a run fails, and the next tries again', async () => {
  const agent = createTestAgent({ script: { steps: [{ text: 'done' }] }, titles: true })
  expect(await agent.run('x').result).toMatchObject({ outcome: 'failed', error: missing })
  expect(await agent.run('y').result).toMatchObject({ outcome: 'completed', text: 'done' })
  await agent.dispose()
})

test('without the code for conversations, snapshots say so, and runs continue', async () => {
  const agent = createTestAgent({ script: { steps: [{ text: 'done' }] } })
  const conversation = agent.conversation('c1')
  const changed = vi.fn()
  conversation.subscribe(changed)
  await vi.waitFor(() => expect(changed).toHaveBeenCalled(), 5000)
  expect(conversation.getSnapshot()).toMatchObject({ status: 'idle', error: missing })
  expect(await agent.run('x').result).toMatchObject({ outcome: 'completed', text: 'done' })
  await agent.dispose()
})

test('without its code, extract() rejects', async () => {
  const agent = createTestAgent({ script: { steps: [{ text: '1' }] } })
  const asked = agent.extract({ schema: { type: 'number' }, input: 'x' })
  await expect(asked).rejects.toMatchObject(missing)
  await agent.dispose()
})

test('without the code for histories, a run with one fails, and the next begins', async () => {
  const agent = createTestAgent({ script: { steps: [{ text: 'done' }] } })
  const history = [{ role: 'user', content: 'Two mugs' }] as const
  const failed = agent.run('x', { conversationId: 'c', history })
  const next = agent.run('y', { conversationId: 'c', ifBusy: 'queue' })
  expect(await failed.result).toMatchObject({ outcome: 'failed', error: missing })
  expect(await next.result).toMatchObject({ outcome: 'completed', text: 'done' })
  await agent.dispose()
})

test('without the words for secrets, each field of a question counts as secret', async () => {
  const properties = { name: { type: 'string' }, size: { type: 'integer' } } as const
  const input = { question: 'Who are you?', fields: { type: 'object', properties } }
  const agent = createTestAgent({
    script: { steps: [{ toolCalls: [{ toolName: 'ask_user', input }] }] },
    controlTools: ['ask_user'],
    questionFields: true,
  })
  const asked = []
  for await (const event of agent.run('x')) {
    if (event.type !== 'question') continue
    asked.push(event.sensitive)
    break
  }
  expect(asked).toEqual([['name', 'size']])
  await agent.dispose()
})
