import type { JsonObject, JsonValue } from '../../protocol/json.ts'

/**
 * Data that the format can't express, in Offstage's terms (listed in docs/histories.md). A vendor's API may refuse
 * it.
 */
interface Extended {
  offstage?: JsonObject
}

/** Text part of a Chat Completions message. */
export interface OpenAIText extends Extended {
  type: 'text'
  text: string
}

/** Part of a user message in Chat Completions: text, image, audio or file. */
export type OpenAIContent =
  | OpenAIText
  | ({ type: 'image_url'; image_url: { url: string } } & Extended)
  | ({ type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } } & Extended)
  | ({ type: 'file'; file: { file_data: string; filename?: string } } & Extended)

/** Call in an assistant message of Chat Completions. `arguments` is JSON text. */
export interface OpenAIToolCall extends Extended {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/**
 * A message of Chat Completions (https://platform.openai.com/docs/api-reference/chat/create), like
 * `ChatCompletionMessageParam` of OpenAI's own library.
 */
export type OpenAIMessage =
  | ({ role: 'system'; content: string | OpenAIText[] } & Extended)
  | ({ role: 'developer'; content: string | OpenAIText[] } & Extended)
  | ({ role: 'user'; content: string | OpenAIContent[] } & Extended)
  | OpenAIAssistantMessage
  | ({ role: 'tool'; tool_call_id: string; content: string | OpenAIText[] } & Extended)

/** Answer of the model in Chat Completions. `content` is null if there are only calls. */
export interface OpenAIAssistantMessage extends Extended {
  role: 'assistant'
  content: string | (OpenAIText | ({ type: 'refusal'; refusal: string } & Extended))[] | null
  refusal?: string
  /** Sent by many compatible servers; OpenAI's own API doesn't have it. */
  reasoning_content?: string
  tool_calls?: OpenAIToolCall[]
}

/** Part of a message or call output in the Responses API: text, image or file. */
export type ResponsesContent =
  | ({ type: 'input_text'; text: string } & Extended)
  | ({ type: 'input_image'; image_url: string; detail: 'auto' | 'low' | 'high' } & Extended)
  | ({ type: 'input_file'; file_data: string; filename?: string } & Extended)

/**
 * An item of the `input` of OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses/create).
 * Items of an answer are kept unchanged.
 */
export type ResponsesItem =
  | ({
      type: 'message'
      role: 'system' | 'developer' | 'user'
      content: ResponsesContent[]
    } & Extended)
  | ({
      type: 'function_call_output'
      call_id: string
      output: string | ResponsesContent[]
    } & Extended)
  | ResponsesAnswerItem

/** An item of an answer: a message, a call, reasoning, or data that only the vendor reads. */
export interface ResponsesAnswerItem extends Extended {
  type: string
  [field: string]: JsonValue | undefined
}

/** Text block of an Anthropic message. */
export interface AnthropicText extends Extended {
  type: 'text'
  text: string
}

interface ImageSource {
  type: 'base64'
  media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'
  data: string
}

interface PdfSource {
  type: 'base64'
  media_type: 'application/pdf'
  data: string
}

interface TextSource {
  type: 'text'
  media_type: 'text/plain'
  data: string
}

/** Block of a user message or tool result at Anthropic: text, image or document. */
export type AnthropicContent =
  | AnthropicText
  | ({ type: 'image'; source: ImageSource } & Extended)
  | ({ type: 'document'; source: PdfSource | TextSource; title?: string } & Extended)

/** Result of a call at Anthropic, inside a user message. */
export interface AnthropicToolResult extends Extended {
  type: 'tool_result'
  tool_use_id: string
  content: string | AnthropicContent[]
  is_error?: boolean
}

/** Call in an assistant message at Anthropic. */
export interface AnthropicToolUse extends Extended {
  type: 'tool_use'
  id: string
  name: string
  input: JsonValue
}

/** A block of an assistant's message. Blocks that only the vendor reads are kept unchanged. */
export type AnthropicAssistantBlock =
  | AnthropicText
  | AnthropicToolUse
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

/**
 * A message of Anthropic's Messages (https://docs.anthropic.com/en/api/messages), like `MessageParam` of Anthropic's
 * own library.
 */
export type AnthropicMessage =
  | ({ role: 'system'; content: string | AnthropicText[] } & Extended)
  | ({ role: 'user'; content: string | (AnthropicContent | AnthropicToolResult)[] } & Extended)
  | ({ role: 'assistant'; content: string | AnthropicAssistantBlock[] } & Extended)

/** `system` and `messages` of a request to Anthropic. A leading system message becomes `system`. */
export interface AnthropicHistory {
  system?: string | AnthropicText[]
  messages: AnthropicMessage[]
}
