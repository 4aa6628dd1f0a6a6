/** Computes a value on the first call, and returns the same value on every later call. */
/* @__NO_SIDE_EFFECTS__ */
export function once<Value>(make: () => Value): () => Value {
  let cached: { readonly value: Value } | null = null
  return () => (cached ??= { value: make() }).value
}

/**
 * Builds a regular expression on the first call. `new RegExp` for a large table takes milliseconds, and many pages that
 * import the module never need it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function lazyPattern(sourceOf: () => string, flags?: string): () => RegExp {
  return once(() => new RegExp(sourceOf(), flags))
}
