import type { UserContent } from '../protocol/fact.ts'
import type { ConversationState } from '../protocol/state.ts'

const TITLE_LENGTH = 60
/** Characters that are read for a title. Reading 26 MB of words in 400 000 parts takes 3 s. */
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

/** The last place up to `end` where no character is cut: an accent from its letter, an emoji from its parts. */
function characterBoundary(text: string, end: number): number {
  // Older browsers have no `Intl.Segmenter`.
  if (!('Segmenter' in Intl)) return end
  return new Intl.Segmenter().segment(text).containing(end)?.index ?? end
}

/** Title from the person's first message with text. Needs a whole state, not a windowed one. */
export function titleFromMessages({ path }: Pick<ConversationState, 'path'>): string | null {
  for (const { kind, message } of path) {
    const title = kind === 'user' && message.role === 'user' ? titleOf(message.parts) : null
    if (title !== null) return title
  }
  return null
}
