/**
 * A key in plain data by which code that merges objects can change the prototype of all of them: `__proto__`, or
 * `prototype` within `constructor`. Undefined when there is none, at any depth.
 */
export function unsafeKey(value: unknown): string | undefined {
  // No recursion: data may be nested deeper than a call stack is. The list grows as it is walked through.
  const parts = isObject(value) ? [value] : []
  for (const part of parts) {
    if (Object.hasOwn(part, '__proto__')) return '__proto__'
    const constructor: unknown = Object.hasOwn(part, 'constructor') ? part.constructor : undefined
    if (isObject(constructor) && Object.hasOwn(constructor, 'prototype'))
      return 'constructor.prototype'
    for (const each of Object.values(part)) if (isObject(each)) parts.push(each)
  }
  return undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
