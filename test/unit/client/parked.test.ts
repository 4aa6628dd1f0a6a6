import { describe, expect, onTestFinished, test } from 'vitest'
import { emptySnapshot, reduceEvent } from '../../../src/client/snapshot.ts'
import type { ConversationSnapshot } from '../../../src/client/snapshot.ts'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { RunEventBody } from '../../../src/protocol/event.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'
import { resultOf, until } from './fake-worker.ts'

const ref = { runId: 'r1', conversationId: 'c1' }
const reduce = (snapshot: ConversationSnapshot, ...bodies: RunEventBody[]) =>
  bodies.map((body) => ({ ...body, ...ref, seq: 0 })).reduce(reduceEvent, snapshot)
const message = { role: 'user', id: 'r1:user', parts: [{ type: 'text', text: 'Hello' }] } as const
const parked: RunEventBody = { type: 'run-parked', reason: 'storage-full' }
const empty = emptySnapshot('c1', 'idle')

describe('a parked run in the snapshot', () => {
  test('shows its reason, and the message that could not be stored yet, once', () => {
    const waiting = reduce(empty, { ...parked, message })
    expect(waiting).toMatchObject({
      status: 'waiting',
      parked: 'storage-full',
      runId: 'r1',
      ownership: 'this-tab',
      messages: [message],
    })
    const running = reduce(waiting, { type: 'run-start', message }, { type: 'run-continued' })
    expect(running).toMatchObject({ status: 'running', messages: [message] })
    expect(running).not.toHaveProperty('parked')
  })

  test('waits on for a person when it goes on with a call that waits', () => {
    const call = { toolCallId: 't1', toolName: 'tool', input: {} }
    const asked = reduce(empty, { type: 'run-start', message }, parked, {
      type: 'tool-approval-request',
      ...call,
    })
    expect(reduce(asked, { type: 'run-continued' })).toMatchObject({
      status: 'waiting',
      pending: [call],
    })
    const answered = { type: 'tool-approval-response', toolCallId: 't1', approved: true } as const
    expect(reduce(asked, answered)).toMatchObject({ status: 'waiting', parked: 'storage-full' })
  })

  test('is over with the run', () => {
    const ended = reduce(empty, parked, { type: 'run-end', result: resultOf(ref) })
    expect(ended).toMatchObject({ status: 'idle' })
    expect(ended).not.toHaveProperty('parked')
  })
})

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

describe('an agent whose storage is full', () => {
  test('keeps the message on the page, and goes on when told that there is room', async () => {
    const { agent, state, getSnapshot } = fullStorage()
    const run = agent.run('Hello', { conversationId: 'c1' })
    await until(() => getSnapshot().parked === 'storage-full')
    expect(getSnapshot()).toMatchObject({ status: 'waiting', messages: [{ role: 'user' }] })
    state.isFull = false
    const continued = await agent.continue('c1')
    expect(continued?.runId).toBe(run.runId)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hi.' })
    expect(getSnapshot().messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('can abort the run that waits; nothing of it is stored', async () => {
    const { agent, state, getSnapshot } = fullStorage()
    const run = agent.run('Hello', { conversationId: 'c1' })
    await until(() => getSnapshot().parked === 'storage-full')
    run.abort('enough')
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    state.isFull = false
    expect(await agent.conversations.list()).toEqual([])
    expect(await agent.run('Again', { conversationId: 'c1' }).result).toMatchObject({ text: 'Hi.' })
  })

  test('continues nothing where there is nothing to continue', async () => {
    const { agent, state } = fullStorage()
    state.isFull = false
    expect(await agent.continue('c1')).toBeNull()
  })
})
