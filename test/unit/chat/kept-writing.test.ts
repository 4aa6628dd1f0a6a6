import { expect, test } from 'vitest'
import { editKey, inputKey } from '../../../src/ui/chat/local-keys.ts'
import { DraftStore } from '../../../src/ui/chat/draft-store.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'
import type { PersistentStorage } from '../../../src/ui/chat/persistent-storage.ts'
import { markBeingSent } from '../../../src/ui/chat/unsent-texts.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import type { ConversationSnapshot } from '../../../src/index.ts'
import { UNFINISHED_REASONS } from '../../../src/protocol/run.ts'
import { until } from '../client/fake-worker.ts'
import { agentFor, showChat } from './chat-stage.ts'

function storage(): PersistentStorage {
  const values = new Map<string, string>()
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void (value === null ? values.delete(name) : values.set(name, value)),
  }
}

const WAITING: ConversationSnapshot = {
  ...emptySnapshot('c1', 'waiting'),
  runId: 'r1',
  pending: [{ toolCallId: 't1', toolName: 'pay', input: {}, kind: 'approval' }],
}
const KEY = inputKey({ conversationId: 'c1', toolCallId: 't1' })

/** A page that shows the conversation, with what the one before it kept. */
function page(memory: PersistentStorage) {
  const local = createLocalState(() => {})
  const writing = new DraftStore(() => memory)
  writing.restore(local, 'c1')
  return {
    local,
    keep: (snapshot: ConversationSnapshot) => writing.save({ local, snapshot }),
    keepOnItsWay: () => writing.keepSending(local, 'c1'),
    restore: () => writing.restore(local, 'c1'),
  }
}

test('an edited input survives a reload until its run ends', () => {
  const memory = storage()
  const first = page(memory)
  first.local.set(KEY, '{ "sku": ')
  first.local.set('draft', 'Half a sen')
  first.keep(WAITING)
  const second = page(memory)
  expect(second.local.get(KEY)).toBe('{ "sku": ')
  expect(second.local.get('draft')).toBe('Half a sen')
  // The conversation is loaded before its pending calls are known.
  second.keep(emptySnapshot('c1', 'loading'))
  second.keep({ ...WAITING, pending: [] })
  expect(page(memory).local.get(KEY)).toBe('{ "sku": ')
  second.keep(emptySnapshot('c1', 'idle'))
  expect(page(memory).local.get(KEY)).toBeUndefined()
})

test('a message being sent survives a reload and returns to the draft once', () => {
  const memory = storage()
  const first = page(memory)
  const arrived = markBeingSent(first.local, 'c1', 'Sent')
  first.keepOnItsWay()
  first.local.set('draft', 'Half a sen')
  first.keep(emptySnapshot('c1', 'loading'))
  expect(page(memory).local.get('draft')).toBe('Sent\n\nHalf a sen')
  // The text is restored only once.
  expect(page(memory).local.get('draft')).toBe('Half a sen')
  arrived()
  first.keepOnItsWay()
  expect(page(memory).local.get('draft')).toBe('Half a sen')
})

test('a delivered message is not restored, even after switching conversations', () => {
  const memory = storage()
  const first = page(memory)
  const arrived = markBeingSent(first.local, 'c1', 'Sent')
  first.keepOnItsWay()
  first.keep(emptySnapshot('c2', 'idle'))
  first.restore()
  expect(first.local.get('draft')).toBeUndefined()
  arrived()
  first.keepOnItsWay()
  expect(page(memory).local.get('draft')).toBeUndefined()
})

test('an edited input survives the disposal of the agent that showed its call', () => {
  const memory = storage()
  const first = page(memory)
  first.local.set(KEY, '{ "sku": ')
  first.keep(WAITING)
  const ended = { runId: 'r1', outcome: 'aborted', reason: UNFINISHED_REASONS.disposed } as const
  first.keep({ ...emptySnapshot('c1', 'idle'), ended })
  expect(page(memory).local.get(KEY)).toBe('{ "sku": ')
  first.keep({ ...emptySnapshot('c1', 'idle'), ended: { ...ended, reason: 'enough' } })
  expect(page(memory).local.get(KEY)).toBeUndefined()
})

test('a cancelled edit is not kept', () => {
  const memory = storage()
  const first = page(memory)
  first.local.set(KEY, '{}')
  first.keep(WAITING)
  first.local.set(KEY, undefined)
  first.keep(WAITING)
  expect(page(memory).local.get(KEY)).toBeUndefined()
})

test('a message edit survives reloads, also while loading and on a left branch', () => {
  const memory = storage()
  const idle: ConversationSnapshot = {
    ...emptySnapshot('c1', 'idle'),
    messages: [{ id: 'm1', role: 'user', at: 1, parts: [{ type: 'text', text: 'One' }] }],
  }
  const [key, elsewhere] = [editKey({ id: 'm1' }), editKey({ id: 'm9' })]
  const first = page(memory)
  first.local.set(key, 'One, and')
  // An edit of a message in another conversation that this element has shown.
  first.local.set(elsewhere, 'Nine')
  first.keep(idle)
  first.keep({ ...idle, messages: [] })
  const second = page(memory)
  expect(second.local.get(key)).toBe('One, and')
  expect(second.local.get(elsewhere)).toBeUndefined()
  second.keep(emptySnapshot('c1', 'loading'))
  expect(page(memory).local.get(key)).toBe('One, and')
  second.keep(idle)
  second.local.set(key, undefined)
  second.keep(idle)
  expect(page(memory).local.get(key)).toBeUndefined()
})

test('invalid stored values from other code restore nothing', () => {
  const memory = storage()
  memory.setItem('inputs:c1', JSON.stringify({ draft: 'x', [KEY]: 7, list: true }))
  const { local } = page(memory)
  for (const key of ['draft', KEY, 'list']) expect(local.get(key)).toBeUndefined()
  memory.setItem('inputs:c1', '{')
  expect(page(memory).local.get(KEY)).toBeUndefined()
})

test('a sent edit is removed, even when another conversation is shown first', async () => {
  const memory = storage()
  const writing = new DraftStore(() => memory)
  const { conversation, local, actions } = showChat(
    agentFor({ steps: [{ text: 'Hello.' }], fallback: [{ text: 'Again.' }] }),
    'c1',
    (...edit) => writing.forgetEdit(...edit),
  )
  writing.restore(local, 'c1')
  await conversation.send('One').result
  await until(() => conversation.getSnapshot().messages.length === 2)
  const [message] = conversation.getSnapshot().messages
  if (!message) throw new Error('Nothing was sent.')
  const key = editKey(message)
  local.set(key, 'Two')
  local.set(editKey({ id: 'm9' }), 'Nine')
  memory.setItem('edits:c1', JSON.stringify({ [editKey({ id: 'm9' })]: 'Nine' }))
  writing.restore(local, 'c1')
  writing.save({ local, snapshot: conversation.getSnapshot() })
  expect(page(memory).local.get(key)).toBe('Two')
  actions.edit(message, 'Two')
  expect(local.get(key)).toBe('Two')
  writing.restore(local, 'c2')
  writing.save({ local, snapshot: emptySnapshot('c2', 'idle') })
  await until(() => local.get(key) === undefined)
  const later = page(memory)
  expect(later.local.get(key)).toBeUndefined()
  // Another one of that conversation is.
  expect(later.local.get(editKey({ id: 'm9' }))).toBe('Nine')
})
