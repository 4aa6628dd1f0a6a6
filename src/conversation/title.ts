import type { UserContent } from '../protocol/fact.ts'
import type { ConversationState } from '../protocol/state.ts'

const TITLE_LENGTH = 60

/** The beginning of what the person wrote; null where that is no text. */
export function titleOf(parts: UserContent['parts']): string | null {
  const text = parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .trim()
    // More words don't fit. Reading all of them takes 12 s for 26 MB of `a a a`.
    .split(/\s+/, TITLE_LENGTH)
    .join(' ')
  if (text === '') return null
  // A title's length and one more, each character of two code units.
  const points = Array.from(text.slice(0, TITLE_LENGTH * 2 + 2))
  if (points.length <= TITLE_LENGTH) return text
  return `${points.slice(0, wholeUntil(points, TITLE_LENGTH - 1)).join('')}…`
}

const JOINING = /^[\p{M}\p{Emoji_Modifier}\u{200d}\u{e0020}-\u{e007f}]/u
const FLAG_HALF = /^\p{Regional_Indicator}/u

/** The last place up to `end` where no character is cut: an accent from its letter, an emoji from its parts. */
function wholeUntil(points: readonly string[], end: number): number {
  const isWithin = (at: number): boolean => {
    const next = points[at] ?? ''
    if (JOINING.test(next) || points[at - 1] === '\u{200d}') return true
    let halves = 0
    while (FLAG_HALF.test(points[at - 1 - halves] ?? '')) halves += 1
    return FLAG_HALF.test(next) && halves % 2 === 1
  }
  let at = end
  while (at > 1 && isWithin(at)) at -= 1
  // Nothing but such marks: no title is lost by a cut.
  return at > 1 ? at : end
}

/** Of the first message of the person's on the path that is a text. Only a whole state knows. */
export function ownTitle({ path }: Pick<ConversationState, 'path'>): string | null {
  for (const { kind, message } of path) {
    const title = kind === 'user' && message.role === 'user' ? titleOf(message.parts) : null
    if (title !== null) return title
  }
  return null
}
