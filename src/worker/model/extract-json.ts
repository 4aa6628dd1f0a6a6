import type { JsonValue } from '../../protocol/json.ts'

/**
 * Finds the JSON value in a model's answer: the whole text, a fenced block, or the first balanced object or array in
 * prose that parses. Undefined if there is none.
 */
export function extractJson(text: string): JsonValue | undefined {
  const whole = parse(text)
  if (whole !== undefined) return whole
  for (const [, body = ''] of text.matchAll(FENCED)) {
    const value = parse(body)
    if (value !== undefined) return value
  }
  return firstBalanced(text)
}

const FENCED = /^[ \t]*```[^\n`]*\n([\s\S]*?)^[ \t]*```/gm

function parse(text: string): JsonValue | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  try {
    return JSON.parse(trimmed) as JsonValue
  } catch {
    return undefined
  }
}

/** Scans once: if a balanced bracket doesn't parse, the scan continues after its end, not inside. */
function firstBalanced(text: string): JsonValue | undefined {
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '{' && text[at] !== '[') continue
    const end = balancedEnd(text, at)
    if (end === -1) return undefined
    const value = parse(text.slice(at, end))
    if (value !== undefined) return value
    at = end - 1
  }
  return undefined
}

/** Index after the bracket that closes the one at `start`; -1 when it stays open. */
function balancedEnd(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at += 1
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}
