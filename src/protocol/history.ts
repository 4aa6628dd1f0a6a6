import type { Message } from './message.ts'

/** A content part or block of another format; which ones are read, docs/getting-started.md says. */
type Block =
  | { readonly type: string }
  | { readonly type: string; readonly [field: string]: unknown }

/** A call of Chat Completions. */
interface ChatCall {
  readonly id: string
  readonly type?: string
  readonly function?: { readonly name: string; readonly arguments: string }
}

/** A message of OpenAI's Chat Completions. */
export interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'
  readonly content?: string | readonly Block[] | null
  readonly tool_calls?: readonly ChatCall[]
  readonly tool_call_id?: string
}

/** A message of Anthropic's Messages. */
export interface AnthropicMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

/** An earlier message from elsewhere, in one of the shapes that are read. */
export type HistoryMessage = Message | ChatMessage | AnthropicMessage
