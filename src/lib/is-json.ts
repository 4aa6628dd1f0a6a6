/** Deeper than anything that is meant. */
const MAX_DEPTH = 100

/** A channel carries more than JSON: dates, maps, buffers, and objects that hold themselves. */
export function isJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      if (depth === MAX_DEPTH || !isPlain(value)) return false
      return Object.values(value).every((each) => isJson(each, depth + 1))
    default:
      return false
  }
}

function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}
