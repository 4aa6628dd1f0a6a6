import type { JsonObject } from '../../protocol/json.ts'
import { baseURLOf, endpointURL } from '../core/base-url.ts'
import { defined } from '../core/defined.ts'
import { asObjects, asRecord } from '../core/read-json.ts'
import type { ChatRules } from '../openai/presets.ts'
import { toolFields } from '../openai/to-request.ts'
import type { HttpRequest, ModelRequest, RequestConfig } from '../provider.ts'
import { inputItems } from './input-items.ts'

/**
 * The request of the Responses API (https://platform.openai.com/docs/api-reference/responses/create). The
 * server stores nothing: each request has the whole history, with reasoning that only the server can read.
 */
export function toResponsesRequest(
  request: ModelRequest,
  config: RequestConfig,
  { providerId, rules }: { readonly providerId: string; readonly rules: ChatRules },
): HttpRequest {
  const instructions = instructionsOf(request)
  return {
    url: endpointURL(baseURLOf(config, rules, providerId), '/responses'),
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
      ...defined({
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

/** Chat Completions' fields for tools, without the level `function`. */
function flatTools(fields: JsonObject): JsonObject {
  const choice = asRecord(fields['tool_choice']) as JsonObject | undefined
  return {
    ...fields,
    // The API makes tools strict unless told otherwise.
    ...(fields['tools'] !== undefined && {
      tools: asObjects(fields['tools']).map((tool) => ({ strict: false, ...flat(tool) })),
    }),
    ...(choice && { tool_choice: flat(choice) }),
  }
}

function flat({ function: named, ...fields }: JsonObject): JsonObject {
  return { ...fields, ...(named as JsonObject) }
}
