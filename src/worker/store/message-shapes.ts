import type { Message } from '../../protocol/message.ts'
import {
  among,
  isFlag,
  isText,
  isThere,
  listOf,
  oneOf,
  optional,
  shape,
  type Check,
} from '../../lib/shape.ts'

export const isTextPart: Check = shape({ text: isText })
const filePart = shape({ mediaType: isText, data: isText })
export const isError: Check = shape({ code: isText, message: isText })
const content = listOf(oneOf('type', { text: isTextPart, file: filePart }))
export const isUserContent: Check = shape({
  id: isText,
  parts: content,
  when: optional(among(['after-run'])),
  orSooner: optional(isFlag),
})

export const isOutput: Check = oneOf('type', {
  text: shape({ value: isText }),
  json: shape({ value: isThere }),
  content: shape({ value: content }),
  error: isError,
  denied: shape({ reason: optional(isText) }),
})

const assistantPart = oneOf('type', {
  text: isTextPart,
  reasoning: isTextPart,
  file: filePart,
  'tool-call': shape({ toolCallId: isText, toolName: isText, error: optional(isError) }),
})

export const isAssistantContent: Check = shape({ id: isText, parts: listOf(assistantPart) })

export const isMessage: Check = oneOf('role', {
  system: shape({ id: isText, parts: listOf(isTextPart) }),
  user: isUserContent,
  assistant: isAssistantContent,
  tool: shape({
    id: isText,
    parts: listOf(shape({ toolCallId: isText, toolName: isText, output: isOutput })),
  }),
} satisfies Record<Message['role'], Check>)
