import { expect, test } from 'vitest'
import { DeletionWatch } from '../../../src/ui/chat/element.ts'
import { conversationKey } from '../../../src/ui/chat/local-keys.ts'
import { until } from '../client/fake-worker.ts'
import { agentFor, showChat } from './chat-stage.ts'

/** A conversation that was shown with messages. */
async function shown() {
  const agent = agentFor({ steps: [{ text: 'One.' }] })
  const { conversation, local } = showChat(agent)
  await conversation.send('First').result
  await until(() => conversation.getSnapshot().messages.length === 2)
  const watch = new DeletionWatch()
  const look = (): void => watch.update({ agent, local, snapshot: conversation.getSnapshot() })
  look()
  const emptied = (): Promise<void> =>
    until(() => {
      look()
      return conversation.getSnapshot().messages.length === 0
    })
  return {
    agent,
    conversation,
    emptied,
    look,
    isGone: () => local.get(conversationKey('gone', 'c1')) === true,
  }
}

test('a conversation deleted while on view counts as deleted until it is restarted', async () => {
  const { agent, conversation, emptied, look, isGone } = await shown()
  await agent.conversations.delete('c1')
  await emptied()
  await until(isGone)
  await conversation.send('Anew').result
  await until(() => conversation.getSnapshot().messages.length > 0)
  look()
  expect(isGone()).toBe(false)
})

test('a conversation with cleared history does not count as deleted', async () => {
  const { agent, emptied, isGone } = await shown()
  await agent.conversations.clearHistory('c1')
  await emptied()
  expect(await agent.conversations.get('c1')).not.toBeNull()
  expect(isGone()).toBe(false)
})
