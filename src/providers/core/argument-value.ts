import { asRecord } from './read-json.ts'

/** Allowed nowhere in JSON: a text with it never parses, so no call runs by what it holds. */
const UNREADABLE = '\u001a'

/** What a delta holds of a call's arguments, as their text: pieces of it, or an object in place of it. */
export function asArguments(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  const text = plainJson(value)
  return asRecord(value) && text !== undefined ? text : UNREADABLE + (text ?? '')
}

/** The same for a piece that can't be an object. */
export function asPiece(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : UNREADABLE
}

/** The value as JSON; undefined when it is too deep, or holds a number that was rounded, perhaps, when it was parsed. */
function plainJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, item: unknown) => {
      if (typeof item === 'number' && !(Math.abs(item) <= Number.MAX_SAFE_INTEGER))
        throw new RangeError()
      return item
    })
  } catch {
    return undefined
  }
}
