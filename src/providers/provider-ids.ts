import type { ProviderId } from '../protocol/model.ts'

// Each built-in id is in one of these groups, and definitions of a group are keyed by its ids. An id that is
// added in one place only doesn't compile.

/** Providers that are engines of the page. */
export type EngineId = Extract<ProviderId, 'webllm' | 'wllama' | 'prompt-api'>

/** Providers with Anthropic's Messages format. */
export type MessagesId = Extract<ProviderId, 'anthropic' | 'minimax'>

/** Providers with Chat Completions: all others. */
export type ChatId = Exclude<ProviderId, EngineId | MessagesId | 'scripted'>
