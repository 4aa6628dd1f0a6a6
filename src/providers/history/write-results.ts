import type { TextPart, ToolOutput, ToolResultPart } from '../../protocol/message.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { DENIED, DENIED_WHY, errorWords } from './read-results.ts'
import { otherForeign, type Target } from './extension.ts'

/** Writes a result as text. `errors`: whether the format marks errors, or the text has to say so. */
export function resultText(
  output: Exclude<ToolOutput, { readonly type: 'content' }>,
  errors: 'marked' | 'in-words',
): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'json':
      return JSON.stringify(output.value)
    case 'error':
      return errors === 'marked' ? output.message : errorWords(output.code) + output.message
    case 'denied':
      return output.reason === undefined ? DENIED : DENIED_WHY + output.reason
    default:
      return output satisfies never
  }
}

/** Extension fields for everything that the result's text can't express. */
export function resultExtension(
  { output, note, foreign }: ToolResultPart,
  target: Target,
): { readonly [name: string]: JsonValue | undefined } {
  return { note, ...meaning(output, target), ...otherForeign(foreign, target) }
}

function meaning(
  output: ToolOutput,
  { shape }: Target,
): { readonly output?: string; readonly code?: string } {
  switch (output.type) {
    case 'text':
      return {}
    case 'json':
    case 'denied':
      return { output: output.type }
    case 'error':
      return shape === 'anthropic' && output.code === 'failed'
        ? {}
        : { output: 'error', code: output.code }
    case 'content': {
      const [first] = output.value
      return output.value.length === 1 && first && isBare(first) ? { output: output.type } : {}
    }
    default:
      return output satisfies never
  }
}

function isBare(part: ToolOutput | TextPart | { readonly type: 'file' }): boolean {
  return part.type === 'text' && !('foreign' in part && part.foreign)
}
