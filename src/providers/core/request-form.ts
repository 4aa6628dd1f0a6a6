import { textDigest } from '../../lib/text-digest.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  UserMessage,
} from '../../protocol/message.ts'
import { replaceFilesWithText, outputFiles, outputText } from '../sent-files.ts'
import type { ModelRequest, RequestConfig, RequestForm } from '../provider.ts'
import { minimalSchema, portableSchema } from './schema/portable-schema.ts'
import { asObjects, asRecord } from './read-json.ts'
import { wireId } from './wire-ids.ts'

// Changes that a form can have. They are readable strings, since they are stored.
// Lossless: `schemas portable`, `schemas minimal`, `ids short`, `contents filled`, `names none`, `strict off`,
// `tokens renamed`, `tokens max N`, `tokens min N`, `api responses`, `without FIELD` (a named field of the request).
// Lossy: `files TYPE` (no files whose media type starts with TYPE), `file DIGEST` (one file), `metadata none`,
// `metadata DIGEST` (a provider's metadata of one message), `calls text` (earlier calls are described in words),
// `tools text` (ACTION mode), `options none` (no optional field but those of `extraBody`), `roles simple` (instructions
// move to the first user message, roles alternate), `stream off`.

/** Applies the form's changes to messages and tools. */
export function applyFormToRequest(
  request: ModelRequest,
  form: RequestForm,
  providerId: string,
): ModelRequest {
  if (form.size === 0) return request
  const has = (change: string): boolean => form.has(change)
  let { messages, tools } = request
  messages = replaceFilesWithText(messages, (file) => isLeftOut(file, form))
  messages = messages.map((message) => withoutMetadata(message, form))
  if (has('calls text')) messages = messages.flatMap(describeCalls(providerId))
  if (has('ids short')) messages = messages.map(withShortIds)
  if (has('schemas portable') || has('schemas minimal')) {
    tools = tools.map((tool) => {
      const schema = portableSchema(tool.inputSchema)
      return { ...tool, inputSchema: has('schemas minimal') ? minimalSchema(schema) : schema }
    })
  }
  const formed = { ...request, messages, tools }
  return has('roles simple') ? withoutSystem(formed) : formed
}

export function applyFormToConfig(config: RequestConfig, form: RequestForm): RequestConfig {
  return form.has('strict off') ? { ...config, strictTools: false } : config
}

/**
 * Fields that a request needs, or that other changes handle. Without `store`, OpenAI keeps the conversation. Without
 * `provider`, OpenRouter sends it to vendors that the app has excluded.
 */
const REQUIRED = new Set(
  `model messages input instructions system tools stream store provider
  max_tokens max_completion_tokens max_output_tokens`.split(/\s+/),
)
const TOKEN_FIELDS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/**
 * Fields that may be left out, except those in `exempt`. Empty if no known field holds the conversation, as in `{
 * turns: […] }`: any field could hold it.
 */
export function optionalFields(body: JsonObject, exempt: JsonObject = {}): string[] {
  const names = body['messages'] || body['input'] ? Object.keys(body) : []
  return names.filter((name) => !REQUIRED.has(name) && !(name in exempt))
}

/**
 * Applies the form's changes to the body's fields. Fields of `extraBody`, such as a filter, are dropped only by a
 * change that names them.
 */
export function applyFormToBody(
  body: JsonObject,
  form: RequestForm,
  extraBody?: JsonObject,
): JsonObject {
  if (form.size === 0) return body
  const dropped = form.has('options none') ? optionalFields(body, extraBody) : []
  const formed: { [name: string]: JsonValue | undefined } = Object.fromEntries(
    Object.entries(body).filter(
      ([name]) => !form.has(`without ${name}`) && !dropped.includes(name),
    ),
  )
  const field = tokenField(formed as JsonObject)
  if (field !== undefined) {
    const value = tokensWithin(Number(formed[field]), form)
    formed[field] = undefined
    formed[form.has('tokens renamed') ? otherField(field) : field] = value
  }
  if (form.has('stream off')) {
    formed['stream'] = false
    formed['stream_options'] = undefined
  }
  for (const list of ['messages', 'input', 'system', 'tools'])
    if (Array.isArray(formed[list]))
      formed[list] = asObjects(formed[list]).map((entry) => applyFormToEntry(entry, form))
  return JSON.parse(JSON.stringify(formed)) as JsonObject
}

export function tokenField(body: JsonObject): string | undefined {
  return TOKEN_FIELDS.find((name) => body[name] !== undefined)
}

function tokensWithin(requested: number, form: RequestForm): number {
  return [...form].reduce((tokens, change) => {
    const [, bound, limit] = /^tokens (max|min) (\d+)$/.exec(change) ?? []
    return bound === undefined
      ? tokens
      : Math[bound === 'max' ? 'min' : 'max'](tokens, Number(limit))
  }, requested)
}

function otherField(field: string): string {
  return field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
}

/** Optional fields of messages, tools and content parts. */
const OPTIONAL = /^(cache_control|strict|citations|title|phase|status|eager_input_streaming)$/

function applyFormToEntry(entry: JsonObject, form: RequestForm): JsonObject {
  const isMessage = entry['role'] !== undefined
  const formed = Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) => {
      if (isMessage && name === 'name' && form.has('names none')) return []
      if (OPTIONAL.test(name) && form.has(`without ${name}`)) return []
      const isList = name === 'content' && Array.isArray(value)
      if (isList) return [[name, asObjects(value).map((part) => applyFormToEntry(part, form))]]
      const fn = name === 'function' ? (asRecord(value) as JsonObject | undefined) : undefined
      return [[name, fn ? applyFormToEntry(fn, form) : value]]
    }),
  ) as JsonObject
  return isBlank(formed) && form.has('contents filled') ? { ...formed, content: '…' } : formed
}

/** Whether a message has no content. */
export function isBlank({ role, content }: JsonObject): boolean {
  if (role === undefined) return false
  return content === null || (typeof content === 'string' && content.trim() === '')
}

/** Identifies a file to leave out. */
export function fileDigest({ data }: FilePart): string {
  return `file ${textDigest(data)}`
}

function isLeftOut(file: FilePart, form: RequestForm): boolean {
  if (form.has(fileDigest(file))) return true
  return [...form].some(
    (change) => change.startsWith('files ') && file.mediaType.startsWith(change.slice(6)),
  )
}

/** Identifies one message's metadata to leave out. */
export function metadataDigest(metadata: JsonObject): string {
  return `metadata ${textDigest(JSON.stringify(metadata))}`
}

function withoutMetadata(message: Message, form: RequestForm): Message {
  if (message.role !== 'assistant' || !message.providerMetadata) return message
  const { providerMetadata, ...rest } = message
  const isRemoved = Object.values(providerMetadata).some((metadata) =>
    form.has(metadataDigest(metadata)),
  )
  return isRemoved || form.has('metadata none') ? rest : message
}

/** Describes calls that lack this provider's metadata, and their results, in sentences. */
function describeCalls(providerId: string): (message: Message) => Message[] {
  const describedIds = new Set<string>()
  return (message) => {
    if (message.role === 'assistant') {
      if (message.providerMetadata?.[providerId]) return [message]
      const parts = message.parts.map((part): AssistantMessage['parts'][number] => {
        if (part.type !== 'tool-call') return part
        describedIds.add(part.toolCallId)
        return {
          type: 'text',
          text: `\nCalled ${part.toolName}: ${JSON.stringify(part.input ?? {})}`,
        }
      })
      return [{ ...message, parts }]
    }
    if (message.role !== 'tool') return [message]
    const described = message.parts.filter((part) => describedIds.has(part.toolCallId))
    const remaining = message.parts.filter((part) => !describedIds.has(part.toolCallId))
    const description: UserMessage = {
      role: 'user',
      parts: described.flatMap(({ toolName, output }) => [
        { type: 'text', text: `Result of ${toolName}: ${outputText(output)}` },
        ...outputFiles(output),
      ]),
    }
    return [
      ...(remaining.length > 0 ? [{ ...message, parts: remaining }] : []),
      ...(described.length > 0 ? [description] : []),
    ]
  }
}

/** Ids of nine letters and digits (Mistral's rule), which every known endpoint accepts. */
const SHORT_ID = { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 }

function withShortIds(message: Message): Message {
  const parts = message.parts.map((part) => {
    if (!('toolCallId' in part)) return part
    const toolCallId = wireId(part.toolCallId, SHORT_ID)
    return { ...part, toolCallId, providerCallId: toolCallId }
  })
  return { ...message, parts } as Message
}

/** Moves instructions and system messages to the beginning of the first user message. */
function withoutSystem({ instructions, ...request }: ModelRequest): ModelRequest {
  const texts = request.messages.flatMap((message) =>
    message.role === 'system' ? message.parts.map(({ text }) => text) : [],
  )
  const text = [instructions ?? '', ...texts].filter((one) => one !== '').join('\n\n')
  const messages = request.messages.filter(({ role }) => role !== 'system')
  if (text === '') return { ...request, messages }
  const [first] = messages
  const part: TextPart = { type: 'text', text }
  return {
    ...request,
    messages:
      first?.role === 'user'
        ? [{ ...first, parts: [part, ...first.parts] }, ...messages.slice(1)]
        : [{ role: 'user', parts: [part] }, ...messages],
  }
}
