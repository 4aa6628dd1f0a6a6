import type { JsonValue } from './json.ts'

export type JsonLeaf = string | number | boolean | null

/** Maps each text, number, boolean and null in a value. `pointer` is its JSON pointer (RFC 6901). */
export function mapLeaves(
  value: JsonValue,
  map: (leaf: JsonLeaf, pointer: string) => JsonValue,
  pointer = '',
): JsonValue {
  if (typeof value !== 'object' || value === null) return map(value, pointer)
  if (Array.isArray(value))
    return value.map((each: JsonValue, index) => mapLeaves(each, map, `${pointer}/${index}`))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      mapLeaves(each, map, `${pointer}/${stepOf(name)}`),
    ]),
  )
}

/** The leaves of a value by their JSON pointers, in order. */
export function leavesOf(value: JsonValue): ReadonlyMap<string, JsonLeaf> {
  const leaves = new Map<string, JsonLeaf>()
  mapLeaves(value, (leaf, pointer) => {
    leaves.set(pointer, leaf)
    return leaf
  })
  return leaves
}

/** Escapes a name for a JSON pointer. */
function stepOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
