import { isInexact, JSON_TOKENS } from '../lib/exact-numbers.ts'
import type { JsonValue } from '../protocol/json.ts'

/** Deeper than any tool's input, but safe for recursion. */
const MAX_DEPTH = 500

/**
 * Parses JSON; undefined when the text isn't JSON, repeats a key, or is nested too deeply. Numbers that a double
 * would round become texts. They stay exact where a tool takes text, and are refused where it takes numbers.
 */
export function parseBoundedJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(quoteInexact(text)) as JsonValue
    return isSound(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether nesting is within the limit and no key is repeated. `JSON.parse` would silently keep the last. */
function isSound(json: string): boolean {
  const keys: Set<string>[] = []
  for (const [sign, key] of json.matchAll(/("(?:\\.|[^"\\])*")\s*:|"(?:\\.|[^"\\])*"|[[{}\]]/g)) {
    if (key !== undefined) {
      const known = keys.at(-1)
      const name = JSON.parse(key) as string
      if (known?.has(name)) return false
      known?.add(name)
    } else if (sign === '[' || sign === '{') keys.push(new Set())
    else if (sign === ']' || sign === '}') keys.pop()
    if (keys.length > MAX_DEPTH) return false
  }
  return true
}

/** Puts quotes around numbers that parsing would round. */
function quoteInexact(json: string): string {
  return json.replace(JSON_TOKENS, (token) => (isInexact(token) ? `"${token}"` : token))
}
