/** Copies of the package that share it agree on its shapes; another shape takes another number. */
const SHAPES = 1

/**
 * One value of the page, which a second copy of the package (`offstage` beside `offstage/testing`, or a hot reload)
 * finds where the first has put it. `realm`: the window that holds it, where frames share it.
 */
export function pageWide<Value>(
  name: string,
  make: () => Value,
  realm: typeof globalThis = globalThis,
): Value {
  const holder = realm as { [key: symbol]: unknown }
  return (holder[keyOf(name)] ??= make()) as Value
}

/** The next call of `pageWide` makes a new one. */
export function forgetPageWide(name: string): void {
  delete (globalThis as { [key: symbol]: unknown })[keyOf(name)]
}

function keyOf(name: string): symbol {
  return Symbol.for(`offstage.${name}.${SHAPES}`)
}
