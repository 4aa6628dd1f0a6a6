import type { Conversation } from '../conversation.ts'

/** What tabs need of a conversation in use. */
export interface TabConversation {
  readonly conversation: Conversation
  /** Of the run that is driven here. */
  readonly driver: { look(): Promise<void> } | null
  /** Shows whether another device works on the open run. */
  lookElsewhere(): Promise<void>
  /** Resolves when nothing is driven any more. */
  idle(): Promise<void>
}
