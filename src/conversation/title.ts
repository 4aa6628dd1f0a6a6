import type { UserContent } from '../protocol/fact.ts'
import type { ConversationState } from '../protocol/state.ts'

const TITLE_LENGTH = 60
/** Maximum of characters read for a title. Reading all of a message can take seconds (26 MB in 400 000 parts: 3 s). */
const MOST_READ = 1000

/** Title from the beginning of a person's message. Null if it has no text. */
export function titleOf(parts: UserContent['parts']): string | null {
  let beginning = ''
  for (const part of parts)
    if (part.type === 'text' && beginning.length < MOST_READ)
      beginning = `${beginning} ${part.text.trimStart().slice(0, MOST_READ)}`.trimStart()
  const text = beginning.replace(/\s+/g, ' ').trim()
  if (text === '') return null
  const codePoints = Array.from(text)
  if (codePoints.length <= TITLE_LENGTH) return text
  const cutText = codePoints.slice(0, TITLE_LENGTH - 1).join('')
  return `${text.slice(0, characterBoundary(text, cutText.length)) || cutText}…`
}

/** The last position up to `end` that cuts no accent from its letter and splits no emoji. */
function characterBoundary(text: string, end: number): number {
  // Older browsers have no `Intl.Segmenter`.
  if (!('Segmenter' in Intl)) return end
  return new Intl.Segmenter().segment(text).containing(end)?.index ?? end
}

/** Title from the person's first message with text. Needs a complete state, not a windowed one. */
export function titleFromMessages({ path }: Pick<ConversationState, 'path'>): string | null {
  for (const { kind, message } of path) {
    const title = kind === 'user' && message.role === 'user' ? titleOf(message.parts) : null
    if (title !== null) return title
  }
  return null
}
