import type { ConversationRecord } from '../../protocol/conversation.ts'
import type { NewRow, Row } from '../../protocol/fact.ts'

type ListPosition = Pick<ConversationRecord, 'updatedAt' | 'conversationId'>

/** Order of lists: newest change first, then by id. */
function byNewest(a: ListPosition, b: ListPosition): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt
  return a.conversationId < b.conversationId ? -1 : Number(a.conversationId > b.conversationId)
}

/** Value of `next` for the last record of a page. */
export function placeAfter({ updatedAt, conversationId }: ListPosition): string {
  return `${updatedAt} ${conversationId}`
}

/** Reads a value of `next`. Null, for the first page, if it is missing or invalid. */
export function readPlace(after: string | undefined): ListPosition | null {
  const [, updatedAt, conversationId] = /^(-?[\d.e-]+) (.*)$/s.exec(after ?? '') ?? []
  if (updatedAt === undefined || conversationId === undefined) return null
  return { updatedAt: Number(updatedAt), conversationId }
}

/** Sorts the records, and returns one page. */
export function pageOf(
  all: readonly ConversationRecord[],
  { limit = Infinity, after }: ListPage = {},
): ListedRecords {
  const position = readPlace(after)
  const remaining = all
    .toSorted(byNewest)
    .filter((record) => !position || byNewest(position, record) < 0)
  const records = remaining.slice(0, limit)
  const last = records.at(-1)
  return { records, next: last && remaining.length > records.length ? placeAfter(last) : null }
}

/** Followers of a store. */
export class ChangeEmitter {
  readonly #followers = new Set<(change: StoreChange) => void>()

  /** Notifies followers after the commit, once the code that made the change has the result. */
  report(change: StoreChange): void {
    for (const follower of this.#followers) queueMicrotask(() => follower(change))
  }

  follow(onChange: (change: StoreChange) => void): () => void {
    // Wrapped, so that a callback that is passed twice must be removed twice.
    const follower = (change: StoreChange): void => onChange(change)
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }
}

/** Rows that an owner adds to a conversation: the argument of `Store.append`. */
export interface Append {
  readonly conversationId: string
  /** Epoch of the claim that this append relies on. */
  readonly epoch: number
  /**
   * Unique, and the same for each try. A repeat of a committed append writes nothing and returns the committed rows.
   */
  readonly appendId: string
  /**
   * Number of this try under its epoch, counted from 1 when it is sent. If a later try was written first, this one is
   * rejected with `storage-failed`, unless the store knows its `appendId`.
   */
  readonly order: number
  readonly rows: readonly NewRow[]
  /** True: wait until the operating system has written the rows. Default false. */
  readonly strict?: boolean
}

/** Ownership of a conversation, granted by `Store.claim`. The next claim of the conversation ends it. */
export interface Claim {
  /** Random id, made with the store. Epochs of different stores can't be compared. */
  readonly storeId: string
  /**
   * Number of the claim, higher than all earlier epochs in the store. Once the conversation has a newer epoch, appends
   * with this epoch are rejected.
   */
  readonly epoch: number
}

/** Rows of an imported conversation, already checked. A long conversation takes several placements, in order. */
export interface Placement {
  readonly conversationId: string
  /** Different for each import of a conversation. */
  readonly importId: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly parent?: ConversationRecord['parent']
  /** How many rows the conversation has before these. */
  readonly after: number
  readonly rows: readonly NewRow[]
  /** The conversation is complete with these rows. */
  readonly isLast: boolean
}

/** Options of `Store.claim`: conditions, and ids that make a lost answer or a repeat recognizable. */
export interface ClaimOptions {
  /** Creates a missing conversation. Default true. */
  readonly create?: boolean
  /** Parent of the conversation, if it is created. */
  readonly parent?: ConversationRecord['parent']
  /**
   * Unguessable id, kept as `claim` in the record. If the answer is lost, the id tells who made the claim. A store may
   * ignore it: claims are then known by the epoch in the answer, and any other epoch is another device's.
   */
  readonly claimId?: string
  /**
   * Random, made for this call alone. The network may deliver a claim twice. If the newest claim has the same
   * `attempt`, the store gives the same answer again and changes nothing.
   */
  readonly attempt?: string
  /**
   * Rejects with `ownership-lost` unless the newest claim has this epoch (0: there is none). A store may ignore it: if
   * two devices claim at once, the later claim then stops the other device.
   */
  readonly ifEpoch?: number
  /**
   * Used with `ifEpoch`: also rejects unless the newest row has this `seq` (0: there is none). A store may ignore it:
   * rows that another device wrote after the check are then taken over, too.
   */
  readonly ifSeq?: number
}

/** A title, given by a person or a model. */
export interface TitleChange {
  readonly title: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Sets the title only if the newest row has this `seq`: no row came after the rows that the title was made from. */
  readonly ifLastSeq?: number
}

/** Range of rows to read: a page of them (`after` and `limit`), or the end (`newest`). Default: all. */
export interface RowRange {
  /** The rows after this seq. Default 0: from the beginning. */
  readonly after?: number
  /** Most rows to return. Default: all. 0: only the record. */
  readonly limit?: number
  /** Number of rows to read from the end, instead of `after` and `limit`. */
  readonly newest?: number
}

/** Text that the model has written so far in the step under way. */
export interface StepDraft {
  readonly conversationId: string
  /** Epoch of the claim that the step is written under. */
  readonly epoch: number
  readonly runId: string
  readonly step: number
  readonly attempt: number
  /** Id of the message that the step becomes. */
  readonly messageId: string
  readonly parts: readonly { readonly type: 'text' | 'reasoning'; readonly text: string }[]
}

/** A conversation's rows as they are stored. Check them before folding. */
export interface StoredRows {
  readonly record: ConversationRecord | null
  /** Ordered by `seq`. */
  readonly rows: readonly unknown[]
  /**
   * Set if the rows come from a copy, since the store can't be reached. The store may have more rows, so no decision is
   * based on the copy.
   */
  readonly isCopy?: true
}

/** Selects a page of records: the argument of `Store.list`. */
export interface ListPage {
  /** Most records to return. Default: as many as the store gives at once. */
  readonly limit?: number
  /** `next` of the page before. Default: from the beginning. */
  readonly after?: string
}

/** Page of records, as `Store.list` returns it. */
export interface ListedRecords {
  /** Newest change first. */
  readonly records: readonly ConversationRecord[]
  /** Start of the next page, for this store only. Null if there is none. */
  readonly next: string | null
  /** Set if the records come from a copy, since the store can't be reached. */
  readonly isCopy?: true
}

/** A change in a store, by anybody. Doesn't include the rows: read those from the store. */
export interface StoreChange {
  /** Null: earlier changes may have been missed, in any conversation. */
  readonly conversationId: string | null
  /** `seq` of the newest row. 0 if the conversation was deleted, or has no rows yet. */
  readonly lastSeq: number
  /**
   * Epoch of the newest claim. If the store reports it, a device whose run is taken over stops at once. Otherwise that
   * device stops at its next append, which is rejected.
   */
  readonly epoch?: number
}

/**
 * Stores conversations: lists of rows, each written by one owner at a time. `docs/stores.md` explains how to write a
 * store, and `offstage/testing` has the tests that it must pass.
 *
 * Every method is one transaction: it happens as a whole or not at all. Calls for one conversation happen one after the
 * other. Methods reject with an `OffstageError`, whose `code` tells what to do:
 * - `storage-offline`, `storage-full`, `storage-blocked`, `storage-failed`: try again later. The call may have taken
 *   effect. A run waits, checks with `read`, and tries again with the same `appendId`;
 * - `ownership-lost`: from `append` and `place`, if the conversation has a newer claim or was deleted; from `claim`, if
 *   the epoch of the newest claim isn't `ifEpoch`, or the `seq` of the newest row isn't `ifSeq`;
 * - `conversation-broken`: from `claim` and `append`, if the record says that its rows can't be read;
 * - `storage-newer`: from `claim`, `append` and `rename`, if a newer version of the package wrote the conversation;
 * - `conversation-not-found`: from `claim`;
 * - `invalid-input`: from `append`, if a row could not be read again.
 */
export interface Store {
  /**
   * Gives the conversation the next epoch of the store. Older owners are fenced off, even owners of a deleted
   * conversation with the same id. Creates a missing conversation. Throws `conversation-not-found` instead if `create`
   * is false, or its `parent` conversation is missing.
   */
  claim(conversationId: string, at: number, options?: ClaimOptions): Promise<Claim>
  /**
   * Appends all rows or none. A repeat (the same `appendId`) writes nothing and resolves to the stored rows, whoever
   * owns the conversation by now. A late try is rejected: its `order` isn't above the `order` of the newest append
   * under its epoch.
   */
  append(append: Append): Promise<readonly Row[]>
  /**
   * Overwrites the conversation's only draft. The first append that ends the draft's step deletes it. Writes nothing
   * unless the draft's epoch is the newest and its run is open.
   */
  keepDraft(draft: StepDraft): Promise<void>
  /** The stored draft, unchecked. Check it before showing it. */
  draftOf(conversationId: string): Promise<unknown>
  /**
   * Stores rows of an imported conversation, which is broken until its last rows are stored. A repeat writes nothing.
   * False if its id belongs to a conversation that isn't a partial import. Throws `ownership-lost` if the earlier rows
   * are gone, or another import has replaced them.
   */
  place(placement: Placement): Promise<boolean>
  /** Returns the record and the rows in order. If the conversation doesn't exist: null and no rows. */
  read(conversationId: string, range?: RowRange): Promise<StoredRows>
  /** The record as the store has it now, never from a copy. Null if there is none. */
  get(conversationId: string): Promise<ConversationRecord | null>
  list(page?: ListPage): Promise<ListedRecords>
  /**
   * Appends a `renamed` row, whoever owns the conversation. The order of lists stays the same. False if there is no
   * such conversation, or it has rows after `ifLastSeq`. A broken conversation gets the title, but no row.
   */
  rename(conversationId: string, name: TitleChange): Promise<boolean>
  /**
   * Notes in the record what is wrong with the conversation's rows. Null removes the note. Records of a newer version
   * stay unchanged.
   */
  mark(conversationId: string, broken: string | null): Promise<void>
  /** Ids of all descendants: conversations that its calls started, and their descendants. */
  descendants(conversationId: string): Promise<string[]>
  /**
   * Deletes a conversation with its descendants: all of them or none. An owner's late appends are rejected afterwards,
   * and reads find nothing. False if there is no such conversation.
   */
  delete(conversationId: string): Promise<boolean>
  /**
   * Calls back after changes by anybody, until the returned function is called. A change may be reported late, twice,
   * or together with others. After unreported changes, report one with `conversationId` null. Leave this method out if
   * only tabs of this browser use the store: they notify each other.
   */
  follow?(onChange: (change: StoreChange) => void): () => void
  close(): void
}
