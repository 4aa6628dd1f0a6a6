import { withoutHidden } from '../lib/invisible.ts'
import { isRecord } from '../lib/shape.ts'
import { visibleData } from '../lib/visible-data.ts'
import { describeThrown } from '../protocol/error.ts'

/**
 * What a page's tool returned, for the model: JSON or text without invisible characters, cut to a number of
 * characters. Throws what a tool says went wrong, in the form of MCP (`isError`): that is read before anything is cut.
 */
export function readResult(result: unknown, maxCharacters: number): unknown {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
  const value = parsed(text)
  const said = isContent(value) ? value.content.map(partText).join('\n') : value
  if (isRecord(value) && value['isError'] === true)
    throw new Error(`The page's tool failed: ${cut(textOf(said), maxCharacters)}`)
  const whole = textOf(said)
  return whole.length > maxCharacters ? cut(whole, maxCharacters) : said
}

/** What a page's tool threw: its words only, visible and cut. */
export function readFailure(thrown: unknown, maxCharacters: number): Error {
  return new Error(cut(withoutHidden(describeThrown(thrown)), maxCharacters))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit)}\n[truncated: these are the first ${limit} of ${text.length} characters]`
}

/** Of a text, Chromium says nothing of what it was: JSON of an object, or a text that looks like it. */
function parsed(text: string): unknown {
  try {
    return visibleData(JSON.parse(text))
  } catch {
    return withoutHidden(text)
  }
}

/** A result as MCP servers give it, which many pages' tools return. */
interface Content {
  readonly content: readonly unknown[]
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
