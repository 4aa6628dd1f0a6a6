import type { Message } from './message.ts'

/** `CompactionOptions` as sent with a step. A policy function stays on the page. */
export interface CompactionSettings {
  readonly contextWindow?: number
  readonly at?: number
  readonly policy?: CompactionPolicy | 'custom'
}

/**
 * Ways to shorten a request that is too long for the context window: see `CompactionOptions.policy`. Default `'auto'`.
 */
export type CompactionPolicy = 'auto' | 'clear-results' | 'summarize' | 'drop-oldest'

/** A compaction of the conversation. Requests after it no longer contain the older results or messages. */
export interface Compaction {
  /** `results-cleared`: a note replaces results. `summarized`, `dropped`: a summary or nothing replaces messages. */
  readonly kind: 'results-cleared' | 'summarized' | 'dropped'
  /**
   * Id of the newest message when the compaction was made; null if the conversation had none. Show the compaction after
   * this message. If the message is hidden because Offstage wrote it for the model, place the compaction by `at`.
   */
  readonly after: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  /** Estimated size of the request before and after. Undefined in rows from versions that didn't count them. */
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  /** Text sent instead of the messages. */
  readonly summary?: string
}

/** Argument of an app's compaction policy. Sizes are estimated tokens, corrected by the server's counts. */
export interface CompactionSituation {
  readonly runId: string
  readonly conversationId: string
  /** `near-limit`: the next request exceeds the budget. `refused`: the server rejected a request as too long. */
  readonly occasion: 'near-limit' | 'refused'
  /** Messages of the branch as stored, oldest first. */
  readonly messages: readonly CompactionMessage[]
  /** Size of the next request. */
  readonly tokens: number
  /** Size of the parts that no choice can shorten: instructions, tools, context. */
  readonly fixedTokens: number
  /** Maximum size of the request. */
  readonly budget: number
  /** Earlier compactions, oldest first. */
  readonly compactions: readonly Compaction[]
}

/** Message of the branch with its size, for the app's compaction policy. */
export interface CompactionMessage {
  readonly id: string
  readonly message: Message
  /** Current size as sent: a cleared result counts as its note, an omitted message as 0. */
  readonly tokens: number
}

/** Messages or results to leave out of future requests. */
export type CompactionChoice =
  /** Clears tool results up to and including this message, except those of calls in `except`. */
  | { readonly clearUpTo: string; readonly except?: readonly string[] }
  /**
   * Summarizes all messages before `firstKept`, a user or assistant message. An empty `summary` drops them without a
   * summary. The newest user request is always sent.
   */
  | { readonly summary: string; readonly firstKept: string }
