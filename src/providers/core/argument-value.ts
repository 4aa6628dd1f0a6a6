import { asRecord } from './read-json.ts'

/** Allowed nowhere in JSON: a text with it never parses, so no call runs by what it holds. */
const UNREADABLE = '\u001a'

/** What a delta holds of a call's arguments, as their text: pieces of it, or an object in place of it. */
export function asArguments(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  const text = finiteJson(value)
  return asRecord(value) && text !== undefined ? text : UNREADABLE + (text ?? '')
}

/** The same for a piece that can't be an object. */
export function asPiece(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : UNREADABLE
}

/** The value as JSON, or undefined when JSON would change it (`1e400` is read as Infinity) or it is too deep. */
export function finiteJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, item: unknown) => {
      if (typeof item === 'number' && !Number.isFinite(item)) throw new RangeError()
      return item
    })
  } catch {
    return undefined
  }
}
