import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../protocol/message.ts'
import { parseToolInput } from '../core/parse-tool-input.ts'
import { asObject, asText } from '../core/read-json.ts'
import { sameJson } from '../../lib/json/same-json.ts'
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
  audioFormat,
  fileKind,
} from './read-content.ts'
import type {
  OpenAIAssistantMessage,
  OpenAIContent,
  OpenAIMessage,
  OpenAIText,
  OpenAIToolCall,
} from './formats.ts'

/**
 * Converts messages, as `agent.conversations.get()` and snapshots return them, to OpenAI's Chat Completions format.
 * Pure. `fromOpenAI` restores the messages, without their ids. With `extensions: 'refuse'`, throws `invalid-history`
 * for content that the format can't express.
 */
export function toOpenAI(
  messages: readonly Message[],
  { extensions = 'keep' }: ToHistoryOptions = {},
): OpenAIMessage[] {
  return messages.flatMap((message, index) =>
    chatMessages(message, { format: 'openai', extensions, index }),
  )
}

/**
 * Converts a message to Chat Completions. With the shape `responses`, keeps content that the Responses API can
 * express.
 */
export function chatMessages(message: Message, target: Target): OpenAIMessage[] {
  switch (message.role) {
    case 'system': {
      const foreign = message.foreign?.[target.format]
      const content = unwrapSingleText(message.parts.map((part) => textPart(part, target)))
      const role = foreign?.['role'] === 'developer' ? 'developer' : 'system'
      const extended = extension(target, otherForeign(message.foreign, target))
      return [{ ...foreign, role, content, ...extended }]
    }
    case 'user': {
      const { parts, synthetic, foreign } = message
      return [
        {
          ...foreign?.[target.format],
          role: 'user',
          content: unwrapSingleText(parts.map((part) => contentPart(part, target))),
          ...extension(target, {
            synthetic: synthetic || undefined,
            ...otherForeign(foreign, target),
          }),
        },
      ]
    }
    case 'assistant':
      return [assistantMessage(message, target)]
    case 'tool':
      return message.parts.map((part) => toolMessage(part, target))
    default:
      return message satisfies never
  }
}

function textPart({ text, foreign }: TextPart, target: Target): OpenAIText {
  return {
    ...foreign?.[target.format],
    type: 'text',
    text,
    ...extension(target, otherForeign(foreign, target)),
  }
}

function contentPart(part: TextPart | FilePart, target: Target): OpenAIContent {
  return part.type === 'text' ? textPart(part, target) : filePart(part, target)
}

function filePart(part: FilePart, target: Target): OpenAIContent {
  const { mediaType, data, filename, foreign } = part
  const url = `data:${mediaType};base64,${data}`
  // A data URL can't express such a media type, or empty data.
  if (!/^[^,]+$/.test(mediaType) || mediaType.includes(';base64') || data === '')
    return filePlaceholder(part, target)
  const openai = foreign?.[target.format] ?? {}
  // The Responses API accepts no audio or video in messages.
  const isMute = target.format === 'responses' && openai['type'] === undefined
  if (isMute && /^(?:audio|video)\//.test(mediaType)) return filePlaceholder(part, target)
  const other = otherForeign(foreign, target)
  const extensionFields = extension(target, { filename, ...other })
  switch (asText(openai['type']) ?? fileKind(target.format, mediaType)) {
    case 'image_url':
      return {
        ...openai,
        type: 'image_url',
        image_url: { ...asObject(openai['image_url']), url },
        ...extensionFields,
      }
    case 'input_audio': {
      const format = audioFormat(mediaType)
      if (!format) break
      const audio = { ...asObject(openai['input_audio']), data, format }
      return { ...openai, type: 'input_audio', input_audio: audio, ...extensionFields }
    }
    default:
  }
  const fileFields = { ...(filename !== undefined && { filename }), file_data: url }
  const file = { ...asObject(openai['file']), ...fileFields }
  return { ...openai, type: 'file', file, ...extension(target, other) }
}

function assistantMessage(message: AssistantMessage, target: Target): OpenAIAssistantMessage {
  const { parts, foreign, actionText, partial, providerMetadata } = message
  const thoughts = parts.filter((part) => part.type === 'reasoning')
  const reasoning = thoughts.map(({ text }) => text).join('')
  const textsAndFiles = parts.filter((part) => part.type === 'text' || part.type === 'file')
  const last = textsAndFiles.at(-1)
  const isChat = target.format === 'openai'
  const isRefusal = isChat && last?.type === 'text' && last.foreign?.openai?.['refusal'] === true
  const refusal = isRefusal ? last : undefined
  const texts = refusal ? textsAndFiles.slice(0, -1) : textsAndFiles
  const calls = parts.filter((part) => part.type === 'tool-call')
  const defaultOrder = [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...textsAndFiles,
    ...calls,
  ]
  const order = encodeOrder(parts)
  return {
    ...foreign?.[target.format],
    role: 'assistant',
    content:
      texts.length === 0 ? null : unwrapSingleText(texts.map((part) => answerPart(part, target))),
    ...(refusal && { refusal: refusal.text }),
    ...(reasoning !== '' &&
      isChat &&
      target.extensions === 'keep' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, target)) }),
    ...extension(target, {
      reasoning:
        (isChat && target.extensions === 'keep') || reasoning === '' ? undefined : reasoning,
      order: sameJson(order, encodeOrder(defaultOrder)) ? undefined : order,
      actionText,
      partial: partial || undefined,
      providerMetadata,
      ...otherForeign(foreign, target),
    }),
  }
}

type AnswerPart = Exclude<NonNullable<OpenAIAssistantMessage['content']>, string>[number]

function answerPart(part: TextPart | FilePart, target: Target): AnswerPart {
  if (part.type === 'file') return filePlaceholder(part, target)
  const { type, ...openai } = part.foreign?.[target.format] ?? {}
  if (type !== 'refusal') return textPart(part, target)
  const other = otherForeign(part.foreign, target)
  return { ...openai, type, refusal: part.text, ...extension(target, other) }
}

function toolCall(call: ToolCallPart, target: Target): OpenAIToolCall {
  const { toolCallId, toolName, providerCallId, rescued, foreign } = call
  const openai = foreign?.[target.format] ?? {}
  const inner = asObject(openai['function'])
  const callData = call.error
    ? { error: call.error, rawInput: call.rawInput }
    : { input: call.input, rawInput: undefined }
  const original = inner['arguments']
  const argumentText = callData.rawInput ?? JSON.stringify(call.error ? {} : call.input)
  const keepsOriginal =
    typeof original === 'string' && !call.error && sameJson(parseArguments(original), callData)
  return {
    ...openai,
    id: toolCallId,
    type: 'function',
    function: { ...inner, name: toolName, arguments: keepsOriginal ? original : argumentText },
    ...extension(target, {
      providerCallId,
      rescued: rescued || undefined,
      ...(!sameJson(parseArguments(argumentText), callData) && {
        ...callData,
        error: callData.error && { ...callData.error },
      }),
      ...otherForeign(foreign, target),
    }),
  }
}

/** Parses arguments as `fromOpenAI` would. */
function parseArguments(text: string): object {
  const parsed = text.trim() === '' ? { input: {} } : parseToolInput(text)
  return 'error' in parsed ? { ...parsed, rawInput: text } : parsed
}

function toolMessage(part: ToolResultPart, target: Target): OpenAIMessage {
  const { toolCallId, output, foreign } = part
  const content =
    output.type === 'content'
      ? output.value.map((each) =>
          // Chat Completions allows no files in results.
          each.type === 'file' && target.format === 'openai'
            ? filePlaceholder(each, target)
            : contentPart(each, target),
        )
      : resultText(output, 'in-words')
  return {
    ...foreign?.[target.format],
    role: 'tool',
    tool_call_id: toolCallId,
    content: content as string | OpenAIText[],
    ...extension(target, resultExtension(part, target)),
  }
}
