import type { JsonObject, JsonValue } from './json.ts'

/**
 * What an imported message or part had for which Offstage has no word, by the format that it came in. No model
 * gets it; `toOpenAI`, `toResponses` and `toAnthropic` give it back.
 */
export interface Foreign {
  readonly openai?: JsonObject
  readonly responses?: JsonObject
  readonly anthropic?: JsonObject
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly foreign?: Foreign
}

/** The model's thinking. Shown apart from the reply; sent back only through `providerMetadata`. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
}

/**
 * An attachment of a person's or a tool's, or a file that the model produced. `data` is base64; of an input's, a `data:`
 * prefix is taken off.
 */
export interface FilePart {
  readonly type: 'file'
  readonly mediaType: string
  readonly data: string
  readonly filename?: string
  readonly foreign?: Foreign
}

/** Why a call must not run, in the words a model reads (snake_case by the ACTION specification). */
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

export interface CallError {
  readonly code: CallErrorCode
  readonly message: string
  /** The name that was probably meant. */
  readonly suggestion?: string
}

/**
 * A call the model asked for. Exactly one of `input` and `error` is there: a call with an `error`
 * (cut short, unparsable, unknown) never runs, and its arguments are never invented.
 */
export type ToolCallPart = {
  readonly type: 'tool-call'
  /** Unique within the conversation. */
  readonly toolCallId: string
  readonly toolName: string
  /** The id the provider gave, when Offstage had to replace it. Sent back in its place. */
  readonly providerCallId?: string
  /** Native mode: the model wrote the call as text. */
  readonly rescued?: boolean
  readonly foreign?: Foreign
} & (
  | { readonly input: JsonValue; readonly error?: never }
  | { readonly error: CallError; readonly input?: never; readonly rawInput?: string }
)

/** What a tool call came to. */
export type ToolOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'json'; readonly value: JsonValue }
  | { readonly type: 'content'; readonly value: readonly (TextPart | FilePart)[] }
  | { readonly type: 'error'; readonly code: CallErrorCode; readonly message: string }
  | { readonly type: 'denied'; readonly reason?: string }

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly providerCallId?: string
  readonly output: ToolOutput
  /** What the model must know besides: that a person changed the input, for example. */
  readonly note?: string
  readonly foreign?: Foreign
}

/**
 * The provider's own content of an assistant message (thinking signatures, `reasoning_content` …),
 * by provider id. Sent back unchanged to that provider, dropped for every other.
 */
export type ProviderMetadata = { readonly [providerId: string]: JsonObject }

export interface SystemMessage {
  readonly role: 'system'
  readonly id?: string
  readonly parts: readonly TextPart[]
  readonly foreign?: Foreign
}

export interface UserMessage {
  readonly role: 'user'
  readonly id?: string
  readonly parts: readonly (TextPart | FilePart)[]
  /** Written by Offstage for the model (feedback on an unreadable call), not by the person. */
  readonly synthetic?: boolean
  /** Title of the trigger that sent the message: see `agent.trigger()`. Absent: a person did, or an agent. */
  readonly trigger?: string
  /** The text may hold untrusted content. */
  readonly untrusted?: boolean
  readonly foreign?: Foreign
}

/** What a request lost on its way to the model. `code`: that of the warning. */
export interface Loss {
  readonly code: string
  readonly message: string
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly id?: string
  readonly parts: readonly (TextPart | ReasoningPart | FilePart | ToolCallPart)[]
  readonly providerMetadata?: ProviderMetadata
  /** ACTION mode: the model's output as written, block included; sent back in ACTION mode. */
  readonly actionText?: string
  /** The message was cut short by an abort or a failure. */
  readonly partial?: boolean
  /** What the run's requests have lost since its last answer. */
  readonly losses?: readonly Loss[]
  readonly foreign?: Foreign
}

export interface ToolMessage {
  readonly role: 'tool'
  readonly id?: string
  /** One part a call, in the order of the calls. */
  readonly parts: readonly ToolResultPart[]
  readonly foreign?: Foreign
}

/**
 * What a message of a conversation is. `tools`: results; `feedback`: what the loop says to the model about
 * an unreadable answer; `partial`: what there was of an answer that was cut short.
 */
export type MessageKind = 'user' | 'assistant' | 'tools' | 'feedback' | 'partial' | 'imported'

/** Stored messages always have an `id`; messages handed to a provider may do without. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** Token counts. What the provider didn't say is absent, never zero. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
  /** Input and output, cached input included. Where the model's `prices` are known or the run is limited. */
  readonly totalTokens?: number
  /** By the model's `prices`, or its vendor's list prices. */
  readonly costUSD?: number
  /** Counts that the provider didn't say are estimates: of runs that are limited in tokens or cost. */
  readonly estimated?: true
}

/** Usage summed over a run. */
export interface RunUsage extends Usage {
  readonly modelCalls: number
}

/**
 * Why the model stopped; not the run's outcome. `pause`: the vendor interrupted a long turn, which goes on when the
 * message is sent back. `empty`, of runs only: calls did the work, and no answer came.
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

/** How a message of the person is sent. */
export interface Amendment {
  /** Sent behind it. */
  readonly appended?: string
  /** Sent in place of its text. */
  readonly rewritten?: string
}
