/** Deeper than anything that is meant. */
const MAX_DEPTH = 500

/**
 * A copy that later changes to the value don't reach: of lists and plain objects, all the way down. What else is in them
 * (files, dates, instances) stays what it is. What holds itself does so in the copy, too.
 */
export function copyPlain<Value>(value: Value): Value {
  return copied(value, new Map(), 0) as Value
}

function copied(value: unknown, copies: Map<object, object>, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value
  const known = copies.get(value)
  if (known) return known
  if (Array.isArray(value)) {
    const list: unknown[] = []
    copies.set(value, list)
    for (const each of value) list.push(copied(each, copies, depth + 1))
    return list
  }
  if (!isPlain(value)) return value
  const record = {}
  copies.set(value, record)
  for (const [name, each] of Object.entries(value))
    // A name like `__proto__` is one like others.
    Object.defineProperty(record, name, {
      value: copied(each, copies, depth + 1),
      configurable: true,
      enumerable: true,
      writable: true,
    })
  return record
}

/** Of whatever frame. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
