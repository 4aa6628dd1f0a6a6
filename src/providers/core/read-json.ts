import { isRecord } from '../../lib/is-record.ts'
import type { JsonObject } from '../../protocol/json.ts'

/** An object of unknown shape: what parsed JSON is until it has been looked at. */
export type JsonRecord = { readonly [key: string]: unknown }

/** The value when it is an object, arrays excepted. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined
}

const NOTHING: readonly unknown[] = []

/** The value when it is an array; else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NOTHING
}

/** The objects of a list; other entries are left out. */
export function asObjects(value: unknown): JsonObject[] {
  return asList(value).filter((entry): entry is JsonObject => asRecord(entry) !== undefined)
}

/** The value when it is a string with at least one character. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A count: a finite number of zero or more, also when it was sent as a string. */
export function asCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined
}

/** Deeper values aren't stored, and would overflow the stack of whoever walks through them. */
const MAX_DEPTH = 100

/** The parsed text, or undefined when it isn't JSON, or too deep. (`undefined` is no JSON value.) */
export function parseJson(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

/** Whole strings, and brackets. */
const TOKENS = /"[^"\\]*(?:\\[^][^"\\]*)*"|[[\]{}]/g

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
