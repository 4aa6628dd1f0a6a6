import { describeThrown } from '../protocol/error.ts'
import type { CallErrorCode, ToolOutput } from '../protocol/message.ts'
import type { JsonValue } from '../protocol/json.ts'
import { isFileLike } from './file-like.ts'
import { loadPart } from './load-part.ts'
import { stringify } from './stringify.ts'

const MAX_CHARACTERS = 100_000

export function errorOutput(code: CallErrorCode, message: string): ToolOutput {
  return { type: 'error', code, message: truncate(message) }
}

/**
 * Converts a tool's result to the output for the model. Never rejects: a result that can't be sent becomes an error
 * output.
 */
export async function formatOutput(value: unknown): Promise<ToolOutput> {
  try {
    if (value === undefined) return { type: 'text', value: 'Done. The tool returned nothing.' }
    let isContent = Array.isArray((value as { readonly content?: unknown } | null)?.content)
    const json = stringify(value, (raw) => {
      if (!isFileLike(raw)) return false
      isContent = true
      return ''
    })
    if (isContent) {
      const content = await (await loadPart(() => import('./file-output.ts'))).contentOutput(value)
      if (content) return content
    }
    if (typeof value === 'string') return { type: 'text', value: truncate(value) }
    if (json === undefined)
      return errorOutput(
        'failed',
        `The tool returned a ${typeof value}, which can't be sent to a model. Return plain data.`,
      )
    return json.length > MAX_CHARACTERS
      ? { type: 'text', value: truncate(json) }
      : { type: 'json', value: JSON.parse(json) as JsonValue }
  } catch (thrown) {
    return errorOutput('failed', `The tool's result can't be sent: ${describeThrown(thrown)}`)
  }
}

/** Cuts a text that is too long, and notes in it how much is missing. */
export function truncate(text: string): string {
  return text.length > MAX_CHARACTERS
    ? `${text.slice(0, MAX_CHARACTERS)}\n[truncated: these are the first ${MAX_CHARACTERS} of ${text.length} characters]`
    : text
}
