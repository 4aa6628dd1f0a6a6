import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { ToolChoice } from '../../protocol/model.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { resolveBaseURL, endpointURL } from '../core/base-url.ts'
import { omitUndefined } from '../core/read-json.ts'
import { portableSchema } from '../core/schema/portable-schema.ts'
import { strictParameters } from '../core/schema/strict-schema.ts'
import type { HttpRequest, ModelRequest, RequestConfig } from '../provider.ts'
import { chatMessages } from './messages.ts'
import { hostRules, type ChatRules } from './presets.ts'

/**
 * Builds the request of Chat Completions (https://platform.openai.com/docs/api-reference/chat/create), with the fields
 * that the server is known to accept.
 */
export function toChatRequest(
  request: ModelRequest,
  config: RequestConfig,
  preset: { readonly providerId: string; readonly rules: ChatRules },
): HttpRequest {
  const { providerId } = preset
  const baseURL = resolveBaseURL(config, preset.rules, providerId)
  const rules = { ...preset.rules, ...hostRules[baseURL.hostname] }
  return {
    url: endpointURL(baseURL, '/chat/completions'),
    headers: {
      ...(config.apiKey && { authorization: `Bearer ${config.apiKey}` }),
      ...config.headers,
    },
    body: chatBody(request, config, { providerId, rules }),
  }
}

/** The request's body. Engines without an address use it, too. */
export function chatBody(
  request: ModelRequest,
  config: RequestConfig,
  { providerId, rules }: { readonly providerId: string; readonly rules: ChatRules },
): JsonObject {
  return {
    model: config.model,
    messages: chatMessages(request, { providerId, rules }),
    stream: true,
    ...(rules.requestsUsage && { stream_options: { include_usage: true } }),
    ...(request.toolMode !== 'action' && toolFields(request.tools, config, rules)),
    ...sampling(config, rules),
    ...config.extraBody,
  }
}

function sampling(config: RequestConfig, rules: ChatRules): JsonObject {
  return supportedFields(rules, {
    [rules.tokenField]: config.maxOutputTokens,
    temperature: config.temperature,
    top_p: config.topP,
    stop: config.stop,
    seed: config.seed,
  })
}

/** The tool fields. The Responses API has the same fields without the nested `function`. */
export function toolFields(
  tools: readonly ToolDefinition[],
  { toolChoice, parallelToolCalls, strictTools }: RequestConfig,
  rules: ChatRules,
): JsonObject {
  if (tools.length === 0) return {}
  const isNamed = typeof toolChoice === 'object'
  const offered =
    isNamed && !rules.namedToolChoice
      ? tools.filter((tool) => tool.name === toolChoice.toolName)
      : tools
  const strict = strictTools && rules.strict ? strictParameters(offered, rules.strict) : []
  return {
    tools: offered.map((tool, at) =>
      strict[at] ? strictTool(tool, strict[at]) : chatTool(tool, rules),
    ),
    ...supportedFields(rules, {
      tool_choice: isNamed && !rules.namedToolChoice ? 'required' : wireChoice(toolChoice),
      parallel_tool_calls: parallelToolCalls,
    }),
  }
}

/** Drops undefined fields, and fields that the server refuses. */
function supportedFields(
  { unsupportedFields }: ChatRules,
  fields: { readonly [name: string]: JsonValue | undefined },
): JsonObject {
  const unsupported: readonly string[] = unsupportedFields
  return omitUndefined(
    Object.fromEntries(Object.entries(fields).filter(([name]) => !unsupported.includes(name))),
  )
}

function strictTool({ name, description }: ToolDefinition, parameters: JsonObject): JsonObject {
  return { type: 'function', function: { name, description, strict: true, parameters } }
}

function chatTool(
  { name, description, inputSchema }: ToolDefinition,
  rules: ChatRules,
): JsonObject {
  if (rules.toolSchemas === 'portable') {
    const parameters = portableSchema(inputSchema)
    const hasAny = parameters['properties'] !== undefined
    return { type: 'function', function: { name, description, ...(hasAny && { parameters }) } }
  }
  // Servers require an object schema even for a tool without parameters.
  const parameters = { type: 'object', properties: {}, ...inputSchema } as JsonObject
  return { type: 'function', function: { name, description, parameters } }
}

function wireChoice(choice: ToolChoice | undefined): JsonValue | undefined {
  return typeof choice === 'object'
    ? { type: 'function', function: { name: choice.toolName } }
    : choice
}
