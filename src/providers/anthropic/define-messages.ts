import { resolveBaseURL, endpointURL } from '../core/base-url.ts'
import type {
  MessagesId,
  HttpProviderDefinition,
  HttpRequest,
  ModelRequest,
  RequestConfig,
} from '../provider.ts'
import { endMessages, mapMessagesEvent, type MessagesState, startMessages } from './map-event.ts'
import { messagesPresets, type MessagesRules } from './presets.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { modelName } from '../../protocol/model.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { omitUndefined, asObject, asObjects } from '../core/read-json.ts'
import { strictParameters, type StrictRules } from '../core/schema/strict-schema.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
} from '../../protocol/message.ts'
import { createWireIds, legalToolName, type WireIds } from '../core/wire-ids.ts'
import { answerText, callsOf, healHistory } from '../heal-history.ts'
import { describeFile, outputText, withFilesAsInput } from '../sent-files.ts'

/** Content blocks of a user message, without blank text blocks, which the API refuses. */
function userBlocks(parts: readonly (TextPart | FilePart)[], takesFiles: boolean): JsonObject[] {
  return parts.flatMap((part) =>
    part.type === 'text' ? textBlocks(part.text) : [fileBlock(part, takesFiles)],
  )
}

function textBlocks(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function fileBlock(part: FilePart, takesFiles: boolean): JsonObject {
  const { mediaType, data, filename } = part
  const source = { type: 'base64', media_type: mediaType, data }
  const isKnown = mediaType.startsWith('image/') || mediaType === 'application/pdf'
  if (!takesFiles || !isKnown) {
    return { type: 'text', text: describeFile(part) }
  }
  return mediaType.startsWith('image/')
    ? { type: 'image', source }
    : { type: 'document', source, ...(filename !== undefined && { title: filename }) }
}

function resultBlock(
  { output }: ToolResultPart,
  toolUseId: string,
  takesFiles: boolean,
): JsonObject {
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: resultContent(output, takesFiles),
    ...((output.type === 'error' || output.type === 'denied') && { is_error: true }),
  }
}

function resultContent(output: ToolOutput, takesFiles: boolean): string | JsonObject[] {
  const hasFiles = output.type === 'content' && output.value.some((part) => part.type === 'file')
  return hasFiles ? userBlocks(output.value, takesFiles) : outputText(output) || '(no output)'
}

/** Defines Anthropic's Messages API with one vendor's rules. */
function defineMessages(id: string, rules: MessagesRules): HttpProviderDefinition<MessagesState> {
  return {
    id,
    baseURL: (config) => resolveBaseURL(config, rules, id).href,
    toRequest: (request, config) => toMessagesRequest(request, config, { providerId: id, rules }),
    start: (request) => startMessages(id, request),
    mapChunk: mapMessagesEvent,
    end: endMessages,
    isEnding: (state) => state.stopReason !== undefined,
  }
}

/** Anthropic's or MiniMax's provider. */
export function messagesProvider(id: MessagesId): HttpProviderDefinition<MessagesState> {
  return defineMessages(id, messagesPresets[id])
}

const EPHEMERAL: JsonObject = { type: 'ephemeral' }

/** Hosts known to accept `cache_control`. */
const CACHE_HOSTS = /^api\.(?:anthropic|minimaxi?)\.(?:com|io)$/

/**
 * Builds the request of the Messages API (https://docs.anthropic.com/en/api/messages). Sets four cache breakpoints, the
 * API's maximum: after the tools, after the system text, and after the two newest user turns. The trailer follows them.
 * The previous request wrote its cache at the older turn. A lookup from the newest turn alone covers only 20 blocks.
 */
function toMessagesRequest(
  request: ModelRequest,
  config: RequestConfig,
  preset: {
    readonly providerId: string
    readonly rules: MessagesRules
  },
): HttpRequest {
  const { providerId, rules } = preset
  const { cache_control: cacheControl = EPHEMERAL, ...extraBody } = config.extraBody ?? {}
  const baseURL = resolveBaseURL(config, rules, providerId)
  const { cache = cacheControl !== EPHEMERAL || CACHE_HOSTS.test(baseURL.host) } = config
  const turns = messagesTurns(request, { providerId, takesFiles: rules.acceptsFiles })
  const system = textBlocks(systemText(request))
  const tools = toolFields(request, config, { turns, strict: rules.strict })
  const userTurns = turns.filter(({ role }) => role === 'user')
  for (const blocks of [system, tools.tools, ...userTurns.slice(-2).map(({ content }) => content)])
    mark(blocks, cache && cacheControl)
  // An assistant turn to be continued must stay last, so the trailer goes into the last user turn.
  if (request.trailer)
    addBlocks(
      userTurns.length > 0 ? userTurns.slice(-1) : turns,
      'user',
      textBlocks(request.trailer),
    )
  return {
    url: messagesURL(baseURL),
    headers: {
      ...rules.headers,
      ...(config.apiKey && { [rules.keyHeader]: keyValue(config.apiKey, rules) }),
      ...config.headers,
    },
    body: {
      model: modelName(config),
      max_tokens: config.maxOutputTokens ?? rules.maxTokens,
      ...(system.length > 0 && { system }),
      messages: turns.map(({ role, content }) => ({ role, content })),
      stream: true,
      ...(tools.tools.length > 0 && tools),
      ...omitUndefined({
        temperature: config.temperature,
        top_p: config.topP,
        stop_sequences: config.stop,
      }),
      ...extraBody,
    },
  }
}

/** URL of the endpoint. Some base URLs contain the version, some don't. */
function messagesURL(baseURL: URL): string {
  const hasVersion = /\/v1(\/messages)?\/?$/.test(baseURL.pathname)
  return endpointURL(baseURL, hasVersion ? '/messages' : '/v1/messages')
}

function keyValue(apiKey: string, rules: MessagesRules): string {
  return rules.keyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey
}

function systemText({ instructions, messages }: ModelRequest): string {
  const stored = messages.flatMap((message) =>
    message.role === 'system' ? message.parts.map((part) => part.text) : [],
  )
  return [instructions ?? '', ...stored].filter((text) => text !== '').join('\n\n')
}

/** Sets a cache breakpoint at the last block of a list. */
function mark(blocks: JsonObject[], cache: JsonValue): void {
  const last = blocks.pop()
  if (last) blocks.push(cache ? { ...last, cache_control: cache } : last)
}

interface ToolFields {
  readonly tools: JsonObject[]
  readonly tool_choice?: JsonObject
}

function toolFields(
  request: ModelRequest,
  config: RequestConfig,
  { turns, strict }: { readonly turns: readonly Turn[]; readonly strict: StrictRules | null },
): ToolFields {
  const { toolChoice, parallelToolCalls, strictTools } = config
  const isOffered = request.toolMode !== 'action' && request.tools.length > 0
  // The API refuses a history with calls unless tools are defined. Therefore defines the called tools, and forbids
  // further calls.
  if (!isOffered) {
    const tools = namesUsed(turns).map((name) => ({ name, input_schema: { type: 'object' } }))
    return { tools, tool_choice: { type: 'none' } }
  }
  const isSerial = parallelToolCalls === false
  const choice =
    typeof toolChoice === 'object'
      ? { type: 'tool', name: toolChoice.toolName }
      : toolChoice !== undefined || isSerial
        ? { type: toolChoice === 'required' ? 'any' : (toolChoice ?? 'auto') }
        : undefined
  const schemas = strictTools && strict ? strictParameters(request.tools, strict) : []
  return {
    tools: request.tools.map((tool, at) => messagesTool(tool, schemas[at] ?? null)),
    ...(choice && {
      tool_choice: {
        ...choice,
        ...(isSerial && choice.type !== 'none' && { disable_parallel_tool_use: true }),
      },
    }),
  }
}

function messagesTool(
  { name, description, inputSchema }: ToolDefinition,
  strict: JsonObject | null,
): JsonObject {
  if (strict) return { name, description, strict: true, input_schema: strict }
  return { name, description, input_schema: { type: 'object', ...inputSchema } as JsonObject }
}

function namesUsed(turns: readonly Turn[]): string[] {
  const uses = turns.flatMap((turn) => turn.content).filter((block) => block['type'] === 'tool_use')
  return [...new Set(uses.map((block) => String(block['name'])))]
}

/** A turn of the request body. Roles alternate, so blocks of the same role join the last turn. */
interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject[]
}

interface TurnsOptions {
  readonly providerId: string
  readonly takesFiles: boolean
}

/** The conversation in the form of the Messages API, without system text and trailer. */
function messagesTurns(request: ModelRequest, options: TurnsOptions): Turn[] {
  const turns: Turn[] = []
  const ids = createWireIds({ pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 })
  for (const message of withFilesAsInput(healHistory(request.messages))) {
    addBlocks(turns, roleOf(message), blocksOf(message, ids, options))
  }
  const answeredTurns = withoutUnanswered(turns)
  // The API requires a user turn first.
  if (answeredTurns[0]?.role === 'assistant') {
    answeredTurns.unshift({ role: 'user', content: textBlocks('(The conversation goes on.)') })
  }
  return answeredTurns
}

/**
 * Leaves out calls of the API's own tools that have no result in any turn: the API refuses them. A turn that was paused
 * and never continued has such calls. Turns with calls of the page's tools stay whole: code that the API runs may call
 * these tools, and its own result comes after theirs.
 */
function withoutUnanswered(turns: readonly Turn[]): Turn[] {
  const results = new Set(
    turns.flatMap(({ content }) => content.map((block) => block['tool_use_id'])),
  )
  const keptTurns: Turn[] = []
  for (const [at, { role, content }] of turns.entries()) {
    const isOver = at < turns.length - 1 && !content.some(isUse)
    const isAnswered = (block: JsonObject): boolean =>
      !/^(server|mcp)_tool_use$/.test(String(block['type'])) || results.has(block['id'])
    addBlocks(keptTurns, role, isOver ? content.filter(isAnswered) : content)
  }
  return keptTurns
}

/** Adds blocks to the last turn if it has the role, else as a new turn. */
function addBlocks(turns: Turn[], role: Turn['role'], blocks: readonly JsonObject[]): void {
  if (blocks.length === 0) return
  const last = turns[turns.length - 1]
  if (last?.role === role) last.content.push(...blocks)
  else turns.push({ role, content: [...blocks] })
}

function roleOf(message: Message): Turn['role'] {
  return message.role === 'assistant' ? 'assistant' : 'user'
}

function blocksOf(message: Message, ids: WireIds, options: TurnsOptions): JsonObject[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return userBlocks(message.parts, options.takesFiles)
    case 'assistant':
      return assistantBlocks(message, ids, options)
    case 'tool':
      return resultBlocks(message, ids, options)
    default:
      return message satisfies never
  }
}

function assistantBlocks(
  message: AssistantMessage,
  ids: WireIds,
  { providerId }: TurnsOptions,
): JsonObject[] {
  const calls = callsOf(message)
  const uses = calls.map((call) => useBlock(call, ids.next(call)))
  const storedContent = asObjects(message.providerMetadata?.[providerId]?.['content'])
  // The stored content is used only if it has as many calls as the message.
  if (storedContent.length > 0 && storedContent.filter(isUse).length === calls.length) {
    return storedContent.flatMap((block) =>
      isUse(block) ? [{ ...block, ...idAndName(uses.shift()) }] : replayable(block),
    )
  }
  const text = answerText(message)
  return [...textBlocks(text), ...uses]
}

function useBlock(call: ToolCallPart, id: string): JsonObject {
  return { type: 'tool_use', id, name: legalToolName(call.toolName), input: asObject(call.input) }
}

function idAndName(use: JsonObject | undefined): JsonObject {
  return use ? { id: use['id'] ?? '', name: use['name'] ?? '' } : {}
}

/** Leaves out blank text blocks, which the API refuses. */
function replayable(block: JsonObject): JsonObject[] {
  const isBlank = block['type'] === 'text' && String(block['text'] ?? '').trim() === ''
  return isBlank ? [] : [block]
}

function isUse(block: JsonObject): boolean {
  return block['type'] === 'tool_use'
}

function resultBlocks(message: ToolMessage, ids: WireIds, options: TurnsOptions): JsonObject[] {
  return message.parts.map((part) =>
    resultBlock(part, ids.getId(part.toolCallId), options.takesFiles),
  )
}
