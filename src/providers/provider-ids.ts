import type { ProviderId } from '../protocol/model.ts'

// Each built-in id is in one of these groups, and what is defined for a group is keyed by its ids: an id that
// is added to one place only doesn't compile.

/** Provided by an engine of the page. */
export type EngineId = Extract<ProviderId, 'webllm' | 'wllama' | 'prompt-api'>

/** With Anthropic's Messages format. */
export type MessagesId = Extract<ProviderId, 'anthropic' | 'minimax'>

/** With Chat Completions: all others. */
export type ChatId = Exclude<ProviderId, EngineId | MessagesId | 'scripted'>
