import { expect, it } from 'vitest'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { CustomStorage, StorageState } from '../../../src/protocol/conversation.ts'
import { createMemoryStore, createTestAgent } from '../../../src/testing/index.ts'
import type { Store, StoreDefinition } from '../../../src/worker/start-worker.ts'

const SCRIPT = { steps: [{ text: 'One.' }] }
const storage = { type: 'shared', team: 'sales' }

/** A store shared by two devices, with a switch that cuts one of them off. */
function sharedStore() {
  const store = createMemoryStore()
  const opened: CustomStorage[] = []
  const line = { isCut: false, reconnect: (): void => undefined }
  const seen: Store = {
    ...store,
    append: async (append) => {
      if (line.isCut) throw new OffstageError('storage-offline', 'No line.', { retryable: true })
      return store.append(append)
    },
    follow: (onChange) => {
      line.reconnect = () => onChange({ conversationId: null, lastSeq: 0 })
      return store.follow?.(onChange) ?? (() => undefined)
    },
  }
  const definition: StoreDefinition = {
    type: 'shared',
    open: async (given, report: (state: StorageState) => void) => {
      opened.push(given)
      report({ mode: 'durable' })
      return seen
    },
  }
  return { store, definition, opened, line }
}

it('a conversation in a custom store is shown live on another device', async () => {
  const { store, definition, opened } = sharedStore()
  const here = createTestAgent({ script: SCRIPT, storage, stores: [definition] })
  const there = createTestAgent({ script: SCRIPT, storage, stores: [definition] })
  let lists = 0
  there.conversations.subscribe(() => lists++)
  const shown = there.conversation('talk')
  const stop = shown.subscribe(() => undefined)
  const before = lists
  const result = await here.run('Hello', { conversationId: 'talk' }).result
  expect(result.outcome).toBe('completed')
  await expect
    .poll(() => shown.getSnapshot().messages.map(({ role }) => role), { timeout: 20_000 })
    .toEqual(['user', 'assistant'])
  await expect.poll(() => lists, { timeout: 20_000 }).toBeGreaterThan(before)
  expect(opened[0]).toEqual(storage)
  await store.delete('talk')
  await expect.poll(() => shown.getSnapshot().messages.length, { timeout: 20_000 }).toBe(0)
  stop()
  await here.dispose()
  await there.dispose()
})

it('a run pauses while the store is unreachable, and resumes once it reports recovery', async () => {
  const { definition, line } = sharedStore()
  const pay = {
    name: 'pay',
    description: 'Pays.',
    execute: () => {
      line.isCut = true
      return 'paid'
    },
  }
  const script = { steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Done.' }] }
  const agent = createTestAgent({ script, storage, stores: [definition], tools: [pay] })
  const run = agent.run('Pay')
  const seen: string[] = []
  for await (const event of run) {
    if (event.type === 'run-paused') {
      seen.push(event.reason)
      line.isCut = false
      line.reconnect()
    }
  }
  expect(seen).toEqual(['storage-offline'])
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  await agent.dispose()
})

it('a store type unknown to the worker is reported by name, without a fallback', async () => {
  const agent = createTestAgent({ script: SCRIPT, storage: { type: 'mine' } })
  const result = await agent.run('Hello').result
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'invalid-config' } })
  await agent.dispose()
})
