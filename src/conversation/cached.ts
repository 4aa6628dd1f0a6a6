/** Caches a function's results by its argument, for as long as the argument lives. */
/* @__NO_SIDE_EFFECTS__ */
export function cached<Key extends object, Value extends NonNullable<unknown>>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const cache = new WeakMap<Key, Value>()
  return (key) => {
    const known = cache.get(key)
    if (known !== undefined) return known
    const value = make(key)
    cache.set(key, value)
    return value
  }
}
