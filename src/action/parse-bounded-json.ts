import { isInexact, JSON_TOKENS } from '../lib/exact-numbers.ts'
import type { JsonValue } from '../protocol/json.ts'

/** Deeper than any tool's input, and less than what a call stack takes. */
const MAX_DEPTH = 500

/**
 * The parsed text; undefined when it isn't JSON, gives a key twice, or is nested too deep to be walked through. Numbers
 * that a double would round are texts: exact where a tool takes text, refused where it takes numbers.
 */
export function parseBoundedJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(quoteInexact(text)) as JsonValue
    return isSound(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** Not too deep, and without a key that is given twice, of which the parser keeps the last. */
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

/** The JSON text with numbers that parsing would round as strings. */
function quoteInexact(json: string): string {
  return json.replace(JSON_TOKENS, (token) => (isInexact(token) ? `"${token}"` : token))
}
