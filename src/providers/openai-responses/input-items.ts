import type { JsonObject } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolOutput,
} from '../../protocol/message.ts'
import { createWireIds, type WireIds } from '../core/wire-ids.ts'
import { legalToolName } from '../core/wire-names.ts'
import { healHistory } from '../heal-history.ts'
import { outputFiles, outputText } from '../output-text.ts'
import type { ModelRequest } from '../provider.ts'
import { fileInWords, withFilesAsInput } from '../sent-files.ts'
import { ownItems } from './own-items.ts'

/** The conversation as items of the Responses API, without system texts. */
export function inputItems(request: ModelRequest, providerId: string): JsonObject[] {
  const ids = createWireIds({ pattern: /^.{1,64}$/s, length: 24 })
  const own = new Map<Message, readonly JsonObject[]>()
  const history = healHistory(request.messages).map((message) => {
    const items = message.role === 'assistant' && ownItems(message, request, providerId)
    if (!items) return message
    // The items hold the files already.
    const sent = { ...message, parts: message.parts.filter(({ type }) => type !== 'file') }
    own.set(sent, items)
    return sent
  })
  const input = withFilesAsInput(history).flatMap((message) =>
    itemsOf(message, ids, own.get(message)),
  )
  if (request.trailer) addTrailer(input, { type: 'input_text', text: request.trailer })
  return input
}

function itemsOf(
  message: Message,
  ids: WireIds,
  own: readonly JsonObject[] | undefined,
): JsonObject[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return [{ type: 'message', role: 'user', content: message.parts.map(inputPart) }]
    case 'assistant':
      return own ? withIds(own, callsOf(message), ids) : builtItems(message, ids)
    case 'tool':
      return message.parts.map((part) => ({
        type: 'function_call_output',
        call_id: ids.of(part.toolCallId),
        output: outputOf(part.output),
      }))
    default:
      return message satisfies never
  }
}

function callsOf({ parts }: AssistantMessage): ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call')
}

/** The items as they came. A call gets another id only where the API would refuse its own. */
function withIds(
  items: readonly JsonObject[],
  calls: readonly ToolCallPart[],
  ids: WireIds,
): JsonObject[] {
  const wireIds = calls.map((call) => ids.next(call))
  return items.map((item) => {
    if (item['type'] !== 'function_call') return item
    const id = wireIds.shift() ?? ''
    return item['call_id'] === id ? item : { ...item, call_id: id }
  })
}

function builtItems(message: AssistantMessage, ids: WireIds): JsonObject[] {
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const items: JsonObject[] = callsOf(message).map((call) => ({
    type: 'function_call',
    call_id: ids.next(call),
    name: legalToolName(call.toolName),
    arguments: JSON.stringify(call.input ?? {}),
  }))
  if (text !== '')
    items.unshift({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
  return items
}

function outputOf(output: ToolOutput): string | JsonObject[] {
  return output.type === 'content' && outputFiles(output).length > 0
    ? output.value.map(inputPart)
    : outputText(output) || '(no output)'
}

function inputPart(part: TextPart | FilePart): JsonObject {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  const { mediaType, data, filename = 'file' } = part
  const url = `data:${mediaType};base64,${data}`
  // Servers that check each field refuse an image without `detail` (vLLM).
  if (mediaType.startsWith('image/')) return { type: 'input_image', detail: 'auto', image_url: url }
  return /^(?:audio|video)\//.test(mediaType)
    ? { type: 'input_text', text: fileInWords(part) }
    : { type: 'input_file', filename, file_data: url }
}

/** The trailer is new each time, so it stands after all that a server may have cached. */
function addTrailer(input: JsonObject[], part: JsonObject): void {
  const last = input.at(-1)
  if (last?.['role'] === 'user')
    input[input.length - 1] = { ...last, content: [...(last['content'] as JsonObject[]), part] }
  else input.push({ type: 'message', role: 'user', content: [part] })
}
