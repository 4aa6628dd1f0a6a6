import { resolveBaseURL, endpointURL } from '../core/base-url.ts'
import type { ChatRules } from '../openai/presets.ts'
import type {
  HttpProviderDefinition,
  HttpRequest,
  ModelRequest,
  RequestConfig,
} from '../provider.ts'
import {
  endResponses,
  mapResponsesEvent,
  type ResponsesState,
  startResponses,
} from './map-event.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { omitUndefined, asObjects, asRecord, asText, parseJson } from '../core/read-json.ts'
import { toolFields } from '../openai/to-request.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolOutput,
} from '../../protocol/message.ts'
import { createWireIds, legalToolName, type WireIds } from '../core/wire-ids.ts'
import { answerText, callsOf, healHistory } from '../heal-history.ts'
import { describeFile, outputFiles, outputText, withFilesAsInput } from '../sent-files.ts'
import { sameJson } from '../../lib/json/same-json.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { asArguments } from '../core/parse-tool-input.ts'
import { withoutStrictNulls } from '../core/schema/strict-nulls.ts'
import { GAP, isPicture, partText, withPictures } from './item-content.ts'

/** Defines OpenAI's Responses API with one server's rules. */
export function defineResponses(
  id: string,
  rules: ChatRules,
): HttpProviderDefinition<ResponsesState> {
  return {
    id,
    baseURL: (config) => resolveBaseURL(config, rules, id).href,
    toRequest: (request, config) => toResponsesRequest(request, config, { providerId: id, rules }),
    start: (request, { strictTools = false, maxOutputTokens }) =>
      startResponses(id, request, {
        isStrict: strictTools && rules.strict !== null,
        limit: maxOutputTokens,
      }),
    mapChunk: mapResponsesEvent,
    end: endResponses,
  }
}

/**
 * Builds the request of the Responses API (https://platform.openai.com/docs/api-reference/responses/create). The server
 * stores nothing, so each request has the whole history, with encrypted reasoning.
 */
function toResponsesRequest(
  request: ModelRequest,
  config: RequestConfig,
  { providerId, rules }: { readonly providerId: string; readonly rules: ChatRules },
): HttpRequest {
  const instructions = instructionsOf(request)
  return {
    url: endpointURL(resolveBaseURL(config, rules, providerId), '/responses'),
    headers: {
      ...(config.apiKey && { authorization: `Bearer ${config.apiKey}` }),
      ...config.headers,
    },
    body: {
      model: config.model,
      ...(instructions && { instructions }),
      input: inputItems(request, providerId),
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      ...(request.toolMode !== 'action' && flatTools(toolFields(request.tools, config, rules))),
      ...omitUndefined({
        max_output_tokens: config.maxOutputTokens,
        temperature: config.temperature,
        top_p: config.topP,
      }),
      ...config.extraBody,
    },
  }
}

function instructionsOf({ instructions, messages }: ModelRequest): string {
  const stored = messages.flatMap((message) =>
    message.role === 'system' ? message.parts.map((part) => part.text) : [],
  )
  return [instructions, ...stored].filter(Boolean).join('\n\n')
}

/** Converts the tool fields of Chat Completions: removes the nested `function`. */
function flatTools(fields: JsonObject): JsonObject {
  const choice = asRecord(fields['tool_choice']) as JsonObject | undefined
  return {
    ...fields,
    // The API makes tools strict by default.
    ...(fields['tools'] !== undefined && {
      tools: asObjects(fields['tools']).map((tool) => ({ strict: false, ...flat(tool) })),
    }),
    ...(choice && { tool_choice: flat(choice) }),
  }
}

function flat({ function: functionFields, ...fields }: JsonObject): JsonObject {
  return { ...fields, ...(functionFields as JsonObject) }
}

/** The conversation as items of the Responses API, without system texts. */
function inputItems(request: ModelRequest, providerId: string): JsonObject[] {
  const ids = createWireIds({ pattern: /^.{1,64}$/s, length: 24 })
  const itemsByMessage = new Map<Message, readonly JsonObject[]>()
  const history = healHistory(request.messages).map((message) => {
    const items = message.role === 'assistant' && ownItems(message, request, providerId)
    if (!items) return message
    // The items already contain the files.
    const sent = { ...message, parts: message.parts.filter(({ type }) => type !== 'file') }
    itemsByMessage.set(sent, items)
    return sent
  })
  const input = withFilesAsInput(history).flatMap((message) =>
    itemsOf(message, ids, itemsByMessage.get(message)),
  )
  if (request.trailer) addTrailer(input, { type: 'input_text', text: request.trailer })
  return input
}

function itemsOf(
  message: Message,
  ids: WireIds,
  storedItems: readonly JsonObject[] | undefined,
): JsonObject[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return [{ type: 'message', role: 'user', content: message.parts.map(inputPart) }]
    case 'assistant':
      return storedItems ? withIds(storedItems, callsOf(message), ids) : builtItems(message, ids)
    case 'tool':
      return message.parts.map((part) => ({
        type: 'function_call_output',
        call_id: ids.getId(part.toolCallId),
        output: outputOf(part.output),
      }))
    default:
      return message satisfies never
  }
}

/** The items unchanged, except for call ids that the API would refuse. */
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
  const text = answerText(message)
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
    ? { type: 'input_text', text: describeFile(part) }
    : { type: 'input_file', filename, file_data: url }
}

/** Adds the trailer at the end. Only the trailer changes with each request, so everything before it can be cached. */
function addTrailer(input: JsonObject[], part: JsonObject): void {
  const last = input.at(-1)
  if (last?.['role'] === 'user')
    input[input.length - 1] = { ...last, content: [...(last['content'] as JsonObject[]), part] }
  else input.push({ type: 'message', role: 'user', content: [part] })
}

/**
 * Returns all original items of an answer: reasoning is valid only with the exact items that followed it. Undefined if
 * the message has changed since.
 */
function ownItems(
  message: AssistantMessage,
  { toolMode, tools }: ModelRequest,
  providerId: string,
): JsonObject[] | undefined {
  const items = asObjects(message.providerMetadata?.[providerId]?.['items'])
  if (items.length === 0 || toolMode === 'action' || hasUnanswered(items)) return undefined
  const calls = callsOf(message)
  const files = message.parts.filter((part) => part.type === 'file')
  const callItems = items.filter(({ type }) => type === 'function_call')
  const isSame =
    // An item with another role could act as an instruction.
    items.every(({ role = 'assistant' }) => role === 'assistant') &&
    textOf(items) === answerText(message) &&
    callItems.length === calls.length &&
    calls.every((call, at) => isSameCall(call, callItems[at] ?? {}, tools)) &&
    items.filter(isPicture).length === files.length
  return isSame ? withPictures(items, files) : undefined
}

/** Whether an item awaits an output that the page never sends (custom and computer calls). OpenAI refuses these. */
function hasUnanswered(items: readonly JsonObject[]): boolean {
  return items.some(
    (item) =>
      item['type'] !== 'function_call' &&
      asText(item['call_id']) !== undefined &&
      !items.some((other) => other !== item && other['call_id'] === item['call_id']),
  )
}

function textOf(items: readonly JsonObject[]): string {
  return items
    .filter(({ type }) => type === 'message')
    .map(({ content }) => asObjects(content).map(partText).join(''))
    .filter((text) => text !== '')
    .join(GAP)
}

function isSameCall(
  { toolName, input }: ToolCallPart,
  item: JsonObject,
  tools: readonly ToolDefinition[],
): boolean {
  const parsedInput = parseJson(asArguments(item['arguments']) || '{}') as JsonValue | undefined
  if (item['name'] !== toolName || parsedInput === undefined || input === undefined) return false
  const tool = tools.find(({ name }) => name === toolName)
  return (
    sameJson(parsedInput, input) ||
    (tool !== undefined && sameJson(withoutStrictNulls(parsedInput, tool.inputSchema), input))
  )
}
