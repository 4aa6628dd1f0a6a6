import { asRecord } from './read-json.ts'

/** Invalid anywhere in JSON: a text with it never parses, so no call runs on it. */
const UNREADABLE = '\u001a'

/** Returns a delta's arguments as text: a piece of the text, or an object sent instead. */
export function asArguments(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  const text = plainJson(value)
  return asRecord(value) && text !== undefined ? text : UNREADABLE + (text ?? '')
}

/** Does the same for a piece that can't be an object. */
export function asPiece(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : UNREADABLE
}

/** Returns the value as JSON; undefined if it is too deep, or has a number that parsing may have rounded. */
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
