import type { ConversationRecord } from './conversation.ts'

/**
 * Limits of the stored conversations. While nothing runs, conversations beyond a limit are deleted, least recently
 * active first, with their child conversations. Exempt are conversations that run, wait, are shown in a tab, are
 * damaged or have a newer format.
 */
export interface Retention {
  /** Days since the last activity. */
  readonly days?: number
  /** Number of conversations, without child conversations. */
  readonly conversations?: number
  /** Total size of the rows as JSON. */
  readonly bytes?: number
}

/** A conversation deleted by retention. */
export interface DroppedConversation extends Pick<
  ConversationRecord,
  'conversationId' | 'title' | 'updatedAt'
> {
  /** The exceeded limit. */
  readonly reason: keyof Retention
}
