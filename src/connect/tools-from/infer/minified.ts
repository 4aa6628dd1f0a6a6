/** Two-letter names that people write. */
const WORDS = /^(?:id|to|by|at|on|of|up|no|ms|px|kg|cm)$/

/** Whether most names are as short as a minifier's. */
export function looksMinified(names: readonly string[]): boolean {
  return names.filter((name) => name.length <= 2 && !WORDS.test(name)).length > names.length / 2
}
