import type {
  AssistantMessage,
  CallError,
  CallErrorCode,
  FilePart,
  Foreign,
  HistoryMessage,
  Message,
  ProviderMetadata,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
} from '../../protocol/message.ts'
import { asList, asObjects, asRecord, type JsonRecord } from '../core/read-json.ts'
import { fromVendor } from './from-vendor.ts'
import { invalidHistory, isCallErrorCode, readForeignFields, type HistoryFormat } from './place.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { describeThrown } from '../../protocol/error.ts'

/**
 * Reads messages of OpenAI's Chat Completions. The result has no ids. Restores everything that `toOpenAI` wrote. Pure.
 * If a message can't be read, throws `invalid-history` with the message and the field.
 */
export function fromOpenAI(messages: readonly HistoryMessage[]): Message[] {
  return fromFormat(messages, 'openai')
}

/**
 * Reads messages of Anthropic's Messages API: an array, or the fields `system` and `messages` of a request. The
 * result has no ids. Restores everything that `toAnthropic` wrote. Pure. Throws as `fromOpenAI` does.
 */
export function fromAnthropic(
  history:
    | readonly HistoryMessage[]
    | { readonly system?: unknown; readonly messages: readonly HistoryMessage[] },
): Message[] {
  const { system, messages } = asRecord(history) ?? { messages: history }
  const first = system === undefined ? [] : [{ role: 'system', content: system }]
  return [...fromFormat(first, 'anthropic'), ...fromFormat(messages, 'anthropic')]
}

function fromFormat(messages: unknown, shape: HistoryFormat): Message[] {
  return joinToolMessages(readHistory(toPlainJson(messages), shape).flat())
}

export function joinToolMessages(messages: readonly Message[]): Message[] {
  const joined: Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    // Adjacent results belong to the same answer, so they become one message.
    if (message.role === 'tool' && last?.role === 'tool' && !(message.foreign && last.foreign))
      joined[joined.length - 1] = {
        ...last,
        ...message,
        parts: [...last.parts, ...message.parts],
      }
    else joined.push(message)
  }
  return joined
}

/** Returns a JSON copy, which later changes don't affect and which has no getters that run code. */
export function toPlainJson(messages: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(messages) ?? 'null')
  } catch (cause) {
    throw invalidHistory('history', describeThrown(cause))
  }
}

/**
 * Reads earlier messages in the formats of Offstage, OpenAI (Chat Completions) and Anthropic (Messages), which may be
 * mixed. Pure. Throws `invalid-history` with the message if anything can't be read in full: a model must not continue
 * from half a conversation. Calls may lack results. Refuses a result without a call, or after a later answer. Duplicate
 * ids are made unique.
 */
export function importHistory(messages: unknown): Message[] {
  return readHistory(messages).flatMap((converted, index) =>
    converted.map((message, part) => ({
      id: part === 0 ? `imported:${index}` : `imported:${index}.${part}`,
      ...message,
    })),
  )
}

/**
 * Returns the messages read from each entry, with ids only if the history has them. `shape`: the format of fields that
 * Offstage doesn't know. Default: detected for each message.
 */
function readHistory(messages: unknown, shape?: HistoryFormat): Message[][] {
  if (!Array.isArray(messages)) throw invalidHistory('history', 'must be an array of messages')
  const matcher = new CallMatcher()
  return messages.map((value: unknown, index) => {
    const at = `history[${index}]`
    const message = asRecord(value)
    if (!message) throw invalidHistory(at, 'is no message')
    const place = { at, field: '', format: shape ?? shapeOf(message) }
    const converted = 'parts' in message ? [fromOffstage(message, at)] : fromVendor(message, place)
    return converted.map((each) => matcher.match(each, at))
  })
}

const ANTHROPIC = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'image',
  'document',
])

function shapeOf({ content }: JsonRecord): HistoryFormat {
  const isAnthropic = asObjects(content).some(
    (block) =>
      ANTHROPIC.has(String(block['type'])) || 'cache_control' in block || 'citations' in block,
  )
  return isAnthropic ? 'anthropic' : 'openai'
}

/** Gives every call a unique id, and every result the id and name of its call. */
export class CallMatcher {
  readonly #usedIds = new Set<string>()
  /** Calls of the newest answer that lack a result, oldest first. The key is the call's id in the history. */
  readonly #openCalls = new Map<string, ToolCallPart[]>()

  match(message: Message, at: string): Message {
    if (message.role === 'assistant') return this.#calls(message)
    return message.role === 'tool' ? this.#results(message, at) : message
  }

  #calls(message: AssistantMessage): AssistantMessage {
    // Vendors refuse results that follow a later answer.
    this.#openCalls.clear()
    return {
      ...message,
      parts: message.parts.map((part) => (part.type === 'tool-call' ? this.#call(part) : part)),
    }
  }

  #results(message: ToolMessage, at: string): ToolMessage {
    return {
      ...message,
      parts: message.parts.map((part) => {
        const call = this.#openCalls.get(part.toolCallId)?.shift()
        if (!call)
          throw invalidHistory(
            at,
            `has a result for ${part.toolCallId}, which no call before it waits for`,
          )
        const { toolCallId, toolName, providerCallId } = call
        return { ...part, toolCallId, toolName, ...(providerCallId && { providerCallId }) }
      }),
    }
  }

  #call(part: ToolCallPart): ToolCallPart {
    const originalId = part.toolCallId
    let toolCallId = originalId
    for (let count = 2; this.#usedIds.has(toolCallId); count++)
      toolCallId = `${originalId}_${count}`
    this.#usedIds.add(toolCallId)
    const call =
      toolCallId === originalId ? part : { providerCallId: originalId, ...part, toolCallId }
    this.#openCalls.set(originalId, [...(this.#openCalls.get(originalId) ?? []), call])
    return call
  }
}

/** Validates a message in Offstage's format, as returned by `conversations.get()`. */
function fromOffstage(message: JsonRecord, at: string): Message {
  const { role, id } = message
  if (!Array.isArray(message['parts'])) throw invalidHistory(at, 'has no list of parts')
  const parts = message['parts'].map((part: unknown, index) => {
    const fields = asRecord(part)
    if (!fields) throw invalidHistory(`${at}.parts[${index}]`, 'is no part')
    return fields
  })
  const mapParts = <Part>(readPart: (part: JsonRecord, at: string) => Part): Part[] =>
    parts.map((part, index) => readPart(part, `${at}.parts[${index}]`))
  const base = { ...(typeof id === 'string' && { id }), ...foreignIn(message) }
  switch (role) {
    case 'system':
      return { role, ...base, parts: mapParts(textPart) }
    case 'user':
      return {
        role,
        ...base,
        parts: mapParts(contentPart),
        ...(message['synthetic'] === true && { synthetic: true }),
      }
    case 'assistant':
      return { role, ...base, parts: mapParts(assistantPart), ...assistantExtras(message) }
    case 'tool':
      return { role, ...base, parts: mapParts(resultPart) }
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
      return { type: 'reasoning', text: requireString(part, 'text', at) }
    case 'tool-call':
      return callPart(part, at)
    default:
      return contentPart(part, at)
  }
}

function textPart(part: JsonRecord, at: string): TextPart {
  if (part['type'] !== 'text') throw unknownPart(part, at)
  return { type: 'text', text: requireString(part, 'text', at), ...foreignIn(part) }
}

function contentPart(part: JsonRecord, at: string): TextPart | FilePart {
  if (part['type'] !== 'file') return textPart(part, at)
  const { filename } = part
  return {
    type: 'file',
    mediaType: requireString(part, 'mediaType', at),
    data: requireString(part, 'data', at),
    ...(typeof filename === 'string' && { filename }),
    ...foreignIn(part),
  }
}

function callPart(part: JsonRecord, at: string): ToolCallPart {
  const { providerCallId, rawInput, input, rescued } = part
  const ref = {
    type: 'tool-call',
    toolCallId: requireString(part, 'toolCallId', at),
    toolName: requireString(part, 'toolName', at),
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
    toolCallId: requireString(part, 'toolCallId', at),
    toolName: requireString(part, 'toolName', at),
    output: outputOf(asRecord(part['output']) ?? {}, at),
    ...(typeof note === 'string' && { note }),
    ...foreignIn(part),
  }
}

function outputOf(output: JsonRecord, at: string): ToolOutput {
  const { type, value, reason } = output
  switch (type) {
    case 'text':
      return { type, value: requireString(output, 'value', at) }
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
  const code = requireString(error, 'code', at)
  if (!isCallErrorCode(code)) throw invalidHistory(at, `has the code ${JSON.stringify(code)}`)
  return {
    code: code as CallErrorCode,
    message: requireString(error, 'message', at),
    ...(typeof suggestion === 'string' && { suggestion }),
  }
}

function foreignIn(fields: JsonRecord): { readonly foreign?: Foreign } {
  const foreign = readForeignFields(fields['foreign'])
  return Object.keys(foreign).length > 0 ? { foreign } : {}
}

function requireString(fields: JsonRecord, name: string, at: string): string {
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
