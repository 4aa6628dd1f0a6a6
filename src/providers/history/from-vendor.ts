import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
} from '../../protocol/message.ts'
import { asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { parseToolInput } from '../core/parse-tool-input.ts'
import { invalidHistory } from './invalid-history.ts'

/**
 * A message of Chat Completions (https://platform.openai.com/docs/api-reference/chat/create) or of
 * Anthropic's Messages (https://docs.anthropic.com/en/api/messages). Two messages where results and a
 * person's text share one. What neither format nor a model call needs (names, cache marks) is left out.
 */
export function fromVendor(message: JsonRecord, at: string): Message[] {
  const { role } = message
  switch (role) {
    case 'system':
    case 'developer':
      return [{ role: 'system', parts: blocksOf(message, at).map((block) => textOf(block, at)) }]
    case 'user':
      return userMessages(blocksOf(message, at), at)
    case 'assistant':
      return [assistantMessage(message, at)]
    case 'tool':
      return [toolMessage([{ ...message, tool_use_id: message['tool_call_id'] }], at)]
    default:
      throw invalidHistory(at, `has the role ${JSON.stringify(role)}`)
  }
}

/** Content as a list of blocks; text alone is one. */
function blocksOf({ content }: JsonRecord, at: string): JsonRecord[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw invalidHistory(at, 'has no content')
  return content.map((block: unknown) => {
    const fields = asRecord(block)
    if (!fields) throw invalidHistory(at, 'has content that is no block')
    return fields
  })
}

function userMessages(blocks: readonly JsonRecord[], at: string): Message[] {
  const isResult = (block: JsonRecord): boolean => block['type'] === 'tool_result'
  const results = blocks.filter(isResult)
  const parts = blocks.filter((block) => !isResult(block)).map((block) => partOf(block, at))
  const input: Message[] = parts.length > 0 || results.length === 0 ? [{ role: 'user', parts }] : []
  return results.length > 0 ? [toolMessage(results, at), ...input] : input
}

function toolMessage(results: readonly JsonRecord[], at: string): ToolMessage {
  return {
    role: 'tool',
    parts: results.map((result) => ({
      type: 'tool-result',
      toolCallId: requireText(result, 'tool_use_id', at),
      toolName: '',
      output: outputOf(result, at),
    })),
  }
}

function outputOf(result: JsonRecord, at: string): ToolOutput {
  const blocks = (result['content'] ?? null) === null ? [] : blocksOf(result, at)
  const parts = blocks.map((block) => partOf(block, at))
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  if (result['is_error'] === true) return { type: 'error', code: 'failed', message: text }
  return parts.some((part) => part.type === 'file')
    ? { type: 'content', value: parts }
    : { type: 'text', value: text }
}

function assistantMessage(message: JsonRecord, at: string): AssistantMessage {
  if (message['function_call']) throw invalidHistory(at, 'has a function_call; use tool_calls')
  const calls = asList(message['tool_calls']).map((call) => chatCall(asRecord(call) ?? {}, at))
  const refusal = asText(message['refusal'])
  const isSilent = (message['content'] ?? null) === null && (calls.length > 0 || refusal)
  const blocks = isSilent ? [] : blocksOf(message, at)
  const reasoning = asText(message['reasoning_content'])
  const hidden = blocks.some((block) => /^(redacted_)?thinking$/.test(String(block['type'])))
  return {
    role: 'assistant',
    parts: [
      ...(reasoning ? [{ type: 'reasoning', text: reasoning } as const] : []),
      ...blocks.flatMap((block) => assistantParts(block, at)),
      ...(refusal ? [{ type: 'text', text: refusal } as const] : []),
      ...calls,
    ],
    // Signed reasoning goes back to its vendor unchanged, or it refuses the calls that follow.
    ...(hidden && { providerMetadata: { anthropic: { content: blocks as JsonObject[] } } }),
  }
}

function assistantParts(block: JsonRecord, at: string): AssistantMessage['parts'] {
  switch (block['type']) {
    case 'thinking':
      return [{ type: 'reasoning', text: String(block['thinking'] ?? '') }]
    case 'redacted_thinking':
      return []
    case 'refusal':
      return [{ type: 'text', text: requireText(block, 'refusal', at) }]
    case 'tool_use':
      return [
        {
          type: 'tool-call',
          toolCallId: requireText(block, 'id', at),
          toolName: requireText(block, 'name', at),
          input: (block['input'] ?? {}) as JsonValue,
        },
      ]
    default:
      return [textOf(block, at)]
  }
}

function chatCall(call: JsonRecord, at: string): ToolCallPart {
  const given = asRecord(call['function'])
  if (!given) throw invalidHistory(at, 'has a call that is not of a function')
  const ref = {
    type: 'tool-call',
    toolCallId: requireText(call, 'id', at),
    toolName: requireText(given, 'name', at),
  } as const
  const args = given['arguments']
  if (typeof args !== 'string') return { ...ref, input: (args ?? {}) as JsonValue }
  const parsed = args.trim() === '' ? { input: {} } : parseToolInput(args)
  return 'error' in parsed ? { ...ref, ...parsed, rawInput: args } : { ...ref, ...parsed }
}

function partOf(block: JsonRecord, at: string): TextPart | FilePart {
  const { type } = block
  const source = asRecord(block['source'])
  switch (type) {
    case 'image_url':
      return dataFile(asText(asRecord(block['image_url'])?.['url']), at)
    case 'file': {
      const file = asRecord(block['file'])
      const filename = asText(file?.['filename'])
      return { ...dataFile(asText(file?.['file_data']), at), ...(filename && { filename }) }
    }
    case 'input_audio': {
      const audio = asRecord(block['input_audio']) ?? {}
      const format = asText(audio['format'])
      const mediaType = `audio/${format === 'mp3' ? 'mpeg' : format}`
      return { type: 'file', mediaType, data: requireText(audio, 'data', at) }
    }
    case 'image':
    case 'document':
      if (source?.['type'] === 'text')
        return { type: 'text', text: requireText(source, 'data', at) }
      if (source?.['type'] !== 'base64') throw elsewhere(at)
      return {
        type: 'file',
        mediaType: requireText(source, 'media_type', at),
        data: requireText(source, 'data', at),
      }
    default:
      return textOf(block, at)
  }
}

function dataFile(url: string | undefined, at: string): FilePart {
  const [, mediaType = '', data = ''] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url ?? '') ?? []
  if (data === '') throw elsewhere(at)
  return { type: 'file', mediaType, data }
}

function elsewhere(at: string): Error {
  return invalidHistory(at, 'has a file that is somewhere else: only data in base64 can be taken')
}

function textOf(block: JsonRecord, at: string): TextPart {
  const { type, text } = block
  if (type !== 'text' || typeof text !== 'string')
    throw invalidHistory(at, `has content of the type ${JSON.stringify(type)}, which can't be read`)
  return { type: 'text', text }
}

function requireText(fields: JsonRecord, name: string, at: string): string {
  const value = asText(fields[name])
  if (value === undefined) throw invalidHistory(at, `has no ${name} where one must be`)
  return value
}
