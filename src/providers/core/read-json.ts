import { isRecord } from '../../lib/is-record.ts'
import type { JsonObject } from '../../protocol/json.ts'

/** An object of unknown shape, such as parsed JSON before validation. */
export type JsonRecord = { readonly [key: string]: unknown }

/** The value if it is an object but not an array. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined
}

/** The value if it is an object, else an empty object. */
export function asObject(value: unknown): JsonObject {
  return (asRecord(value) ?? {}) as JsonObject
}

const EMPTY: readonly unknown[] = []

/** The value if it is an array, else an empty array. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : EMPTY
}

/** The objects of a list; other entries are left out. */
export function asObjects(value: unknown): JsonObject[] {
  return asList(value).filter((entry): entry is JsonObject => asRecord(entry) !== undefined)
}

/** The value if it is a non-empty string. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A finite number of zero or more, also if it was sent as a string. */
export function asCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined
}

/** Deeper values aren't parsed: recursive code would overflow the stack. */
const MAX_DEPTH = 100

/** The parsed text, or undefined if it isn't JSON or is nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

/**
 * Strings and brackets. Also matches a cut-off string: otherwise each later quote would be tried as the beginning of a
 * string.
 */
const TOKENS = /"[^"\\]*(?:\\[^][^"\\]*)*"?|[[\]{}]/g

function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_DEPTH) return false
  let depth = 0
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '[' || token === '{') depth++
    else if (token.length === 1) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** The fields that have a value. */
export function omitUndefined<Value>(fields: { readonly [name: string]: Value | undefined }): {
  readonly [name: string]: Value
} {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  )
}
