/** Version of the shared values. Copies of the package with different versions don't share them. */
const VERSION = 1

/**
 * Returns a value shared by all copies of the package on the page (`offstage` and `offstage/testing`, or a hot reload).
 * The first call creates it. `realm`: the window that holds the value, if frames share it.
 */
export function getPageSingleton<Value>(
  name: string,
  make: () => Value,
  realm: typeof globalThis = globalThis,
): Value {
  const values = realm as { [key: symbol]: unknown }
  return (values[keyOf(name)] ??= make()) as Value
}

/** Removes the value, so that the next call of `getPageSingleton` creates a new one. */
export function deletePageSingleton(name: string): void {
  delete (globalThis as { [key: symbol]: unknown })[keyOf(name)]
}

function keyOf(name: string): symbol {
  return Symbol.for(`offstage.${name}.${VERSION}`)
}
