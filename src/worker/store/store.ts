import type { ConversationRecord, JournalEntry, NewEntry } from '../../protocol/journal.ts'

export interface Append {
  readonly conversationId: string
  /** Of the claim this append stands on. */
  readonly epoch: number
  readonly entries: readonly NewEntry[]
  /** Wait until the operating system has written it. Default: relaxed. */
  readonly strict?: boolean
}

export interface Claim {
  /** Names the store; random, made with it. Epochs of different stores can't be compared. */
  readonly storeId: string
  readonly epoch: number
}

/**
 * Where journals are kept. Every method is one transaction. Implementations reject with
 * `OffstageError`: `storage-failed`, or `ownership-lost` from `append` when another owner has
 * claimed the conversation since.
 */
export interface Store {
  /**
   * Creates the conversation when it doesn't exist, and gives it the next epoch of the store: older
   * owners are fenced off, those of a conversation that was deleted and made again, too.
   */
  claim(conversationId: string, at: number): Promise<Claim>
  /** Gives the entries their places after the last one; all of them or none. */
  append(append: Append): Promise<readonly JournalEntry[]>
  /** Entries after `afterSeq` (default 0: all), in order. */
  read(conversationId: string, afterSeq?: number): Promise<readonly JournalEntry[]>
  /** Newest change first. */
  list(): Promise<ConversationRecord[]>
  get(conversationId: string): Promise<ConversationRecord | null>
  rename(conversationId: string, title: string): Promise<boolean>
  delete(conversationId: string): Promise<boolean>
  close(): void
}
