import type { JsonObject } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolMessage,
} from '../../protocol/message.ts'
import { asList, asObject, asObjects, asText } from '../core/read-json.ts'
import { createWireIds, legalToolName, type WireIds } from '../core/wire-ids.ts'
import { answerText, callsOf, healHistory } from '../heal-history.ts'
import { outputFiles, outputText, withFilesAsInput } from '../sent-files.ts'
import type { ModelRequest } from '../provider.ts'
import type { ChatRules } from './presets.ts'

/** A message of the request body. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | JsonObject[] | null
  readonly [field: string]: JsonObject[string]
}

interface Conversion {
  readonly providerId: string
  readonly rules: ChatRules
  readonly ids: WireIds
}

/** Converts the conversation to Chat Completions, by the server's rules. */
export function chatMessages(
  request: ModelRequest,
  { providerId, rules }: { readonly providerId: string; readonly rules: ChatRules },
): ChatMessage[] {
  const messages: ChatMessage[] = []
  const add = (message: ChatMessage): void => addMessage(messages, message, rules)
  if (request.instructions) add({ role: 'system', content: request.instructions })
  const ids = createWireIds({ pattern: rules.toolCallId, length: rules.toolCallIdLength })
  for (const message of withFilesAsInput(healHistory(request.messages))) {
    for (const converted of convert(message, { providerId, rules, ids })) add(converted)
  }
  if (request.trailer) addTrailer(messages, request.trailer, rules)
  return messages
}

function convert(message: Message, context: Conversion): ChatMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.parts.map((part) => part.text).join('\n') }]
    case 'user':
      return [{ role: 'user', content: userContent(message.parts) }]
    case 'assistant':
      return assistantMessage(message, context)
    case 'tool':
      return toolMessages(message, context)
    default:
      return message satisfies never
  }
}

function assistantMessage(
  message: AssistantMessage,
  { providerId, rules, ids }: Conversion,
): ChatMessage[] {
  const text = answerText(message)
  const calls = callsOf(message)
  const {
    tool_calls: extras,
    content: storedContent,
    // `items` belong to the Responses API.
    items: _,
    ...fields
  } = message.providerMetadata?.[providerId] ?? {}
  const hasStoredExtras = asList(extras).some((extra) => Object.keys(asObject(extra)).length > 0)
  const content = rules.takesThinking ? withThinking(asObjects(storedContent), text) : text
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content }]
  return [
    {
      // Some servers require the reasoning before calls to be sent back. Without it, DeepSeek refuses with status 400.
      // In other messages, the reasoning is wasted or refused. Stored fields never replace the role.
      ...fields,
      role: 'assistant',
      content: content === '' ? rules.emptyContent : content,
      tool_calls: calls.map((call, index) => ({
        ...(hasStoredExtras ? asObject(asList(extras)[index]) : rules.unsignedCall),
        id: ids.next(call),
        type: 'function',
        function: {
          name: legalToolName(call.toolName),
          arguments: JSON.stringify(call.input ?? {}),
        },
      })),
    },
  ]
}

/**
 * Returns the text and its stored thinking, in the original order. If the text has changed, it follows the thinking.
 */
function withThinking(storedContent: readonly JsonObject[], text: string): string | JsonObject[] {
  if (storedContent.length === 0) return text
  const storedText = storedContent.map((part) => asText(part['text']) ?? '').join('')
  return text.startsWith(storedText)
    ? joinContent(storedContent, text.slice(storedText.length))
    : joinContent(
        storedContent.filter((part) => part['type'] !== 'text'),
        text,
      )
}

function toolMessages(message: ToolMessage, { rules, ids }: Conversion): ChatMessage[] {
  const answers = message.parts.map((part): ChatMessage => ({
    role: 'tool',
    tool_call_id: ids.getId(part.toolCallId),
    ...(rules.namesToolMessages && { name: legalToolName(part.toolName) }),
    content: outputText(part.output) || '(no output)',
  }))
  const files = message.parts.flatMap((part) => outputFiles(part.output))
  if (files.length === 0) return answers
  const intro: JsonObject = { type: 'text', text: 'Files from the tool results above:' }
  return [...answers, { role: 'user', content: [intro, ...files.map(fileContent)] }]
}

const BRIDGE = 'I have read the tool results.'

function addMessage(messages: ChatMessage[], message: ChatMessage, rules: ChatRules): void {
  const last = messages[messages.length - 1]
  const shouldMerge =
    (message.role === 'user' && rules.mergesUsers) ||
    (message.role === 'system' && rules.mergesSystem)
  if (shouldMerge && last?.role === message.role) {
    last.content = joinContent(last.content ?? '', message.content ?? '')
    return
  }
  // A vendor that pauses turns sends one answer as several messages.
  if (message.role === 'assistant' && last?.role === 'assistant' && !last['tool_calls']) {
    const content = joinContent(last.content ?? '', message.content ?? '')
    messages[messages.length - 1] = { ...message, content }
    return
  }
  if (message.role === 'user' && last?.role === 'tool' && !rules.userAfterTool) {
    messages.push({ role: 'assistant', content: BRIDGE })
  }
  messages.push(message)
}

/** Adds the trailer at the end. Only the trailer changes with each request, so everything before it can be cached. */
function addTrailer(messages: ChatMessage[], trailer: string, rules: ChatRules): void {
  const last = messages[messages.length - 1]
  const shouldJoin = last?.role === 'user' || (last?.role === 'tool' && !rules.userAfterTool)
  if (last && shouldJoin) last.content = joinContent(last.content ?? '', trailer)
  else messages.push({ role: 'user', content: trailer })
}

/** Content of a user message. Plain text if possible, since some servers don't read parts. */
function userContent(parts: readonly (TextPart | FilePart)[]): string | JsonObject[] {
  const texts = parts.filter((part) => part.type === 'text')
  if (texts.length === parts.length) return texts.map((part) => part.text).join('\n')
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : fileContent(part),
  )
}

/** Converts an attachment to Chat Completions: images, audio, and other files as documents. */
function fileContent({ mediaType, data, filename }: FilePart): JsonObject {
  const url = `data:${mediaType};base64,${data}`
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  if (mediaType.startsWith('audio/')) {
    const format = mediaType.includes('wav') ? 'wav' : 'mp3'
    return { type: 'input_audio', input_audio: { data, format } }
  }
  return { type: 'file', file: { filename: filename ?? 'file', file_data: url } }
}

/** Joins two contents. */
function joinContent(
  first: string | readonly JsonObject[],
  second: string | readonly JsonObject[],
): string | JsonObject[] {
  if (typeof first === 'string' && typeof second === 'string') {
    return [first, second].filter((text) => text !== '').join('\n\n')
  }
  return [...asParts(first), ...asParts(second)]
}

function asParts(content: string | readonly JsonObject[]): readonly JsonObject[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}
