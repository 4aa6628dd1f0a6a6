import type { Message } from './message.ts'

/** `CompactionOptions` as sent with a step. A policy function stays on the page. */
export interface CompactionSettings {
  readonly contextWindow?: number
  readonly at?: number
  readonly policy?: CompactionPolicy | 'custom'
}

/** Ways to make room in a request, as `CompactionOptions.policy` lists them. Default `'auto'`. */
export type CompactionPolicy = 'auto' | 'clear-results' | 'summarize' | 'drop-oldest'

/** A compaction: from then on, older results or messages are no longer sent to the model. */
export interface Compaction {
  /** `results-cleared`: a note replaces results. `summarized`, `dropped`: a summary or nothing replaces messages. */
  readonly kind: 'results-cleared' | 'summarized' | 'dropped'
  /**
   * Newest message at that time: show the compaction after it. Null if there was none. If that message isn't shown,
   * because Offstage wrote it for the model, place the compaction by `at`.
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
  /** Part of the request that no choice reduces: instructions, tools, context. */
  readonly fixedTokens: number
  /** Maximum size of the request. */
  readonly budget: number
  /** Earlier compactions, oldest first. */
  readonly compactions: readonly Compaction[]
}

/** Message of the branch with its size, for a compaction policy of the app's own. */
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
   * Summarizes all messages before `firstKept`, a user or assistant message. With '' they are dropped without a
   * summary. The newest user request is always sent.
   */
  | { readonly summary: string; readonly firstKept: string }
