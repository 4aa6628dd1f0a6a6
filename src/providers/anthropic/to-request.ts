import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { modelName } from '../../protocol/model.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { baseURLOf, endpointURL } from '../core/base-url.ts'
import { defined } from '../core/defined.ts'
import { strictParameters, type StrictRules } from '../core/strict-schema.ts'
import type { HttpRequest, ModelRequest, RequestConfig } from '../provider.ts'
import { textBlocks } from './content.ts'
import { addBlocks, messagesTurns, type Turn } from './messages.ts'
import type { MessagesRules } from './presets.ts'

const EPHEMERAL: JsonObject = { type: 'ephemeral' }

/** Addresses that are known to take `cache_control`. */
const CACHE_HOSTS = /^api\.(?:anthropic|minimaxi?)\.(?:com|io)$/

/**
 * The request of the Messages API (https://docs.anthropic.com/en/api/messages). Four cache breakpoints, the most that
 * it takes, stand after the tools, the system text and the two newest user turns, before the trailer. The older turn's
 * is where the last request wrote its cache: a lookup from the newest one ends after 20 blocks.
 */
export function toMessagesRequest(
  request: ModelRequest,
  config: RequestConfig,
  preset: {
    readonly providerId: string
    readonly rules: MessagesRules
  },
): HttpRequest {
  const { providerId, rules } = preset
  const { cache_control: asked = EPHEMERAL, ...extraBody } = config.extraBody ?? {}
  const baseURL = baseURLOf(config, rules, providerId)
  const { cache = asked !== EPHEMERAL || CACHE_HOSTS.test(baseURL.host) } = config
  const turns = messagesTurns(request, { providerId, takesFiles: rules.takesFiles })
  const system = textBlocks(systemText(request))
  const tools = toolFields(request, config, { turns, strict: rules.strict })
  const users = turns.filter(({ role }) => role === 'user')
  for (const blocks of [system, tools.tools, ...users.slice(-2).map(({ content }) => content)])
    mark(blocks, cache && asked)
  // A turn that is to be continued stays the last one: what is new stands before it.
  if (request.trailer)
    addBlocks(users.length > 0 ? users.slice(-1) : turns, 'user', textBlocks(request.trailer))
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
      ...defined({
        temperature: config.temperature,
        top_p: config.topP,
        stop_sequences: config.stop,
      }),
      ...extraBody,
    },
  }
}

/** Clients differ in whether the base URL holds the version. */
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

/** Marks the last block of a list as the end of what may be cached. */
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
  // A history with calls is refused unless tools are defined: those it names, not to be called.
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
