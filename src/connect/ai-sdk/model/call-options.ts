import type { ModelConfigData, ToolChoice } from '../../../protocol/model.ts'
import { omitUndefined } from '../../../providers/core/read-json.ts'
import type { ModelRequest, StreamOptions } from '../../../providers/provider.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import type {
  FilePart,
  Message,
  TextPart,
  ToolOutput,
  ToolResultPart,
} from '../../../protocol/message.ts'
import { createWireIds, legalToolName, type WireIds } from '../../../providers/core/wire-ids.ts'
import { healHistory } from '../../../providers/heal-history.ts'
import { outputText, withFilesAsInput } from '../../../providers/sent-files.ts'
import { ownContent } from './own-content.ts'

interface Call {
  /** Id of the provider. */
  readonly id: string
  readonly model: LanguageModelLike
  readonly config: ModelConfigData
  readonly request: ModelRequest
  readonly headers: { readonly [name: string]: string }
  readonly signal: AbortSignal
}

/** Returns the options for `doStream`, without unset ones. */
export function callOptions({ id, model, config, request, headers, signal }: Call): {
  readonly [name: string]: unknown
} {
  const fields = {
    prompt: toPrompt(request, { id, specification: specificationOf(model) }),
    abortSignal: signal,
    maxOutputTokens: config.maxOutputTokens,
    temperature: config.temperature,
    topP: config.topP,
    stopSequences: config.stop,
    seed: config.seed,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    includeRawChunks: request.raw || undefined,
    ...toolFields(request, config),
  }
  return omitUndefined(fields)
}

function specificationOf({ specificationVersion }: LanguageModelLike): Specification {
  return specificationVersion === 'v2' || specificationVersion === 'v3'
    ? specificationVersion
    : 'v4'
}

function toolFields(
  { tools, toolMode }: ModelRequest,
  { toolChoice }: ModelConfigData,
): { readonly [name: string]: unknown } {
  if (toolMode === 'action' || tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      // Vendors require an object schema, even for a tool without parameters.
      inputSchema: { type: 'object', properties: {}, ...inputSchema },
    })),
    toolChoice: choiceOf(toolChoice),
  }
}

function choiceOf(choice: ToolChoice | undefined): object | undefined {
  if (choice === undefined) return undefined
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.toolName } : { type: choice }
}

/** Version of a model's specification. Versions after v4 are treated as v4. */
type Specification = 'v2' | 'v3' | 'v4'

interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | readonly JsonObject[]
}

interface Conversion {
  readonly specification: Specification
  /** Id of the provider, under which the model's own content is stored. */
  readonly id: string
  readonly ids: WireIds
}

/** Form of call ids that all vendors accept. */
const CALL_ID = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 }

/** Converts the conversation to a prompt for the AI SDK's models. */
function toPrompt(
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
    toolCallId: context.ids.getId(part.toolCallId),
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

/**
 * Appends the trailer at the end. It changes with each request, so it must follow the part that the vendor can cache.
 */
function withTrailer(prompt: readonly PromptMessage[], trailer: string): PromptMessage[] {
  const part = textContent({ type: 'text', text: trailer })
  const last = prompt.at(-1)
  return last?.role === 'user' && typeof last.content !== 'string'
    ? [...prompt.slice(0, -1), { role: 'user', content: [...last.content, part] }]
    : [...prompt, { role: 'user', content: [part] }]
}

/**
 * The part of an AI SDK language model that is used here, for the specifications `v2`, `v3` and `v4`. Structural, so no
 * version's types have to be installed.
 */
export interface LanguageModelLike {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** Input of a function that makes a model for one request. */
export interface LanguageModelRequest {
  /** The agent's `model` as the worker gets it. `config.model` is its name, `config.baseURL` its URL. */
  readonly config: ModelConfigData
  /** Key that the page gave for this request, if any. Never stored. */
  readonly apiKey?: string
  readonly headers: { readonly [name: string]: string }
  /** The page's `fetch`, if `transport: 'page'` is set. Missing: use the worker's own. */
  readonly fetch?: NonNullable<StreamOptions['fetch']>
}

/** Options of `fromLanguageModel`: the provider id, and additional options of each call. */
export interface LanguageModelOptions {
  /** Name that agents give as their `provider`. Default `'ai-sdk'`. */
  readonly id?: string
  /** Further options of each call, under the AI SDK's names: `providerOptions`, `reasoning`, `topK` … */
  readonly callOptions?: { readonly [name: string]: unknown }
}
