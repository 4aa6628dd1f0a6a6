/**
 * Finds a key that allows prototype pollution when objects are merged: `__proto__`, or `prototype` within
 * `constructor`. Searches at any depth. Undefined if the value has no such key.
 */
export function unsafeKey(value: unknown): string | undefined {
  // The list grows during the loop. Recursion would overflow the call stack for deeply nested data.
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
