import type { Conversation } from '../conversation.ts'

/** The part of a conversation in use that tabs need. */
export interface TabConversation {
  readonly conversation: Conversation
  /** Driver of the run here. Null if none is driven. */
  readonly driver: { look(): Promise<void> } | null
  /** Checks whether another device works on the open run, and shows the result. */
  lookElsewhere(): Promise<void>
  /** Resolves when nothing is driven any more. */
  idle(): Promise<void>
}
