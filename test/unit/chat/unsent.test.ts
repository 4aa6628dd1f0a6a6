import { describe, expect, test } from 'vitest'
import { getAttachments } from '../../../src/ui/chat/attachments.ts'
import { editKey, problemKey } from '../../../src/ui/chat/local-keys.ts'
import {
  restoreUnsent,
  prependToDraft,
  unsentMessage,
  unsentText,
} from '../../../src/ui/chat/unsent-texts.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import type { FilePart } from '../../../src/index.ts'
import { until } from '../client/fake-worker.ts'
import { agentFor, payCall, showChat } from './chat-stage.ts'

const FILE: FilePart = { type: 'file', mediaType: 'text/plain', data: 'aGk=', filename: 'a.txt' }

describe('an edit of a message', () => {
  /** A message that was answered, and is being edited. */
  async function edited() {
    const agent = agentFor({ steps: [{ text: 'One.' }] })
    const chat = showChat(agent)
    await chat.conversation.send('First').result
    await until(() => chat.conversation.getSnapshot().status === 'idle')
    const [message] = chat.conversation.getSnapshot().messages
    if (!message) throw new Error('There is no message.')
    chat.local.set(editKey(message), 'Edited')
    return { ...chat, agent, message, key: editKey(message) }
  }

  test('keeps its text when it is refused, and shows the reason', async () => {
    const { agent, conversation, actions, local, message, key } = await edited()
    // Something else began meanwhile, as in another tab.
    agent.configure({
      model: { provider: 'scripted', model: 'm', script: { steps: [payCall] } },
    })
    agent.run('Pay', { conversationId: 'c1' })
    await until(() => conversation.getSnapshot().pending.length)
    actions.edit(message, 'Edited')
    await until(() => local.get(problemKey(message.id)))
    expect(local.get(key)).toBe('Edited')
    expect(local.get(problemKey(message.id))).toBe(
      'Your message wasn’t sent. The chat is busy. Try again soon.',
    )
  })

  test('closes once it has started a branch, and is sent once despite repeated presses', async () => {
    const { conversation, actions, local, message, key } = await edited()
    actions.edit(message, 'Edited')
    actions.edit(message, 'Edited')
    expect(local.get(key)).toBe('Edited')
    await until(() => local.get(key) === undefined)
    await until(() => conversation.getSnapshot().messages.length === 2)
    const [branch] = Object.values(conversation.getSnapshot().branches)
    expect(branch).toMatchObject({ index: 1, ids: [expect.any(String), expect.any(String)] })
    expect(local.get(problemKey(message.id))).toBeUndefined()
  })
})

describe('a refused message', () => {
  test('returns to the input with files and reason, and stays there after another run', async () => {
    const agent = agentFor({ steps: [payCall, { text: 'Thanks.' }] }, undefined, { maxSteps: 0 })
    const { conversation, actions, local, draft } = showChat(agent)
    expect(await conversation.send('Pay').result).toMatchObject({ outcome: 'waiting' })
    await until(() => conversation.getSnapshot().pending.length)
    actions.send('Stop it', [FILE])
    local.set('draft', undefined)
    await until(() => draft())
    expect(draft()).toBe('Stop it')
    expect(getAttachments(local, 'c1')).toEqual([FILE])
    expect(local.get(problemKey('composer'))).toMatch(
      /^Your message wasn’t sent\. These calls wait/,
    )
    const [call] = conversation.getSnapshot().pending
    const next = await agent.supplyOutput(call!, 'paid')
    await next?.result
    await until(() => conversation.getSnapshot().status === 'idle')
    expect(draft()).toBe('Stop it')
  })

  test('is sent after the answer when the answer does not wait for it', async () => {
    const agent = agentFor({ paceMs: 20, steps: [{ text: 'One. '.repeat(20) }, { text: 'Two.' }] })
    const { conversation, actions, draft } = showChat(agent)
    void conversation.send('First')
    await until(() => conversation.getSnapshot().messages.length === 2)
    actions.send('And a question')
    await until(() => conversation.getSnapshot().queued.length === 1)
    const textsOf = () =>
      conversation
        .getSnapshot()
        .messages.flatMap(({ role, parts }) =>
          parts.flatMap((part) => (part.type === 'text' ? `${role}: ${part.text}` : [])),
        )
    await until(() => textsOf().some((text, at) => at === 3 && text.startsWith('assistant: One.')))
    expect(textsOf()[2]).toBe('user: And a question')
    expect(draft()).toBeUndefined()
  })

  test('can be taken back with its files when the answer is stopped', async () => {
    const agent = agentFor({ paceMs: 20, steps: [{ text: 'One. '.repeat(400) }] })
    const { conversation, actions } = showChat(agent)
    void conversation.send('First')
    await until(() => conversation.getSnapshot().messages.length === 2)
    actions.send('And a question', [FILE])
    await until(() => conversation.getSnapshot().queued.length === 1)
    actions.stop()
    await until(() => conversation.getSnapshot().unsent)
    const { parts = [] } = conversation.getSnapshot().unsent ?? {}
    expect(parts).toMatchObject([{ type: 'text', text: 'And a question' }, FILE])
  })

  test('returns to the input after the agent was disposed', async () => {
    const agent = agentFor({ steps: [{ text: 'One.' }] })
    const { conversation, actions, local, draft } = showChat(agent)
    await conversation.send('First').result
    await agent.dispose()
    expect(actions.send('Second', [FILE])).toBe(true)
    // Clears the draft, as the composer does.
    local.set('draft', undefined)
    await until(() => draft())
    expect(draft()).toBe('Second')
    expect(getAttachments(local, 'c1')).toEqual([FILE])
    expect(local.get(problemKey('composer'))).toBe(`${en.unsent} ${en.disposed}`)
  })

  test('returns to the input when the agent is disposed during sending', async () => {
    const agent = agentFor({ steps: [{ text: 'One.' }] })
    const { actions, draft, local } = showChat(agent)
    actions.send('First')
    void agent.dispose()
    await until(() => draft())
    expect(draft()).toBe('First')
    expect(local.get(problemKey('composer'))).toContain(en.disposed)
  })
})

describe('unsent text', () => {
  const returned = { conversationId: 'c1', isOnView: true, text: 'Old' }

  test('does not replace other text, and is kept beside it', () => {
    const local = createLocalState(() => {})
    local.set('draft', 'New')
    restoreUnsent(local, returned)
    expect(local.get('draft')).toBe('New')
    expect(unsentText(local, 'c1')).toBe('Old')
    prependToDraft(local, { conversationId: 'c1', text: 'Old' })
    expect(local.get('draft')).toBe('Old\n\nNew')
    expect(unsentText(local, 'c1')).toBeUndefined()
  })

  test('of two messages comes back with the files of each', () => {
    const local = createLocalState(() => {})
    local.set('draft', 'Half a sen')
    restoreUnsent(local, { ...returned, text: 'First' })
    const unsent = { id: 'm2', parts: [{ type: 'text', text: 'Second' } as const, FILE] }
    for (const message of [
      { text: 'First', files: [] },
      { text: 'Second', files: [FILE] },
    ]) {
      expect(unsentMessage(local, { conversationId: 'c1', unsent })).toEqual(message)
      prependToDraft(local, { conversationId: 'c1', ...message })
    }
    expect(getAttachments(local, 'c1')).toEqual([FILE])
  })

  test('is kept for its conversation when another one is on view', () => {
    const local = createLocalState(() => {})
    restoreUnsent(local, { ...returned, isOnView: false })
    expect(local.get('draft')).toBeUndefined()
    expect(unsentText(local, 'c1')).toBe('Old')
    expect(unsentText(local, 'c2')).toBeUndefined()
  })
})
