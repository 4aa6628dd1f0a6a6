/** Deeper than any reasonable input. */
const MAX_DEPTH = 500

/**
 * Copies lists and plain objects deeply, so that later changes to the value don't affect the copy. Other values inside
 * (files, dates, instances) are shared with the original. Circular references stay circular.
 */
export function copyPlain<Value>(value: Value): Value {
  return copyValue(value, new Map(), 0) as Value
}

function copyValue(value: unknown, copies: Map<object, object>, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value
  const existing = copies.get(value)
  if (existing) return existing
  if (Array.isArray(value)) {
    const list: unknown[] = []
    copies.set(value, list)
    for (const each of value) list.push(copyValue(each, copies, depth + 1))
    return list
  }
  if (!isPlain(value)) return value
  const record = {}
  copies.set(value, record)
  for (const [name, each] of Object.entries(value))
    // Unlike an assignment, this copies a key named `__proto__` as data.
    Object.defineProperty(record, name, {
      value: copyValue(each, copies, depth + 1),
      configurable: true,
      enumerable: true,
      writable: true,
    })
  return record
}

/** Recognizes plain objects of any frame. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
