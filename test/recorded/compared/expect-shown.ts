import { expect } from 'vitest'
import type { Message } from '../../../src/protocol/message.ts'
import type { Recording } from '../recording.ts'

/** Two tabs that don't know of each other: the one that came last shows what was stored when it ended. */
const LATER_ELSEWHERE = 'another tab begins a run after the end'

/** At the end the newest view of each stored conversation shows all that is stored of it for people. */
export function expectStoredIsShown(
  scenario: string,
  { conversations, snapshots }: Recording,
): void {
  if (scenario === LATER_ELSEWHERE) return
  for (const [conversationId, { stored }] of Object.entries(conversations)) {
    const views = Object.keys(snapshots).filter((view) => view.endsWith(`/${conversationId}`))
    const shown = snapshots[views.toSorted(byAgent).at(-1) ?? '']?.at(-1)?.messages
    const messages = shown?.map(({ calls: _calls, at: _at, ...message }) => message)
    if (messages) expect(messages).toEqual(stored?.messages.filter(isForPeople))
  }
}

function byAgent(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true })
}

function isForPeople(message: Message): boolean {
  return message.parts.length > 0 && !(message.role === 'user' && message.synthetic)
}
