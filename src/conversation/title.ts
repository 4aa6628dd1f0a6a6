import type { UserContent } from '../protocol/fact.ts'

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
