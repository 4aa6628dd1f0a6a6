import type { JsonValue } from './json.ts'

/** Returns the placeholder that is stored instead of a secret value of a call's input. */
export function createPlaceholder(toolCallId: string, count: number): string {
  return `[sealed value ${count} of ${toolCallId}]`
}

/**
 * Returns whether the value is a placeholder for a secret. The secret itself is only in a worker's memory, if anywhere.
 */
export function isPlaceholder(value: unknown): value is string {
  return typeof value === 'string' && /^\[sealed value \d+ of [^]+\]$/.test(value)
}

export function hasPlaceholder(input: JsonValue): boolean {
  return [...leavesOf(input).values()].some(isPlaceholder)
}

/** Excludes booleans and null: with so few values they can be guessed, so hiding them is useless. */
export function canBeSecret(leaf: JsonLeaf | undefined): leaf is string | number {
  return typeof leaf === 'string' || typeof leaf === 'number'
}

export interface SecretValue {
  /** The stored placeholder. */
  readonly placeholder: string
  readonly value: string | number
}

/** Pairs the placeholders in a stored input with the values in the complete input. */
export function sealedValues(sealed: JsonValue, original: JsonValue): SecretValue[] {
  const leaves = leavesOf(original)
  return [...leavesOf(sealed)].flatMap(([pointer, placeholder]) => {
    const value = leaves.get(pointer)
    return isPlaceholder(placeholder) && canBeSecret(value) && value !== placeholder
      ? [{ placeholder, value }]
      : []
  })
}

/** Returns `original` with placeholders at the same positions as in `sealed`. */
export function sealedLike(sealed: JsonValue, original: JsonValue): JsonValue {
  const placeholders = leavesOf(sealed)
  return mapLeaves(original, (leaf, pointer) => {
    const placeholder = placeholders.get(pointer)
    return placeholder !== undefined && isPlaceholder(placeholder) && canBeSecret(leaf)
      ? placeholder
      : leaf
  })
}

type JsonLeaf = string | number | boolean | null

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
