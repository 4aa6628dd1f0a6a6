import type { ConversationRecord } from '../../protocol/conversation.ts'
import type { Read } from './idb-use.ts'
import { lostRecord, type StoredRecord } from './record.ts'
import { isNewerFormat } from './upcast.ts'

/** A conversation's rows after one of them, to the end or to another one. */
export function rowsOf(
  conversationId: string,
  afterSeq = 0,
  toSeq: number = Infinity,
): IDBKeyRange {
  return IDBKeyRange.bound([conversationId, afterSeq], [conversationId, toSeq], true)
}

/** Conversations that one list checks: counting the rows of 5 000 takes a browser 16 s. */
const PAGE = 50
/** Keys of rows that one list reads. */
const KEYS = 1000

/**
 * Rows without a record, and records without all their rows. Only other code than this leaves such, so each conversation
 * is checked once: the first page by the first list, the next page by the next one. Opening a conversation checks it, too.
 */
export class Damage {
  readonly #lost = new Set<string>()
  readonly #holed = new Set<string>()
  readonly #counted = new Set<string>()
  /** Rows after these are still to be looked at; undefined: none are. */
  #unread: IDBKeyRange | null | undefined = null

  forget(conversationId: string): void {
    for (const ids of [this.#lost, this.#holed, this.#counted]) ids.delete(conversationId)
  }

  /** Records for rows that have none. */
  async lostBeside(records: readonly StoredRecord[], tx: Read): Promise<StoredRecord[]> {
    const known = new Set(records.map((record) => record.conversationId))
    if (this.#unread !== undefined) {
      const keys = await tx.objectStore('rows').getAllKeys(this.#unread, KEYS)
      for (const [id] of keys) if (!known.has(id)) this.#lost.add(id)
      const last = keys.length < KEYS ? undefined : keys.at(-1)
      this.#unread = last && IDBKeyRange.lowerBound([last[0], Infinity])
    }
    return [...this.#lost].filter((id) => !known.has(id)).map(lostRecord)
  }

  /** The records, named as broken when rows are missing. What a newer version makes of rows isn't known. */
  async nameBroken<R extends ConversationRecord>(records: readonly R[], tx: Read): Promise<R[]> {
    const unchecked = records.filter(
      ({ conversationId, broken, format }) =>
        broken === undefined && !isNewerFormat(format) && !this.#counted.has(conversationId),
    )
    await Promise.all(
      unchecked.slice(0, PAGE).map(async ({ conversationId, lastSeq }) => {
        const rows = await tx.objectStore('rows').count(rowsOf(conversationId))
        this.#counted.add(conversationId)
        if (rows < lastSeq) this.#holed.add(conversationId)
      }),
    )
    return records.map((record) =>
      this.#holed.has(record.conversationId) ? { broken: 'Rows are missing.', ...record } : record,
    )
  }
}
