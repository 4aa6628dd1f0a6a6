import { expect, test } from 'vitest'
import type { FilePart } from '../../../src/index.ts'
import { createTestStorage } from '../../../src/testing/index.ts'
import { editKey, problemKey } from '../../../src/ui/chat/local-keys.ts'
import { until } from '../client/fake-worker.ts'
import { agentFor, payCall, showChat } from './chat-stage.ts'

/** A conversation whose run waits, or has ended, as another page finds it. */
async function found({ isOpen }: { readonly isOpen: boolean }) {
  const storage = createTestStorage()
  const steps = isOpen ? [payCall, { text: 'Paid.' }] : [{ text: 'Hello.' }]
  const before = agentFor({ steps }, storage)
  const { conversation } = showChat(before)
  const run = conversation.send('Pay')
  if (isOpen) await until(() => conversation.getSnapshot().pending.length)
  else await run.result
  await before.dispose()
  return showChat(agentFor({ steps: [{ text: 'Again.' }] }, storage))
}

test('a message sent while the conversation loads reaches the run it finds open', async () => {
  const { conversation, actions } = await found({ isOpen: true })
  expect(conversation.getSnapshot().status).toBe('loading')
  expect(actions.send('In blue')).toBe(true)
  await until(() => conversation.getSnapshot().queued.length)
  expect(conversation.getSnapshot().queued).toMatchObject([{ parts: [{ text: 'In blue' }] }])
})

test('a message sent while the conversation loads starts a run when none is open', async () => {
  const { conversation, actions } = await found({ isOpen: false })
  expect(conversation.getSnapshot().status).toBe('loading')
  expect(actions.send('In blue')).toBe(true)
  await until(() => conversation.getSnapshot().messages.length === 4)
  expect(conversation.getSnapshot().messages.at(-1)).toMatchObject({ parts: [{ text: 'Again.' }] })
})

test('an edited message keeps its files', async () => {
  const file: FilePart = {
    type: 'file',
    mediaType: 'text/plain',
    data: 'aGk=',
    filename: 'a.txt',
  }
  const { conversation, actions, local } = showChat(agentFor({ fallback: [{ text: 'One.' }] }))
  actions.send('Look', [file])
  await until(() => conversation.getSnapshot().messages.length === 2)
  await until(() => conversation.getSnapshot().status === 'idle')
  const [message] = conversation.getSnapshot().messages
  local.set(editKey(message!), 'Look again')
  actions.edit(message!, 'Look again')
  await until(() => conversation.getSnapshot().messages[0]?.id !== message!.id)
  const { parts } = conversation.getSnapshot().messages[0] ?? {}
  expect(parts).toMatchObject([{ type: 'text', text: 'Look again' }, file])
})

test('a message does not ask about a card of another conversation', async () => {
  const agent = agentFor({ steps: [payCall, { text: 'Hello.' }] })
  const first = showChat(agent, 'c1')
  first.conversation.send('Pay')
  await until(() => first.conversation.getSnapshot().pending.length)
  const { conversation, local, actions } = showChat(agent, 'c2')
  // The page has just put `c2` on view: the card of `c1` is still drawn.
  const [call] = first.conversation.getSnapshot().pending
  local.set('about', { call: { ...call, conversationId: 'c1' }, placeholder: 'Ask about “pay”…' })
  actions.send('Hello')
  await until(
    () => conversation.getSnapshot().messages.length > 0 || local.get(problemKey('composer')),
  )
  expect(local.get(problemKey('composer'))).toBeUndefined()
  expect(conversation.getSnapshot().messages[0]).toMatchObject({ parts: [{ text: 'Hello' }] })
})
