import type { JsonObject } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from '../../protocol/message.ts'
import { sameJson } from '../../lib/json/same-json.ts'
import { asObjects, asRecord, asText } from '../core/read-json.ts'
import {
  unwrapSingleText,
  extension,
  filePlaceholder,
  encodeOrder,
  otherForeign,
  resultExtension,
  resultText,
  type Target,
  type ToHistoryOptions,
  errorText,
  fileKind,
  isImageType,
} from './read-content.ts'
import type {
  AnthropicAssistantBlock,
  AnthropicContent,
  AnthropicHistory,
  AnthropicMessage,
  AnthropicText,
  AnthropicToolResult,
  AnthropicToolUse,
} from './formats.ts'
import { readAnthropicContent } from './from-vendor.ts'

/**
 * Converts messages, as `agent.conversations.get()` and snapshots return them, to Anthropic's Messages format. Pure.
 * `fromAnthropic` restores the messages, without their ids. With `extensions: 'refuse'`, throws `invalid-history` for
 * content that the format can't express.
 */
export function toAnthropic(
  messages: readonly Message[],
  { extensions = 'keep' }: ToHistoryOptions = {},
): AnthropicHistory {
  const targetAt = (index: number): Target => ({ format: 'anthropic', extensions, index })
  const [first] = messages
  const isSystem = first?.role === 'system' && !first.foreign && first.parts.length > 0
  const converted: AnthropicMessage[] = []
  for (const [index, message] of messages.entries()) {
    if (isSystem && index === 0) continue
    const previous = messages[index - 1]
    const target = targetAt(index)
    const last = converted.at(-1)
    if (
      message.role === 'user' &&
      previous?.role === 'tool' &&
      last &&
      isJoined(previous, message)
    ) {
      converted[converted.length - 1] = joinMessages(last, userMessage(message, target))
    } else converted.push(...writeMessage(message, target))
  }
  return {
    ...(isSystem && {
      system: unwrapSingleText(first.parts.map((part) => textBlock(part, targetAt(0)))),
    }),
    messages: converted,
  }
}

function writeMessage(message: Message, target: Target): AnthropicMessage[] {
  switch (message.role) {
    case 'system': {
      const { parts, foreign } = message
      const content = unwrapSingleText(parts.map((part) => textBlock(part, target)))
      const other = otherForeign(foreign, target)
      return [{ ...foreign?.anthropic, role: 'system', content, ...extension(target, other) }]
    }
    case 'user':
      return [userMessage(message, target)]
    case 'assistant':
      return [assistantMessage(message, target)]
    case 'tool': {
      const { parts, foreign } = message
      if (parts.length === 0) return []
      const content = parts.map((part) => resultBlock(part, target))
      const other = otherForeign(foreign, target)
      return [{ ...foreign?.anthropic, role: 'user', content, ...extension(target, other) }]
    }
    default:
      return message satisfies never
  }
}

/** Whether results and the person's next text become one message, as Anthropic's API expects. */
function isJoined(tool: Message, user: UserMessage): boolean {
  return tool.parts.length > 0 && user.parts.length > 0 && !tool.foreign
}

function joinMessages(results: AnthropicMessage, user: AnthropicMessage): AnthropicMessage {
  if (results.role !== 'user' || user.role !== 'user') return results
  return { ...user, content: [...asBlocks(results.content), ...asBlocks(user.content)] }
}

function asBlocks<Block>(content: string | Block[]): (Block | AnthropicText)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function userMessage({ parts, synthetic, foreign }: UserMessage, target: Target): AnthropicMessage {
  return {
    ...foreign?.anthropic,
    role: 'user',
    content: unwrapSingleText(parts.map((part) => contentBlock(part, target))),
    ...extension(target, { synthetic: synthetic || undefined, ...otherForeign(foreign, target) }),
  }
}

function textBlock({ text, foreign }: TextPart, target: Target): AnthropicText {
  const other = otherForeign(foreign, target)
  return { ...foreign?.anthropic, type: 'text', text, ...extension(target, other) }
}

function contentBlock(part: TextPart | FilePart, target: Target): AnthropicContent {
  const { foreign } = part
  const anthropic = foreign?.anthropic ?? {}
  const other = otherForeign(foreign, target)
  if (part.type === 'file') return fileBlock(part, target)
  if (anthropic['type'] !== 'document') return textBlock(part, target)
  const { text } = part
  const source = asRecord(anthropic['source']) as JsonObject | undefined
  return {
    ...anthropic,
    type: 'document',
    source: { ...source, type: 'text', media_type: 'text/plain', data: text },
    ...extension(target, other),
  }
}

function fileBlock(part: FilePart, target: Target): AnthropicContent {
  const { mediaType, data, filename, foreign } = part
  const anthropic = foreign?.anthropic ?? {}
  const other = otherForeign(foreign, target)
  const kind = asText(anthropic['type']) ?? fileKind('anthropic', mediaType)
  if (data === '' || kind === undefined) return filePlaceholder(part, target)
  if (kind === 'document' && mediaType === 'application/pdf') {
    const source = { type: 'base64', media_type: mediaType, data } as const
    const title = filename !== undefined && { title: filename }
    return { ...anthropic, type: kind, source, ...title, ...extension(target, other) }
  }
  if (kind !== 'image' || !isImageType(mediaType)) return filePlaceholder(part, target)
  const source = { type: 'base64', media_type: mediaType, data } as const
  return { ...anthropic, type: kind, source, ...extension(target, { filename, ...other }) }
}

function resultBlock(part: ToolResultPart, target: Target): AnthropicToolResult {
  const { toolCallId, output, foreign } = part
  const { content: originalContent, ...anthropic } = foreign?.anthropic ?? {}
  const isError = output.type === 'error' || output.type === 'denied'
  return {
    ...anthropic,
    type: 'tool_result',
    tool_use_id: toolCallId,
    content:
      output.type === 'content'
        ? output.value.map((each) => contentBlock(each, target))
        : errorContent(originalContent, resultText(output, 'marked')),
    ...(isError && { is_error: true }),
    ...extension(target, resultExtension(part, target)),
  }
}

/** Returns the error's original blocks if they still contain its text, else the text. */
function errorContent(originalContent: unknown, text: string): string | AnthropicContent[] {
  return Array.isArray(originalContent) && errorText(originalContent) === text
    ? (originalContent as AnthropicContent[])
    : text
}

function assistantMessage(message: AssistantMessage, target: Target): AnthropicMessage {
  const { parts, foreign, actionText, partial, providerMetadata } = message
  const { cache_control: marks, ...anthropic } = foreign?.anthropic ?? {}
  const stored = ownContent(message)
  const thoughts = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')
  const blocks = stored?.content ?? parts.flatMap((part) => answerBlocks(part, target))
  const readParts = stored?.parts ?? [
    ...(thoughts === '' ? [] : [{ type: 'reasoning', text: thoughts } as const]),
    ...parts.filter((part) => part.type !== 'reasoning'),
  ]
  const order = encodeOrder(parts)
  return {
    ...anthropic,
    role: 'assistant',
    content: unwrapSingleText(withCacheMarks(blocks, asRecord(marks))),
    ...extension(target, {
      reasoning: stored || thoughts === '' ? undefined : thoughts,
      order: sameJson(order, encodeOrder(readParts)) ? undefined : order,
      actionText,
      partial: partial || undefined,
      providerMetadata: sameJson(providerMetadata, stored?.metadata) ? undefined : providerMetadata,
      ...otherForeign(foreign, target),
    }),
  }
}

interface OwnContent extends Pick<AssistantMessage, 'parts'> {
  readonly content: AnthropicAssistantBlock[]
  readonly metadata: AssistantMessage['providerMetadata']
}

/** Returns the vendor's own content, with signatures. Undefined if it no longer matches the message's parts. */
function ownContent({ parts, providerMetadata }: AssistantMessage): OwnContent | undefined {
  const calls = parts.filter((part) => part.type === 'tool-call')
  const originalContent = asObjects(providerMetadata?.['anthropic']?.['content'])
  if (originalContent.length === 0 || parts.some((part) => 'foreign' in part)) return undefined
  const remainingCalls = [...calls]
  const content = originalContent.map((block): JsonObject => {
    const call = block['type'] === 'tool_use' ? remainingCalls.shift() : undefined
    return call ? { ...block, id: call.toolCallId, name: call.toolName } : block
  })
  const parsed = readAnthropicContent(content)
  if (
    !parsed ||
    remainingCalls.length > 0 ||
    !sameJson(normalizeParts(parsed.parts), normalizeParts(parts))
  )
    return undefined
  return {
    content: content as readonly JsonObject[] as AnthropicAssistantBlock[],
    parts: parsed.parts,
    metadata: parsed.providerMetadata,
  }
}

/** Normalizes parts for comparison: joins all text, because it may be split differently. */
function normalizeParts(parts: AssistantMessage['parts']): object {
  const textOf = (type: 'text' | 'reasoning'): string =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  const otherParts = parts.filter(({ type }) => type === 'tool-call' || type === 'file')
  return { text: textOf('text'), reasoning: textOf('reasoning'), others: otherParts }
}

function answerBlocks(
  part: AssistantMessage['parts'][number],
  target: Target,
): AnthropicAssistantBlock[] {
  switch (part.type) {
    case 'text':
      return [textBlock(part, target)]
    case 'tool-call':
      return [useBlock(part, target)]
    case 'reasoning':
      return []
    case 'file':
      return [filePlaceholder(part, target)]
    default:
      return part satisfies never
  }
}

function useBlock(call: ToolCallPart, target: Target): AnthropicToolUse {
  const { toolCallId, toolName, providerCallId, rescued, foreign } = call
  return {
    type: 'tool_use',
    id: toolCallId,
    name: toolName,
    input: call.input ?? (call.error ? {} : null),
    ...extension(target, {
      providerCallId,
      rescued: rescued || undefined,
      ...(call.error && { error: { ...call.error }, rawInput: call.rawInput }),
      ...otherForeign(foreign, target),
    }),
  }
}

/** Puts each cache mark back on its block. */
function withCacheMarks(
  blocks: AnthropicAssistantBlock[],
  marks: { readonly [index: string]: unknown } | undefined,
): AnthropicAssistantBlock[] {
  if (!marks) return blocks
  return blocks.map((block, index) =>
    Object.hasOwn(marks, String(index)) ? { ...block, cache_control: marks[String(index)] } : block,
  )
}
