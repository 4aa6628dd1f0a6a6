import type { Message } from './message.ts'

/** `CompactionOptions` as a step carries it; a function stays on the page. */
export interface CompactionSettings {
  readonly contextWindow?: number
  readonly at?: number
  readonly policy?: CompactionPolicy | 'custom'
}

export type CompactionPolicy = 'auto' | 'clear-results' | 'summarize' | 'drop-oldest'

/** That older results or messages of a conversation are no longer sent. */
export interface Compaction {
  /** `results-cleared`: a note is sent in place of results. The others: messages are sent as a summary, or not at all. */
  readonly kind: 'results-cleared' | 'summarized' | 'dropped'
  /**
   * The newest message when it happened, behind which it is to be shown; null: there was none. Where that one is not
   * shown, since Offstage wrote it for the model, `at` says between which messages it was.
   */
  readonly after: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  /** Of the request before and after, estimated. Absent where a version of the package that didn't count them wrote it. */
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  /** What is sent in place of the messages. */
  readonly summary?: string
}

/** What a compaction policy of the app is told. Sizes are tokens, estimated, and corrected by what the server has counted. */
export interface CompactionSituation {
  readonly runId: string
  readonly conversationId: string
  /** `near-limit`: the next request is above the budget. `refused`: the server said that it is too long. */
  readonly occasion: 'near-limit' | 'refused'
  /** Of the branch, oldest first, as they are stored. */
  readonly messages: readonly CompactionMessage[]
  /** Of the next request. */
  readonly tokens: number
  /** Its part that no choice changes: instructions, tools, context. */
  readonly fixedTokens: number
  /** What the request may have. */
  readonly budget: number
  /** What happened before, oldest first. */
  readonly compactions: readonly Compaction[]
}

export interface CompactionMessage {
  readonly id: string
  readonly message: Message
  /** As it is sent now: a result that was cleared is a note, and what is not sent has none. */
  readonly tokens: number
}

/** What is no longer to be sent. */
export type CompactionChoice =
  /** Results of tools up to and with this message, but for those of the calls in `except`. */
  | { readonly clearUpTo: string; readonly except?: readonly string[] }
  /**
   * The messages before `firstKept`, a message of a person or the model; '' leaves them out without a summary. The
   * newest request is sent all the same.
   */
  | { readonly summary: string; readonly firstKept: string }
