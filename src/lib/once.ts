/** Computes a value on the first call, and returns the same one on every later call. */
/* @__NO_SIDE_EFFECTS__ */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => (made ??= { value: make() }).value
}

/**
 * A regular expression that is built on the first call. `new RegExp` of a large table takes milliseconds, which a module
 * would cost every page that imports it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function lazyPattern(sourceOf: () => string, flags?: string): () => RegExp {
  return once(() => new RegExp(sourceOf(), flags))
}
