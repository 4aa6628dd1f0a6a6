import type { JsonObject } from '../../protocol/json.ts'
import type { StrictRules } from '../core/schema/strict-schema.ts'
import type { ChatId } from '../provider.ts'

/** Differences between servers with Chat Completions, as data: the code names no vendor. */
export interface ChatRules {
  /** Base URL without a trailing slash. Null: the configuration must have one. */
  readonly baseURL: string | null
  /** Appended to a base URL that has no path of its own. */
  readonly defaultPath: string
  readonly tokenField: 'max_tokens' | 'max_completion_tokens'
  /** Whether to send `stream_options.include_usage`, a field that some servers refuse. */
  readonly requestsUsage: boolean
  /** `content` of an assistant message with calls only. Some servers refuse null. */
  readonly emptyContent: null | ''
  /** Tool messages carry the tool's `name`. */
  readonly namesToolMessages: boolean
  /** A user message may follow a tool message. If false, the user's text joins the tool's result. */
  readonly userAfterTool: boolean
  /** Adjacent user messages are joined. */
  readonly mergesUsers: boolean
  /** `tool_choice` may name a tool. If false, only that tool is offered, with `required`. */
  readonly namedToolChoice: boolean
  /** Thinking is sent back unchanged, as a part of the message's content. */
  readonly takesThinking: boolean
  /** The server uses only the last of several system messages, so they are joined. */
  readonly mergesSystem: boolean
  /** Request fields that the server refuses, so they are left out. */
  readonly unsupportedFields: readonly ('seed' | 'parallel_tool_calls')[]
  /** Schemas of tool parameters: unchanged, or only the part of JSON Schema that OpenAPI 3.0 has. */
  readonly toolSchemas: 'json-schema' | 'portable'
  /** Rules for strict tools; null if unsupported. */
  readonly strict: StrictRules | null
  /** Fields to add to every call of a message if no call has fields of this server. Null: add none. */
  readonly unsignedCall: JsonObject | null
  readonly toolCallId: RegExp
  readonly toolCallIdLength: number
}

const anyId = { toolCallId: /^.+$/s, toolCallIdLength: 64 } as const

/** https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas". */
const strict: StrictRules = {
  allRequired: true,
  keywords: new Set(
    'description pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems'.split(
      ' ',
    ),
  ),
  formats: new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' ')),
  limits: { tools: Infinity, optional: Infinity, unions: Infinity },
}

const openai: ChatRules = {
  baseURL: 'https://api.openai.com/v1',
  defaultPath: '',
  tokenField: 'max_completion_tokens',
  requestsUsage: true,
  emptyContent: null,
  namesToolMessages: false,
  userAfterTool: true,
  mergesUsers: false,
  namedToolChoice: true,
  takesThinking: false,
  mergesSystem: false,
  unsupportedFields: [],
  toolSchemas: 'json-schema',
  strict,
  unsignedCall: null,
  toolCallId: /^.{1,40}$/s,
  toolCallIdLength: 40,
}

/** Alternating roles, which many models' chat templates require. */
export const simpleRoles = { userAfterTool: false, mergesUsers: true } as const

/** Rules that every known server accepts: no optional fields, no nulls, no turns that a template refuses. */
export const compatible: ChatRules = {
  ...openai,
  ...anyId,
  ...simpleRoles,
  baseURL: null,
  tokenField: 'max_tokens',
  requestsUsage: false,
  emptyContent: '',
  namesToolMessages: true,
  strict: null,
}

const local = (baseURL: string): ChatRules => ({ ...compatible, baseURL, defaultPath: '/v1' })

/**
 * Rules of Google's endpoint (https://ai.google.dev/gemini-api/docs/openai; docs/providers/quirks.md, G1 to G14). A
 * user message after a tool result would begin another turn.
 */
const geminiRules = {
  ...anyId,
  namesToolMessages: true,
  userAfterTool: false,
  namedToolChoice: false,
  mergesSystem: true,
  unsupportedFields: ['seed', 'parallel_tool_calls'],
  toolSchemas: 'portable',
  strict: null,
  unsignedCall: {
    extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
  },
} as const satisfies Partial<ChatRules>

const gemini: ChatRules = {
  ...openai,
  ...geminiRules,
  baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
  defaultPath: '/v1beta/openai',
  tokenField: 'max_tokens',
}

/** Rules by provider id. Ports are the servers' defaults. */
export const chatPresets: { readonly [Id in ChatId]: ChatRules } = {
  openai,
  gemini,
  ollama: local('http://localhost:11434/v1'),
  lmstudio: { ...local('http://localhost:1234/v1'), namedToolChoice: false },
  llamacpp: local('http://localhost:8080/v1'),
  vllm: local('http://localhost:8000/v1'),
  localai: local('http://localhost:8080/v1'),
  'openai-compatible': compatible,
}

/**
 * Rules for vendors' own addresses, by host name, where they differ from the preset. Mistral: tool call ids are nine
 * letters or digits. Vendors with `requestsUsage` document the option.
 */
export const hostRules: { readonly [host: string]: Partial<ChatRules> } = {
  'api.mistral.ai': {
    namesToolMessages: true,
    takesThinking: true,
    toolCallId: /^[a-zA-Z0-9]{9}$/,
    toolCallIdLength: 9,
  },
  'api.deepseek.com': { requestsUsage: true, userAfterTool: true },
  'openrouter.ai': { requestsUsage: true, userAfterTool: true },
  'api.groq.com': { requestsUsage: true, userAfterTool: true },
  'generativelanguage.googleapis.com': geminiRules,
}
