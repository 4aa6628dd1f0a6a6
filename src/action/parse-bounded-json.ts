import type { JsonValue } from '../protocol/json.ts'

/** Deeper than any tool's input, and less than what a call stack takes. */
const MAX_DEPTH = 500

/** The parsed text; undefined when it isn't JSON, or is nested too deep to be walked through. */
export function parseBoundedJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return isTooDeep(text) ? undefined : value
  } catch {
    return undefined
  }
}

function isTooDeep(json: string): boolean {
  let depth = 0
  for (const [sign] of json.matchAll(/"(?:\\.|[^"\\])*"|[[{}\]]/g)) {
    if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}
