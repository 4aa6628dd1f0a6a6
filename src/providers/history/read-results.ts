import type {
  CallErrorCode,
  FilePart,
  TextPart,
  ToolOutput,
  ToolResultPart,
} from '../../protocol/message.ts'
import { parseJson } from '../core/read-json.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { blocksOf, foreignOf, keptOf, requireText, type Placed } from './place.ts'
import { readContent } from './read-content.ts'

/** Start of a denied call's result. */
export const DENIED = 'Denied by the person.'
export const DENIED_WHY = 'Denied by the person: '

/** Start of a failed call's result, for formats that can't mark errors. */
export function errorWords(code: string): string {
  return `Error (${code}): `
}

/**
 * Reads a result: a message with the role `tool`, or a block `tool_result`. `CallMatcher` adds the tool's name later.
 */
export function readResult(
  result: Placed,
  idField: 'tool_call_id' | 'tool_use_id',
): ToolResultPart {
  const { fields } = result
  const { note } = keptOf(result)
  const isMarked = idField === 'tool_use_id'
  const { output, isWhole } = readOutput(result, isMarked)
  const read = ['role', 'type', idField, ...(isWhole ? ['content'] : [])]
  return {
    type: 'tool-result',
    toolCallId: requireText(result, idField),
    toolName: '',
    output,
    ...(typeof note === 'string' && { note }),
    ...foreignOf(result, fields['is_error'] === true ? [...read, 'is_error'] : read),
  }
}

interface ReadOutput {
  readonly output: ToolOutput
  /** The output holds all of the content. */
  readonly isWhole: boolean
}

function readOutput(result: Placed, isMarked: boolean): ReadOutput {
  const { fields, place } = result
  const content = fields['content'] ?? ''
  const parts = blocksOf(content, place).map(readContent)
  const text = textOf(parts)
  const [first] = parts
  const isText = parts.length === 1 && first?.type === 'text' && !first.foreign
  const kept = keptOf(result)
  const isError = fields['is_error'] === true
  const special = keptOutput(kept, text, isMarked)
  if (special) return { output: special, isWhole: isText }
  if (kept['output'] === 'content')
    return { output: { type: 'content', value: parts }, isWhole: true }
  if (isError) return { output: { type: 'error', code: 'failed', message: text }, isWhole: isText }
  return {
    output: isText ? { type: 'text', value: text } : { type: 'content', value: parts },
    isWhole: true,
  }
}

/** Returns the text of an error's content; undefined if it can't be read. */
export function errorText(content: unknown): string | undefined {
  try {
    const place = { at: 'content', field: '', shape: 'anthropic' } as const
    return textOf(blocksOf(content, place).map(readContent))
  } catch {
    return undefined
  }
}

function textOf(parts: readonly (TextPart | FilePart)[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

/** Returns the output that the `offstage` extension declares this text to be; undefined without one. */
function keptOutput(
  { output, code }: { readonly [field: string]: unknown },
  text: string,
  isMarked: boolean,
): ToolOutput | undefined {
  switch (output) {
    case 'json': {
      const value = parseJson(text)
      return value === undefined ? undefined : { type: 'json', value: value as JsonValue }
    }
    case 'error': {
      const known = (code ?? 'failed') as CallErrorCode
      const message = isMarked ? text : without(text, errorWords(known))
      return { type: 'error', code: known, message }
    }
    case 'denied':
      if (text === DENIED) return { type: 'denied' }
      return { type: 'denied', reason: without(text, DENIED_WHY) }
    default:
      return undefined
  }
}

function without(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}
