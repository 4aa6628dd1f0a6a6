import { expect, test } from 'vitest'
import { whenLoaded } from '../../../src/ui/chat/element.ts'
import type { Conversation } from '../../../src/index.ts'

function conversationOf(status: string) {
  const listeners = new Set<() => void>()
  const state = { status }
  const conversation = {
    getSnapshot: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const become = (next: string): void => {
    state.status = next
    for (const listener of listeners) listener()
  }
  return { conversation: conversation as unknown as Conversation, listeners, become }
}

test('a loading conversation is awaited, and its listener is removed afterwards', async () => {
  const { conversation, listeners, become } = conversationOf('loading')
  let isShown = false
  const shown = whenLoaded(conversation).then(() => (isShown = true))
  become('loading')
  await Promise.resolve()
  expect(isShown).toBe(false)
  become('idle')
  await shown
  expect(listeners.size).toBe(0)
})

test('a loaded conversation is not awaited', async () => {
  const { conversation, listeners } = conversationOf('running')
  await whenLoaded(conversation)
  expect(listeners.size).toBe(0)
})
