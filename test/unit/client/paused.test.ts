import { describe, expect, onTestFinished, test } from 'vitest'
import { OffstageError } from '../../../src/protocol/error.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'
import { until } from './fake-worker.ts'

/** An agent whose storage is full as long as `storage.isFull`. */
function fullStorage() {
  const inner = createTestStorage()
  const state = { isFull: true, tries: 0 }
  const testStorage = {
    open: async (name: string) => {
      const store = await inner.open(name)
      return {
        ...store,
        claim: async (...args: Parameters<typeof store.claim>) => {
          state.tries += 1
          if (state.isFull) throw new OffstageError('storage-full', 'No room.', { retryable: true })
          return store.claim(...args)
        },
      }
    },
  }
  const agent = createTestAgent({ script: { steps: [{ text: 'Hi.' }] }, testStorage })
  onTestFinished(() => agent.dispose())
  const { subscribe, getSnapshot } = agent.conversation('c1')
  subscribe(() => undefined)
  return { agent, state, getSnapshot }
}

describe('an agent with full storage', () => {
  test('keeps the message on the page, and resumes when there is room', async () => {
    const { agent, state, getSnapshot } = fullStorage()
    const run = agent.run('Hello', { conversationId: 'c1' })
    await until(() => getSnapshot().paused === 'storage-full')
    expect(getSnapshot()).toMatchObject({ status: 'waiting', messages: [{ role: 'user' }] })
    state.isFull = false
    const continued = await agent.continue('c1')
    expect(continued?.runId).toBe(run.runId)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hi.' })
    expect(getSnapshot().messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('can abort the waiting run, and nothing of it is stored', async () => {
    const { agent, state, getSnapshot } = fullStorage()
    const run = agent.run('Hello', { conversationId: 'c1' })
    await until(() => getSnapshot().paused === 'storage-full')
    run.abort('enough')
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    state.isFull = false
    expect(await agent.conversations.list()).toEqual([])
    expect(await agent.run('Again', { conversationId: 'c1' }).result).toMatchObject({ text: 'Hi.' })
  })

  test('continues nothing when no run waits', async () => {
    const { agent, state } = fullStorage()
    state.isFull = false
    expect(await agent.continue('c1')).toBeNull()
  })
})
