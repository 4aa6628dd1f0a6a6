import type { JsonValue } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  CallError,
  CallErrorCode,
  FilePart,
  Foreign,
  Message,
  ProviderMetadata,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from '../../protocol/message.ts'
import { asList, asRecord, type JsonRecord } from '../core/read-json.ts'
import { invalidHistory } from './invalid-history.ts'
import { isCallErrorCode } from './kept-fields.ts'
import { readForeign } from './place.ts'

/** A message of Offstage's own, as `conversations.get()` returns them, validated. */
export function fromOffstage(message: JsonRecord, at: string): Message {
  const { role, id } = message
  if (!Array.isArray(message['parts'])) throw invalidHistory(at, 'has no list of parts')
  const parts = message['parts'].map((part: unknown, index) => {
    const fields = asRecord(part)
    if (!fields) throw invalidHistory(`${at}.parts[${index}]`, 'is no part')
    return fields
  })
  const each = <Part>(read: (part: JsonRecord, at: string) => Part): Part[] =>
    parts.map((part, index) => read(part, `${at}.parts[${index}]`))
  const base = { ...(typeof id === 'string' && { id }), ...foreignIn(message) }
  switch (role) {
    case 'system':
      return { role, ...base, parts: each(textPart) }
    case 'user':
      return {
        role,
        ...base,
        parts: each(contentPart),
        ...(message['synthetic'] === true && { synthetic: true }),
      }
    case 'assistant':
      return { role, ...base, parts: each(assistantPart), ...assistantExtras(message) }
    case 'tool':
      return { role, ...base, parts: each(resultPart) }
    default:
      throw invalidHistory(at, `has the role ${JSON.stringify(role)}`)
  }
}

function assistantExtras(message: JsonRecord): Omit<AssistantMessage, 'role' | 'parts'> {
  const metadata = asRecord(message['providerMetadata'])
  const { actionText, partial } = message
  return {
    ...(metadata && { providerMetadata: metadata as ProviderMetadata }),
    ...(typeof actionText === 'string' && { actionText }),
    ...(partial === true && { partial }),
  }
}

function assistantPart(
  part: JsonRecord,
  at: string,
): TextPart | ReasoningPart | FilePart | ToolCallPart {
  switch (part['type']) {
    case 'reasoning':
      return { type: 'reasoning', text: text(part, 'text', at) }
    case 'tool-call':
      return callPart(part, at)
    default:
      return contentPart(part, at)
  }
}

function textPart(part: JsonRecord, at: string): TextPart {
  if (part['type'] !== 'text') throw unknownPart(part, at)
  return { type: 'text', text: text(part, 'text', at), ...foreignIn(part) }
}

function contentPart(part: JsonRecord, at: string): TextPart | FilePart {
  if (part['type'] !== 'file') return textPart(part, at)
  const { filename } = part
  return {
    type: 'file',
    mediaType: text(part, 'mediaType', at),
    data: text(part, 'data', at),
    ...(typeof filename === 'string' && { filename }),
    ...foreignIn(part),
  }
}

function callPart(part: JsonRecord, at: string): ToolCallPart {
  const { providerCallId, rawInput, input, rescued } = part
  const ref = {
    type: 'tool-call',
    toolCallId: text(part, 'toolCallId', at),
    toolName: text(part, 'toolName', at),
    ...(typeof providerCallId === 'string' && { providerCallId }),
    ...(rescued === true && { rescued }),
    ...foreignIn(part),
  } as const
  const error = asRecord(part['error'])
  if (error) {
    return {
      ...ref,
      error: callError(error, at),
      ...(typeof rawInput === 'string' && { rawInput }),
    }
  }
  if (input === undefined) throw invalidHistory(at, 'is a call without an input')
  return { ...ref, input: input as JsonValue }
}

function resultPart(part: JsonRecord, at: string): ToolResultPart {
  if (part['type'] !== 'tool-result') throw unknownPart(part, at)
  const { note } = part
  return {
    type: 'tool-result',
    toolCallId: text(part, 'toolCallId', at),
    toolName: text(part, 'toolName', at),
    output: outputOf(asRecord(part['output']) ?? {}, at),
    ...(typeof note === 'string' && { note }),
    ...foreignIn(part),
  }
}

function outputOf(output: JsonRecord, at: string): ToolOutput {
  const { type, value, reason } = output
  switch (type) {
    case 'text':
      return { type, value: text(output, 'value', at) }
    case 'json':
      if (value === undefined) break
      return { type, value: value as JsonValue }
    case 'content':
      return {
        type,
        value: asList(value).map((item) => contentPart(asRecord(item) ?? {}, at)),
      }
    case 'error':
      return { type, ...callError(output, at) }
    case 'denied':
      return { type, ...(typeof reason === 'string' && { reason }) }
    default:
  }
  throw invalidHistory(at, 'has no output that could be read')
}

function callError(error: JsonRecord, at: string): CallError {
  const { suggestion } = error
  const code = text(error, 'code', at)
  if (!isCallErrorCode(code)) throw invalidHistory(at, `has the code ${JSON.stringify(code)}`)
  return {
    code: code as CallErrorCode,
    message: text(error, 'message', at),
    ...(typeof suggestion === 'string' && { suggestion }),
  }
}

function foreignIn(fields: JsonRecord): { readonly foreign?: Foreign } {
  const foreign = readForeign(fields['foreign'])
  return Object.keys(foreign).length > 0 ? { foreign } : {}
}

function text(fields: JsonRecord, name: string, at: string): string {
  const value = fields[name]
  if (typeof value !== 'string') throw invalidHistory(at, `has no ${name}`)
  return value
}

function unknownPart(part: JsonRecord, at: string): Error {
  return invalidHistory(
    at,
    `has the type ${JSON.stringify(part['type'])}, which does not belong there`,
  )
}
