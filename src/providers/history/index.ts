/**
 * Converts histories from and to OpenAI's Chat Completions and Responses and Anthropic's Messages, without loss.
 * All functions are pure. See docs/histories.md.
 */
export type { Extensions, ToHistoryOptions } from './read-content.ts'
export type {
  AnthropicAssistantBlock,
  AnthropicContent,
  AnthropicHistory,
  AnthropicMessage,
  AnthropicText,
  AnthropicToolResult,
  AnthropicToolUse,
  OpenAIAssistantMessage,
  OpenAIContent,
  OpenAIMessage,
  OpenAIText,
  OpenAIToolCall,
  ResponsesAnswerItem,
  ResponsesContent,
  ResponsesItem,
} from './formats.ts'
export { fromAnthropic, fromOpenAI } from './import-history.ts'
export { fromResponses } from './responses-items.ts'
export { toAnthropic } from './to-anthropic.ts'
export { toOpenAI } from './to-openai.ts'
export { toResponses } from './responses-items.ts'
