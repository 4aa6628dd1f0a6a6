import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  CallError,
  Foreign,
  Message,
  ProviderMetadata,
  TextPart,
  ToolCallPart,
} from '../../protocol/message.ts'
import { parseToolInput } from '../core/parse-tool-input.ts'
import { asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { restoreOrder, readContent, readResult, readTextPart } from './read-content.ts'
import {
  asJson,
  toBlocks,
  collectForeign,
  readExtension,
  placed,
  readForeignFields,
  historyErrorAt,
  requireText,
  type Place,
  type Placed,
} from './place.ts'

/**
 * Reads a message of Chat Completions (https://platform.openai.com/docs/api-reference/chat/create) or of Anthropic's
 * Messages (https://docs.anthropic.com/en/api/messages). A message with both results and a person's text becomes two.
 * Unknown fields are kept as `foreign`.
 */
export function fromVendor(fields: JsonRecord, place: Place): Message[] {
  const message = { fields, place }
  const { role } = fields
  switch (role) {
    case 'system':
    case 'developer': {
      const parts = toBlocks(fields['content'], place).map(readTextPart)
      const readFields = role === 'system' ? ['role', 'content'] : ['content']
      return [{ role: 'system', parts, ...collectForeign(message, readFields) }]
    }
    case 'user':
      return userMessages(message)
    case 'assistant':
      return [assistantMessage(message)]
    case 'tool':
      return [{ role, parts: [readResult(message, 'tool_call_id')] }]
    default:
      throw historyErrorAt(place, `has the role ${JSON.stringify(role)}`)
  }
}

function userMessages(message: Placed): Message[] {
  const { fields, place } = message
  const blocks = toBlocks(fields['content'], place)
  const isResult = (block: Placed): boolean => block.fields['type'] === 'tool_result'
  const results = blocks.filter(isResult).map((block) => readResult(block, 'tool_use_id'))
  const parts = blocks.filter((block) => !isResult(block)).map(readContent)
  const foreign = collectForeign(message, ['role', 'content'])
  if (results.length > 0 && parts.length === 0)
    return [{ role: 'tool', parts: results, ...foreign }]
  const synthetic = readExtension(message)['synthetic'] === true && { synthetic: true }
  const input: Message = { role: 'user', parts, ...synthetic, ...foreign }
  return results.length > 0 ? [{ role: 'tool', parts: results }, input] : [input]
}

function assistantMessage(message: Placed): AssistantMessage {
  const { fields, place } = message
  if (fields['function_call']) throw historyErrorAt(place, 'has a function_call; use tool_calls')
  if (fields['audio']) throw historyErrorAt(place, 'has an audio answer, which cannot be imported')
  const calls = asList(fields['tool_calls']).map((call, index) =>
    chatCall(placed(call, { ...place, field: `tool_calls[${index}]` })),
  )
  const refusal = asText(fields['refusal'])
  const extras = readExtension(message)
  const reasoning = asText(fields['reasoning_content']) ?? asText(extras['reasoning'])
  const { content } = fields
  const isSilent = content === null || (content === undefined && (calls.length > 0 || refusal))
  const blocks = isSilent ? [] : toBlocks(content, place)
  const parts = [
    ...(reasoning ? [{ type: 'reasoning', text: reasoning } as const] : []),
    ...blocks.flatMap(assistantParts),
    ...(refusal ? [refusalPart(refusal, { refusal: true }, place)] : []),
    ...calls,
  ]
  const metadata = asRecord(extras['providerMetadata']) ?? contentToReplay(blocks)
  const { actionText, partial } = extras
  const readFields = [
    ['role', true],
    ['content', content !== undefined],
    ['tool_calls', calls.length > 0],
    ['refusal', refusal],
    ['reasoning_content', asText(fields['reasoning_content'])],
  ].flatMap(([name, isRead]) => (isRead ? [String(name)] : []))
  return {
    role: 'assistant',
    parts: restoreOrder(parts, extras['order']),
    ...(metadata && { providerMetadata: metadata as ProviderMetadata }),
    ...(typeof actionText === 'string' && { actionText }),
    ...(partial === true && { partial }),
    ...collectForeign(message, readFields, cacheMarks(blocks)),
  }
}

function assistantParts(block: Placed): AssistantMessage['parts'] {
  const { fields, place } = block
  const type = String(fields['type'])
  switch (type) {
    case 'thinking': {
      const text = asText(fields['thinking'])
      return text ? [{ type: 'reasoning', text }] : []
    }
    case 'refusal':
      return [refusalPart(requireText(block, 'refusal'), { type }, place)]
    case 'tool_use':
      return [readToolUse(block)]
    default:
      if (isHidden(type)) return []
      if (type === 'text' && readExtension(block)['file']) return [readContent(block)]
      return [
        place.format === 'anthropic'
          ? withoutAnthropicFields(readTextPart(block))
          : readTextPart(block),
      ]
  }
}

/** Drops the text's Anthropic fields, since the content to replay, in `providerMetadata`, already contains them. */
function withoutAnthropicFields({ foreign, ...part }: TextPart): TextPart {
  return { ...part, ...foreignToAnthropic(foreign) }
}

function foreignToAnthropic(foreign: Foreign = {}): { readonly foreign?: Foreign } {
  const { anthropic: _, ...otherFormats } = foreign
  return Object.keys(otherFormats).length > 0 ? { foreign: otherFormats } : {}
}

function refusalPart(
  text: string,
  fields: JsonObject,
  { format: shape }: Place,
): AssistantMessage['parts'][number] {
  return { type: 'text', text, foreign: { [shape]: fields } }
}

/** Whether only the vendor can read a block: redacted reasoning, and calls of its own tools with their results. */
function isHidden(type: string): boolean {
  return /^(?:redacted_thinking|(?:server|mcp)_tool_use|\w+_tool_result)$/.test(type)
}

const PLAIN: { readonly [type: string]: readonly string[] } = {
  text: ['type', 'text'],
  tool_use: ['type', 'id', 'name', 'input'],
}
const LEFT_OUT = new Set(['cache_control', 'offstage'])

/**
 * Returns content that must be sent back to its vendor unchanged: signed reasoning, citations. Otherwise the vendor
 * refuses later requests. Leaves out cache marks, because a request may have only a few and sets its own.
 */
function contentToReplay(blocks: readonly Placed[]): ProviderMetadata | undefined {
  const content = blocks.map(({ fields }) => withoutMarks(fields))
  const isPlain = content.every(({ type, ...fields }) =>
    Object.keys(fields).every((name) => PLAIN[String(type)]?.includes(name) ?? false),
  )
  const isAnthropic = blocks.some(({ place }) => place.format === 'anthropic')
  return isAnthropic && !isPlain ? { anthropic: { content } } : undefined
}

function withoutMarks(fields: JsonRecord): JsonObject {
  return asJson(Object.fromEntries(Object.entries(fields).filter(([name]) => !LEFT_OUT.has(name))))
}

/** Cache marks (`cache_control`), keyed by the index of their block. */
function cacheMarks(blocks: readonly Placed[]): JsonObject {
  const marks = blocks.flatMap(({ fields, place }, index) =>
    place.format === 'anthropic' && 'cache_control' in fields
      ? [[String(index), asJson(fields)['cache_control'] ?? null] as const]
      : [],
  )
  return marks.length > 0 ? { cache_control: Object.fromEntries(marks) } : {}
}

function readToolUse(block: Placed): ToolCallPart {
  const { input } = block.fields
  return {
    ...refOf(block, requireText(block, 'name')),
    ...(extensionInput(block) ?? { input: (input === undefined ? {} : input) as JsonValue }),
    ...foreignToAnthropic(readForeignFields(readExtension(block)['foreign'])),
  }
}

function chatCall(call: Placed): ToolCallPart {
  const { fields, place } = call
  const functionFields = asRecord(fields['function'])
  if (!functionFields) throw historyErrorAt(place, 'has a call of a non-function tool')
  const args = functionFields['arguments']
  const ref = refOf(call, requireText({ fields: functionFields, place }, 'name'))
  const { name: _, arguments: __, ...otherFields } = functionFields
  const isText = typeof args === 'string'
  const parsed = isText && args.trim() !== '' ? parseToolInput(args) : null
  const callInput = extensionInput(call) ??
    parsed ?? { input: (isText ? {} : (args ?? {})) as JsonValue }
  const isReformatted = isText && 'input' in callInput && args !== JSON.stringify(callInput.input)
  const foreignFunction = asJson({ ...otherFields, ...(isReformatted && { arguments: args }) })
  const { foreign } = collectForeign(
    call,
    ['id', 'function', ...(fields['type'] === 'function' ? ['type'] : [])],
    Object.keys(foreignFunction).length > 0 ? { function: foreignFunction } : {},
  )
  return {
    ...ref,
    ...('error' in callInput && isText && !('rawInput' in callInput) && !extensionInput(call)
      ? { ...callInput, rawInput: args }
      : callInput),
    ...(foreign && { foreign }),
  }
}

function refOf(call: Placed, toolName: string) {
  const { providerCallId, rescued } = readExtension(call)
  return {
    type: 'tool-call',
    toolCallId: requireText(call, 'id'),
    toolName,
    ...(typeof providerCallId === 'string' && { providerCallId }),
    ...(rescued === true && { rescued }),
  } as const
}

type CallInput =
  | { readonly input: JsonValue }
  | { readonly error: CallError; readonly rawInput?: string }

/** Returns the call's input or error from its `offstage` extension. */
function extensionInput(call: Placed): CallInput | undefined {
  const { input, error, rawInput } = readExtension(call)
  if (input !== undefined) return { input: input as JsonValue }
  const fields = asRecord(error)
  if (!fields) return undefined
  const { code, message, suggestion } = fields as unknown as CallError
  return {
    error: { code, message, ...(suggestion !== undefined && { suggestion }) },
    ...(typeof rawInput === 'string' && { rawInput }),
  }
}

/** Reads Anthropic content into parts, with the content to replay unchanged. Undefined if it can't be read. */
export function readAnthropicContent(
  content: readonly JsonObject[],
): Pick<AssistantMessage, 'parts' | 'providerMetadata'> | undefined {
  try {
    const place = { at: 'content', field: '', format: 'anthropic' } as const
    return assistantMessage({ fields: { role: 'assistant', content }, place })
  } catch {
    return undefined
  }
}
