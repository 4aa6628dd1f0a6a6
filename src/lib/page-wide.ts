/** Copies of the package that share it agree on its shapes; another shape takes another number. */
const SHAPES = 1

/**
 * One value of the page, which a second copy of the package (`offstage` beside `offstage/testing`, or a hot reload)
 * finds where the first has put it.
 */
export function pageWide<Value>(name: string, make: () => Value): Value {
  const holder = globalThis as { [key: symbol]: unknown }
  return (holder[Symbol.for(`offstage.${name}.${SHAPES}`)] ??= make()) as Value
}
