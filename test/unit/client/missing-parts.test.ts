import { expect, test, vi } from 'vitest'
import { createTestAgent } from '../../../src/testing/index.ts'
import { stage, startedRun } from './fake-worker.ts'

// The page was loaded before a deploy, or is offline now: what it hasn't loaded can't be.
vi.mock('../../../src/client/restarts.ts', () => Promise.reject(new Error('gone')))
vi.mock('../../../src/client/showing.ts', () => Promise.reject(new Error('gone')))
vi.mock('../../../src/client/extract.ts', () => Promise.reject(new Error('gone')))
vi.mock('../../../src/client/refuse-slow-patterns.ts', () => Promise.reject(new Error('gone')))

const missing = { code: 'worker-load-failed', retryable: true }

test('without what puts another worker in the place of a lost one, open runs fail', async () => {
  const set = stage({ heartbeatMs: 30 })
  const { run, worker } = await startedRun(set, 'x')
  worker.die()
  expect(await run.result).toMatchObject({ outcome: 'failed', error: missing })
  expect(set.workers.length).toBe(1)
})

test('without what shows conversations, their snapshots say so, and runs go on', async () => {
  const agent = createTestAgent({ script: { steps: [{ text: 'done' }] } })
  const conversation = agent.conversation('c1')
  const changed = vi.fn()
  conversation.subscribe(changed)
  await vi.waitFor(() => expect(changed).toHaveBeenCalled(), 5000)
  expect(conversation.getSnapshot()).toMatchObject({ status: 'idle', error: missing })
  expect(await agent.run('x').result).toMatchObject({ outcome: 'completed', text: 'done' })
  await agent.dispose()
})

test('without what judges patterns, a run that offers one fails', async () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^a$' } } }
  const tool = { name: 'add', description: 'Adds.', inputSchema, execute: () => 1 }
  const agent = createTestAgent({ script: { steps: [{ text: 'done' }] }, tools: [tool] })
  expect(await agent.run('x').result).toMatchObject({ outcome: 'failed', error: missing })
  await agent.dispose()
})

test('without its part, extract() rejects', async () => {
  const agent = createTestAgent({ script: { steps: [{ text: '1' }] } })
  const asked = agent.extract({ schema: { type: 'number' }, input: 'x' })
  await expect(asked).rejects.toMatchObject(missing)
  await agent.dispose()
})
