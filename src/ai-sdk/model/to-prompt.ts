import type { JsonObject } from '../../protocol/json.ts'
import type {
  FilePart,
  Message,
  TextPart,
  ToolOutput,
  ToolResultPart,
} from '../../protocol/message.ts'
import { createWireIds, type WireIds } from '../../providers/core/wire-ids.ts'
import { legalToolName } from '../../providers/core/wire-names.ts'
import { healHistory } from '../../providers/heal-history.ts'
import { outputText } from '../../providers/output-text.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import { withFilesAsInput } from '../../providers/sent-files.ts'
import { ownContent } from './own-content.ts'

/** Version of a model's specification. Versions newer than these are treated as the newest. */
export type Specification = 'v2' | 'v3' | 'v4'

export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | readonly JsonObject[]
}

interface Conversion {
  readonly specification: Specification
  /** Id of the provider, under which the model's own content is stored. */
  readonly id: string
  readonly ids: WireIds
}

/** Form of call ids that every vendor accepts. */
const CALL_ID = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 }

/** Converts the conversation to a prompt for the AI SDK's models. */
export function toPrompt(
  request: ModelRequest,
  context: Pick<Conversion, 'specification' | 'id'>,
): PromptMessage[] {
  const { instructions, trailer } = request
  const conversion = { ...context, ids: createWireIds(CALL_ID) }
  const messages = withFilesAsInput(healHistory(request.messages))
  const prompt = messages
    .map((message) => convert(message, conversion))
    .filter(({ content }) => content.length > 0)
  if (instructions) prompt.unshift({ role: 'system', content: instructions })
  return trailer ? withTrailer(prompt, trailer) : prompt
}

function convert(message: Message, context: Conversion): PromptMessage {
  const { role } = message
  switch (role) {
    case 'system':
      return { role, content: message.parts.map(({ text }) => text).join('\n') }
    case 'user':
      return {
        role,
        content: message.parts.map((part) =>
          part.type === 'text' ? textContent(part) : fileContent(part, context),
        ),
      }
    case 'assistant':
      return { role, content: ownContent(message, context.id, (call) => context.ids.next(call)) }
    case 'tool':
      return { role, content: message.parts.map((part) => resultContent(part, context)) }
    default:
      return message satisfies never
  }
}

function textContent({ text }: TextPart): JsonObject {
  return { type: 'text', text }
}

function fileContent(
  { mediaType, data, filename }: FilePart,
  { specification }: Pick<Conversion, 'specification'>,
): JsonObject {
  return {
    type: 'file',
    mediaType,
    data: specification === 'v4' ? { type: 'data', data } : data,
    ...(filename !== undefined && { filename }),
  }
}

function resultContent(part: ToolResultPart, context: Conversion): JsonObject {
  return {
    type: 'tool-result',
    toolCallId: context.ids.of(part.toolCallId),
    toolName: legalToolName(part.toolName),
    output: resultOutput(part.output, context.specification),
  }
}

function resultOutput(output: ToolOutput, specification: Specification): JsonObject {
  switch (output.type) {
    case 'text':
    case 'json':
      return { type: output.type, value: output.value }
    case 'content':
      return {
        type: 'content',
        value: output.value.map((part) =>
          part.type === 'text' ? textContent(part) : resultFile(part, specification),
        ),
      }
    case 'denied':
      // Version 2 has no type for a denied call.
      if (specification === 'v2') return { type: 'error-text', value: outputText(output) }
      return {
        type: 'execution-denied',
        ...(output.reason !== undefined && { reason: output.reason }),
      }
    case 'error':
      return { type: 'error-text', value: outputText(output) }
    default:
      return output satisfies never
  }
}

function resultFile(file: FilePart, specification: Specification): JsonObject {
  if (specification === 'v4') return fileContent(file, { specification })
  const { mediaType, data } = file
  if (specification === 'v2') return { type: 'media', mediaType, data }
  return { type: mediaType.startsWith('image/') ? 'image-data' : 'file-data', mediaType, data }
}

/** Appends the trailer at the end: it changes with each request, and the cacheable part must come before it. */
function withTrailer(prompt: readonly PromptMessage[], trailer: string): PromptMessage[] {
  const part = textContent({ type: 'text', text: trailer })
  const last = prompt.at(-1)
  return last?.role === 'user' && typeof last.content !== 'string'
    ? [...prompt.slice(0, -1), { role: 'user', content: [...last.content, part] }]
    : [...prompt, { role: 'user', content: [part] }]
}
