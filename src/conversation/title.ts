import type { UserContent } from '../protocol/fact.ts'
import type { ConversationState } from '../protocol/state.ts'

const TITLE_LENGTH = 60

/** The beginning of what the person wrote; null where that is no text. */
export function titleOf(parts: UserContent['parts']): string | null {
  const text = parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (text === '') return null
  const points = Array.from(text.slice(0, TITLE_LENGTH * 2))
  return points.length > TITLE_LENGTH ? `${points.slice(0, TITLE_LENGTH - 1).join('')}…` : text
}

/** Of the first message of the person's on the path that is a text. Only a whole state knows. */
export function ownTitle({ path }: Pick<ConversationState, 'path'>): string | null {
  for (const { kind, message } of path) {
    const title = kind === 'user' && message.role === 'user' ? titleOf(message.parts) : null
    if (title !== null) return title
  }
  return null
}
