import type { JsonObject } from './json.ts'
import type { Message } from './message.ts'

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
  /** Reasoning text of servers that send it. */
  readonly reasoning_content?: string | null
}

/** A message of Anthropic's Messages. */
export interface AnthropicMessage extends Extended {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

/** An earlier message from elsewhere, in one of the supported formats. */
export type HistoryMessage = Message | ChatMessage | AnthropicMessage
