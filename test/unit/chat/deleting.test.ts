import { expect, test } from 'vitest'
import type { ConversationRecord } from '../../../src/index.ts'
import { until } from '../client/fake-worker.ts'
import { agentFor, showChat } from './chat-stage.ts'

/** Two conversations that are listed, of which the first is on view. */
async function listed() {
  const agent = agentFor({ fallback: [{ text: 'One.' }] })
  const chat = showChat(agent, 'c1')
  agent.conversations.subscribe(() => {})
  for (const id of ['c1', 'c2']) await agent.run('Hello', { conversationId: id }).result
  await until(() => agent.conversations.getSnapshot().length === 2)
  const recordOf = (id: string): ConversationRecord => {
    const found = agent.conversations.getSnapshot().find((one) => one.conversationId === id)
    if (!found) throw new Error(`There is no ${id}.`)
    return found
  }
  const isThere = async (id: string): Promise<boolean> =>
    (await agent.conversations.get(id)) !== null
  return { ...chat, recordOf, isThere }
}

test('a conversation used after its deletion from the list is kept', async () => {
  const { actions, conversation, local, recordOf, isThere } = await listed()
  actions.delete(recordOf('c1'))
  expect(local.get('deleted')).toBeDefined()
  actions.send('Stay')
  expect(local.get('deleted')).toBeUndefined()
  await until(() => conversation.getSnapshot().messages.length === 4)
  // The next one has the one before it deleted at once, where that is still meant.
  actions.delete(recordOf('c2'))
  actions.restore()
  expect(await isThere('c1')).toBe(true)
  expect(await isThere('c2')).toBe(true)
})

test('an unused conversation is deleted, at once when another deletion follows', async () => {
  const { actions, recordOf, isThere } = await listed()
  actions.delete(recordOf('c2'))
  actions.delete(recordOf('c1'))
  actions.restore()
  await expect.poll(() => isThere('c2')).toBe(false)
  expect(await isThere('c1')).toBe(true)
})

test('a deletion is kept while the list renames or imports other conversations', async () => {
  const { actions, local, recordOf } = await listed()
  actions.delete(recordOf('c1'))
  const detail = { conversationId: 'c2', title: 'Two' }
  actions.perform({ name: 'rename', detail, key: 'list' }, async () => {})
  const file = new File([], 'a.jsonl')
  actions.perform({ name: 'import', detail: { file }, key: 'list' }, async () => {})
  expect(local.get('deleted')).toMatchObject({ conversationId: 'c1' })
  actions.restore()
})
