/** Deeper than any real data. */
const MAX_DEPTH = 100

/** More values than any real data. An object referenced several times counts each time, as in its JSON text. */
const MAX_VALUES = 2_000_000

/**
 * Whether a value is JSON of a limited size. Values from messages or IndexedDB can also be dates, maps, buffers and
 * cyclic objects.
 */
export function isJson(value: unknown): boolean {
  return isBounded(value, 0, { values: MAX_VALUES })
}

function isBounded(value: unknown, depth: number, budget: { values: number }): boolean {
  budget.values -= 1
  if (budget.values < 0) return false
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      if (depth === MAX_DEPTH || !isPlain(value)) return false
      return Object.values(value).every((each) => isBounded(each, depth + 1, budget))
    default:
      return false
  }
}

function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}
