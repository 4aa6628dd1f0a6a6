import type { ConversationRecord } from '../../protocol/conversation.ts'
import type { NewRow, Row } from '../../protocol/fact.ts'

export interface Append {
  readonly conversationId: string
  /** Of the claim this append stands on. */
  readonly epoch: number
  /**
   * Unique. Trying the same append again is harmless while at most seven others came between: one that
   * was committed returns the rows that it wrote then, and writes nothing.
   */
  readonly appendId: string
  readonly rows: readonly NewRow[]
  /** Wait until the operating system has written it. Default: relaxed. */
  readonly strict?: boolean
}

export interface Claim {
  /** Names the store; random, made with it. Epochs of different stores can't be compared. */
  readonly storeId: string
  readonly epoch: number
}

/** Rows of a conversation from elsewhere, which are checked already. Several follow one another. */
export interface Placement {
  readonly conversationId: string
  /** Another one for each import of a conversation. */
  readonly importId: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly parent?: ConversationRecord['parent']
  /** How many rows were placed before these. */
  readonly after: number
  readonly rows: readonly NewRow[]
  /** The conversation is whole with these. */
  readonly isLast: boolean
}

export interface ClaimOptions {
  /** Default true. */
  readonly create?: boolean
  /** Of a conversation that is created. */
  readonly parent?: ConversationRecord['parent']
}

export interface Name {
  readonly title: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The text of the step that a model is writing, as far as it is written. */
export interface StepDraft {
  readonly conversationId: string
  /** Of the claim that the step is written under. */
  readonly epoch: number
  readonly runId: string
  readonly step: number
  readonly attempt: number
  /** Of the message that the step becomes. */
  readonly messageId: string
  readonly parts: readonly { readonly type: 'text' | 'reasoning'; readonly text: string }[]
}

/** A conversation's rows as they are stored: whoever folds them checks them first. */
export interface StoredRows {
  readonly record: ConversationRecord | null
  readonly rows: readonly unknown[]
}

/**
 * Where conversations are kept. Every method is one transaction. Implementations reject with
 * `OffstageError`: a `storage-…` code, `ownership-lost` from `append` when another owner has claimed
 * the conversation since, `conversation-broken` from `claim` and `append` when its record says so,
 * `storage-newer` from `claim`, `append` and `rename` when a newer version of the package has written to it.
 */
export interface Store {
  /**
   * Gives the conversation the next epoch of the store: older owners are fenced off, those of one that
   * was deleted and made again, too. Creates the conversation when it doesn't exist, unless `create` is
   * false, or the conversation of its `parent` isn't there: `conversation-not-found` then.
   */
  claim(conversationId: string, at: number, options?: ClaimOptions): Promise<Claim>
  /** Gives the rows their places after the last one; all of them or none. */
  append(append: Append): Promise<readonly Row[]>
  /**
   * Overwrites the one draft that a conversation has, which goes with the first append that ends its step. Nothing is
   * written unless the epoch is the newest, and the run is open.
   */
  keepDraft(draft: StepDraft): Promise<void>
  /** As it is stored: whoever shows it checks it first. */
  draftOf(conversationId: string): Promise<unknown>
  /**
   * Makes a conversation of rows from elsewhere. It is broken until its last rows are there. False: there is one
   * of its id, other than what is left of an import. `ownership-lost` when it isn't there any more, or
   * another import has taken its place.
   */
  place(placement: Placement): Promise<boolean>
  /** The record, and the rows after `afterSeq` (default 0: all) in order, `count` of them at most. */
  read(conversationId: string, afterSeq?: number, count?: number): Promise<StoredRows>
  /** Newest change first. */
  list(): Promise<ConversationRecord[]>
  get(conversationId: string): Promise<ConversationRecord | null>
  /** Appends a `renamed` row, whoever owns the conversation. False: there is none. */
  rename(conversationId: string, title: string, at: number): Promise<boolean>
  /** The same right after the row `seq`. False: there is no such conversation, or something came after it. */
  renameAfter(conversationId: string, seq: number, name: Name): Promise<boolean>
  /**
   * Notes in the record what is wrong with the conversation's rows; null: nothing any more. Records that a
   * newer version has written are left as they are.
   */
  mark(conversationId: string, broken: string | null): Promise<void>
  /** Those that its calls started, that calls of these started, and so on. */
  descendants(conversationId: string): Promise<string[]>
  /** With its descendants: all of them or none. False: there is no such conversation, and nothing is deleted. */
  delete(conversationId: string): Promise<boolean>
  close(): void
}
