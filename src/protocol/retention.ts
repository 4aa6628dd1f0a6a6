import type { ConversationRecord } from './conversation.ts'

/**
 * How much is kept in the storage. What is more is deleted when nothing runs, the oldest activity first, with the
 * conversations that its calls started. Kept all the same: what runs or waits, what a tab shows, and what is damaged
 * or was written by a newer version.
 */
export interface Retention {
  /** Since the last activity. */
  readonly days?: number
  /** Without those that calls started. */
  readonly conversations?: number
  /** Of their rows as JSON, all together. */
  readonly bytes?: number
}

/** A conversation that is kept no longer. */
export interface DroppedConversation extends Pick<
  ConversationRecord,
  'conversationId' | 'title' | 'updatedAt'
> {
  /** The limit for whose sake. */
  readonly reason: keyof Retention
}
