import { withoutHidden } from '../lib/invisible.ts'
import { isRecord } from '../lib/shape.ts'

/**
 * What a page's tool returned, for the model: JSON or text without invisible characters, cut to a number of
 * characters. Throws what a tool says went wrong, in the form of MCP (`isError`).
 */
export function readResult(result: unknown, maxCharacters: number): unknown {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
  if (text.length > maxCharacters) return cut(text, maxCharacters)
  const value = parsed(text)
  if (!isContent(value)) return value
  const said = value.content.map(partText).join('\n')
  if (value.isError === true) throw new Error(`The page's tool failed: ${said}`)
  return said
}

function cut(text: string, limit: number): string {
  const head = withoutHidden(text.slice(0, limit))
  return `${head}\n[truncated: these are the first ${limit} of ${text.length} characters]`
}

/** Of a text, Chromium says nothing of what it was: JSON of an object, or a text that looks like it. */
function parsed(text: string): unknown {
  try {
    // Once more as JSON: what is written as an escape is a character then.
    return JSON.parse(withoutHidden(JSON.stringify(JSON.parse(text))))
  } catch {
    return withoutHidden(text)
  }
}

/** A result as MCP servers give it, which many pages' tools return. */
interface Content {
  readonly content: readonly unknown[]
  readonly isError?: unknown
}

function isContent(value: unknown): value is Content {
  return isRecord(value) && Array.isArray(value['content']) && value['content'].every(isPart)
}

function isPart(part: unknown): part is { readonly type: string; readonly text?: unknown } {
  return isRecord(part) && typeof part['type'] === 'string'
}

function partText(part: unknown): string {
  if (!isPart(part)) return ''
  return part.type === 'text' && typeof part.text === 'string' ? part.text : `[${part.type}]`
}
