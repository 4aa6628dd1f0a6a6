import type { JsonObject, JsonValue } from './json.ts'
import type { ErrorData } from './error.ts'

/**
 * Fields that Offstage doesn't use in an imported message or part, by source format. Models don't get them; `toOpenAI`,
 * `toResponses` and `toAnthropic` restore them.
 */
export interface Foreign {
  readonly openai?: JsonObject
  readonly responses?: JsonObject
  readonly anthropic?: JsonObject
}

/** Text in a message, of any role. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly foreign?: Foreign
}

/** The model's reasoning. Shown separately from the reply, and sent back only through `providerMetadata`. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
}

/**
 * An attachment from a person or tool, or a file that the model produced. `data` is base64; a `data:` prefix in an
 * input is removed.
 */
export interface FilePart {
  readonly type: 'file'
  readonly mediaType: string
  readonly data: string
  readonly filename?: string
  readonly foreign?: Foreign
}

/** Error codes of calls, as the model reads them. Codes of the ACTION specification are in snake_case. */
export type CallErrorCode =
  | 'malformed'
  | 'unknown_tool'
  | 'invalid_params'
  | 'denied'
  | 'failed'
  | 'timeout'
  | 'interrupted'
  | 'truncated'
  | 'invalid-json'
  | 'aborted'
  | 'workflow-changed'
  | 'not-kept'

/** Reason why a call could not run. The model reads it, and may correct the call. */
export interface CallError {
  readonly code: CallErrorCode
  readonly message: string
  /** The name that was probably meant. */
  readonly suggestion?: string
}

/**
 * A call that the model requested, with either `input` or `error`. A call with an `error` (cut short, unparsable,
 * unknown) never runs, and its arguments are never invented.
 */
export type ToolCallPart = {
  readonly type: 'tool-call'
  /** Unique within the conversation. */
  readonly toolCallId: string
  readonly toolName: string
  /** The provider's id, if Offstage had to replace it. Sent back to the provider. */
  readonly providerCallId?: string
  /** Native mode: the model wrote the call as text. */
  readonly rescued?: boolean
  readonly foreign?: Foreign
} & (
  | { readonly input: JsonValue; readonly error?: never }
  | { readonly error: CallError; readonly input?: never; readonly rawInput?: string }
)

/** Result of a tool call. */
export type ToolOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'json'; readonly value: JsonValue }
  | { readonly type: 'content'; readonly value: readonly (TextPart | FilePart)[] }
  | { readonly type: 'error'; readonly code: CallErrorCode; readonly message: string }
  | { readonly type: 'denied'; readonly reason?: string }

/** Result of one call, in a tool message. */
export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly providerCallId?: string
  readonly output: ToolOutput
  /** Additional information for the model: that a person changed the input, for example. */
  readonly note?: string
  readonly foreign?: Foreign
}

/**
 * Provider-specific content of an assistant message (thinking signatures, `reasoning_content` …), by provider id. Sent
 * back unchanged to that provider, and to no other.
 */
export type ProviderMetadata = { readonly [providerId: string]: JsonObject }

/** Instructions for the model. */
export interface SystemMessage {
  readonly role: 'system'
  readonly id?: string
  readonly parts: readonly TextPart[]
  readonly foreign?: Foreign
}

/** Message to the model from a person, a trigger or a calling agent. Feedback by Offstage is `synthetic`. */
export interface UserMessage {
  readonly role: 'user'
  readonly id?: string
  readonly parts: readonly (TextPart | FilePart)[]
  /** Written by Offstage for the model (feedback on an unreadable call), not by the person. */
  readonly synthetic?: boolean
  /** Title of the trigger that sent the message: see `agent.trigger()`. Undefined for messages of people and agents. */
  readonly trigger?: string
  /** The text may hold untrusted content. */
  readonly untrusted?: boolean
  readonly foreign?: Foreign
}

/** Content that was left out of a request to the model. `code`: code of the warning. */
export interface Loss {
  readonly code: string
  readonly message: string
}

/** Answer of the model: text, reasoning, files and calls. */
export interface AssistantMessage {
  readonly role: 'assistant'
  readonly id?: string
  readonly parts: readonly (TextPart | ReasoningPart | FilePart | ToolCallPart)[]
  readonly providerMetadata?: ProviderMetadata
  /** ACTION mode: the model's output as written, block included. Sent back in ACTION mode. */
  readonly actionText?: string
  /** The message was cut short by an abort or a failure. */
  readonly partial?: boolean
  /** Losses in the run's requests since its previous answer. */
  readonly losses?: readonly Loss[]
  readonly foreign?: Foreign
}

/** Results of the calls in the assistant message before it. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly id?: string
  /** Results, one for each call and in the same order. */
  readonly parts: readonly ToolResultPart[]
  readonly foreign?: Foreign
}

/**
 * Kind of a message. `tools`: tool results; `feedback`: the loop's report to the model about an unreadable answer;
 * `partial`: an answer that was cut short.
 */
export type MessageKind = 'user' | 'assistant' | 'tools' | 'feedback' | 'partial' | 'imported'

/** Stored messages always have an `id`; messages for a provider may lack it. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** Token counts. A count that the provider didn't report is undefined, never zero. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
  /** Input and output, including cached input. Set if the model's `prices` are known or the run is limited. */
  readonly totalTokens?: number
  /** Cost by the model's `prices` or its vendor's list prices. */
  readonly costUSD?: number
  /** Some counts are estimates, because the provider didn't report them. Only in runs with a token or cost limit. */
  readonly estimated?: true
}

/** Usage summed over a run. */
export interface RunUsage extends Usage {
  readonly modelCalls: number
}

/**
 * Why the model stopped; not the run's outcome. `pause`: the vendor interrupted a long turn, which continues when the
 * message is sent back. `empty` (runs only): the model made calls but gave no final answer.
 */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'pause'
  | 'empty'
  | 'error'
  | 'other'

/** Changes to a user message before it is sent. */
export interface Amendment {
  /** Text sent after the message. */
  readonly appended?: string
  /** Text sent instead of the message's own. */
  readonly rewritten?: string
}

/**
 * A complete call, as stored in the message. Has `input` only if the stream was proven complete and the arguments
 * parsed strictly.
 */
export type ToolCallStreamPart = ToolCallPart

/**
 * Output of a provider's stream or of the ACTION reader.
 * Order: deltas as they arrive, then every `tool-call`, then at most one of `finish` and `error`.
 */
export type StreamPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | { readonly type: 'reasoning-delta'; readonly delta: string }
  | { readonly type: 'tool-input-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly delta: string }
  | ToolCallStreamPart
  /** An unreadable block or call to report to the model (ACTION mode). It never runs. */
  | { readonly type: 'action-error'; readonly error: CallError }
  /** A complete file that the model produced. */
  | { readonly type: 'file'; readonly file: FilePart }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** Unused provider data or ignored model output, for logs. */
  | { readonly type: 'raw'; readonly data: unknown }
  /** The stream is proven complete. */
  | {
      readonly type: 'finish'
      readonly finishReason: FinishReason
      readonly rawFinishReason?: string
      readonly providerMetadata?: ProviderMetadata
    }
  /** The stream failed, or ended without proof of its end. Nothing follows. */
  | { readonly type: 'error'; readonly error: ErrorData }

/** A content part or block of another format. docs/histories.md lists the supported ones. */
type Block =
  | { readonly type: string }
  | { readonly type: string; readonly [field: string]: unknown }

/** A tool call of Chat Completions. */
interface ChatCall {
  readonly id: string
  readonly type?: string
  readonly function?: { readonly name: string; readonly arguments: string }
}

/** Data from `toOpenAI` and `toAnthropic` that the other format can't express. */
interface Extended {
  readonly offstage?: JsonObject
}

/** A message of OpenAI's Chat Completions. */
export interface ChatMessage extends Extended {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'
  readonly content?: string | readonly Block[] | null
  readonly tool_calls?: readonly ChatCall[]
  readonly tool_call_id?: string
  readonly name?: string
  readonly refusal?: string | null
  /** Reasoning text, from servers that send it in this field. */
  readonly reasoning_content?: string | null
}

/** A message of Anthropic's Messages. */
export interface AnthropicMessage extends Extended {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

/** An earlier message from elsewhere, in one of the supported formats. */
export type HistoryMessage = Message | ChatMessage | AnthropicMessage

type Replace = (text: string) => string

/** Applies `replace` to all texts, numbers and keys of a value. A changed number becomes a text. */
export function replaceInJson(value: JsonValue, replace: Replace): JsonValue {
  if (typeof value === 'string') return replace(value)
  if (typeof value === 'number') {
    const text = replace(`${value}`)
    return text === `${value}` ? value : text
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: JsonValue) => replaceInJson(each, replace))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [replace(name), replaceInJson(each, replace)]),
  )
}

/** Applies `replace` to all keys of a value. */
export function replaceInNames(value: JsonValue, replace: Replace): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: JsonValue) => replaceInNames(each, replace))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [replace(name), replaceInNames(each, replace)]),
  )
}

/** Applies `replace` to all texts and data of an output. */
export function replaceInOutput(output: ToolOutput, replace: Replace): ToolOutput {
  switch (output.type) {
    case 'text':
      return { ...output, value: replace(output.value) }
    case 'json':
      return { ...output, value: replaceInJson(output.value, replace) }
    case 'content':
      return {
        ...output,
        value: output.value.map((part) =>
          part.type === 'text' ? { ...part, text: replace(part.text) } : part,
        ),
      }
    case 'error':
      return { ...output, message: replace(output.message) }
    case 'denied':
      return output.reason === undefined ? output : { ...output, reason: replace(output.reason) }
    default:
      return output satisfies never
  }
}
