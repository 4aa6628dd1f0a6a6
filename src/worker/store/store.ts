import type { ConversationRecord } from '../../protocol/conversation.ts'
import type { NewRow, Row } from '../../protocol/fact.ts'

export interface Append {
  readonly conversationId: string
  /** Of the claim this append stands on. */
  readonly epoch: number
  /** Unique, and the same for each try: an append that was committed returns its rows again, and writes nothing. */
  readonly appendId: string
  /**
   * Counts the tries under this epoch, from 1, at the moment each is sent. A try that arrives after a later one was
   * written is refused with `storage-failed`, unless the store knows its `appendId`.
   */
  readonly order: number
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
  /**
   * Unguessable. Kept as `claim` in the record, it tells who made a claim whose answer was lost. A store that doesn't keep
   * it works, too: a claim is then known by the epoch that was answered, and any other is another device's.
   */
  readonly claimId?: string
  /**
   * Random, made for this call alone. The network may deliver a claim twice: when the newest claim has the same `attempt`,
   * the store gives the same answer again, and changes nothing.
   */
  readonly attempt?: string
  /**
   * Refused with `ownership-lost` unless the newest claim has this epoch (0: there is none). A store that doesn't know it
   * works, too: of two devices that claim at once, the later one then stops the other.
   */
  readonly ifEpoch?: number
  /**
   * With `ifEpoch`: refused likewise unless the newest row has this `seq` (0: there is none). A store that doesn't know it
   * works, too: what another device has written since it was looked is then taken over.
   */
  readonly ifSeq?: number
}

/** A title, given by a person or a model. */
export interface Name {
  readonly title: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Given only if the newest row has this seq: nothing came after what the title was made of. */
  readonly ifLastSeq?: number
}

/** Which rows are read: a page of them (`after` and `limit`), or the end (`newest`). Default: all. */
export interface RowRange {
  /** The rows after this seq. Default 0: from the beginning. */
  readonly after?: number
  /** At most as many. Default: all. 0: the record alone. */
  readonly limit?: number
  /** As many rows of the end, in place of the other two. */
  readonly newest?: number
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
  /** By `seq`. */
  readonly rows: readonly unknown[]
  /** From a copy, since the store can't be asked now: there may be more. Nothing is decided on it. */
  readonly isCopy?: true
}

export interface ListPage {
  /** At most as many. Default: as many as the store gives at once. */
  readonly limit?: number
  /** `next` of the page before. Default: from the beginning. */
  readonly after?: string
}

export interface ListedRecords {
  /** Newest change first. */
  readonly records: readonly ConversationRecord[]
  /** Where the next page begins; null: there is none. Means something to the same store only. */
  readonly next: string | null
  /** From a copy, since the store can't be asked now. */
  readonly isCopy?: true
}

/** What changed in a store, by whomever. Rows aren't part of it: they are read. */
export interface StoreChange {
  /** Null: something before this may have been missed, in any conversation. */
  readonly conversationId: string | null
  /** Of its newest row; 0: it was deleted, or nobody has written to it yet. */
  readonly lastSeq: number
  /**
   * Of its newest claim. A device whose run another one takes over stops at once where the store says so; else with its
   * next append, which is refused.
   */
  readonly epoch?: number
}

/**
 * Where conversations are kept: lists of rows, of which one owner at a time writes each. `docs/stores.md` says how to
 * write one, and `offstage/testing` has the tests that it must pass.
 *
 * Every method is one transaction: it happens as a whole or not at all, and those of one conversation one after the
 * other. Methods reject with an `OffstageError`, whose `code` says what to do:
 * - `storage-offline`, `storage-full`, `storage-blocked`, `storage-failed`: not now. Whether it happened may be unknown; a
 *   run waits, finds that out by `read`, and asks again with the same `appendId`;
 * - `ownership-lost`: from `append` and `place`, when somebody else has claimed the conversation since, or it was deleted;
 *   from `claim`, when the newest claim hasn't the epoch of `ifEpoch`, or the newest row not the `seq` of `ifSeq`;
 * - `conversation-broken`: from `claim` and `append`, when the record says that its rows can't be read;
 * - `storage-newer`: from `claim`, `append` and `rename`, when a newer version of the package has written it;
 * - `conversation-not-found`: from `claim`;
 * - `invalid-input`: from `append`, of a row that could not be read again.
 */
export interface Store {
  /**
   * Gives the conversation the next epoch of the store: older owners are fenced off, those of one that
   * was deleted and made again, too. Creates the conversation when it doesn't exist, unless `create` is
   * false, or the conversation of its `parent` isn't there: `conversation-not-found` then.
   */
  claim(conversationId: string, at: number, options?: ClaimOptions): Promise<Claim>
  /**
   * Gives the rows their places after the last one; all of them or none. A repeat (the same `appendId`) writes nothing
   * and resolves to what the first one wrote, whoever owns the conversation by now. A try that comes late writes nothing
   * either: its `order` is not above that of the newest append under its epoch.
   */
  append(append: Append): Promise<readonly Row[]>
  /**
   * Overwrites the one draft that a conversation has, which goes with the first append that ends its step. Nothing is
   * written unless the epoch is the newest, and the run is open.
   */
  keepDraft(draft: StepDraft): Promise<void>
  /** As it is stored: whoever shows it checks it first. */
  draftOf(conversationId: string): Promise<unknown>
  /**
   * Makes a conversation of rows from elsewhere. It is broken until its last rows are there. A repeat of rows that were
   * placed writes nothing. False: there is one of its id, other than what is left of an import. `ownership-lost` when it
   * isn't there any more, or another import has taken its place.
   */
  place(placement: Placement): Promise<boolean>
  /** The record, and rows in order. Of a conversation that isn't there: null and none. */
  read(conversationId: string, range?: RowRange): Promise<StoredRows>
  /** The record as the store has it now, never from a copy; null: there is none. */
  get(conversationId: string): Promise<ConversationRecord | null>
  list(page?: ListPage): Promise<ListedRecords>
  /**
   * Appends a `renamed` row, whoever owns the conversation; a list is in the same order as before. False: there is no
   * such conversation, or something came after `ifLastSeq`. A broken one gets its title, and no row.
   */
  rename(conversationId: string, name: Name): Promise<boolean>
  /**
   * Notes in the record what is wrong with the conversation's rows; null: nothing any more. Records that a
   * newer version has written are left as they are.
   */
  mark(conversationId: string, broken: string | null): Promise<void>
  /** Those that its calls started, that calls of these started, and so on. */
  descendants(conversationId: string): Promise<string[]>
  /**
   * With its descendants: all of them or none. What is deleted stays so: rows of an owner that comes late are refused,
   * and who reads finds nothing. False: there is no such conversation, and nothing is deleted.
   */
  delete(conversationId: string): Promise<boolean>
  /**
   * Calls back after changes by anybody, until what it returns is called. A change may be reported late, twice or together
   * with others, but one that isn't is covered by a `null`. Not there: only tabs of this browser use the store, and those
   * tell each other.
   */
  follow?(onChange: (change: StoreChange) => void): () => void
  close(): void
}
