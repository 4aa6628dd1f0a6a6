import type { ConversationRecord } from '../../protocol/conversation.ts'
import type { Read } from './idb-use.ts'
import { lostRecord, type StoredRecord } from './record.ts'
import { isNewerFormat } from './upcast.ts'

/** Key range of a conversation's rows after `afterSeq`, to `toSeq` or the end. */
export function rowsOf(
  conversationId: string,
  afterSeq = 0,
  toSeq: number = Infinity,
): IDBKeyRange {
  return IDBKeyRange.bound([conversationId, afterSeq], [conversationId, toSeq], true)
}

/** Conversations checked per listing: counting the rows of 5 000 takes a browser 16 s. */
const PAGE = 50
/** Keys of rows read per listing. */
const KEYS = 1000

/**
 * Finds rows without a record, and records with missing rows. Only other code can cause these, so each conversation
 * is checked once: each listing checks the next page. Opening a conversation checks it, too.
 */
export class Damage {
  readonly #lost = new Set<string>()
  readonly #holed = new Set<string>()
  readonly #counted = new Set<string>()
  /** The rows not checked yet; undefined when all were checked. Null: all rows. */
  #unread: IDBKeyRange | null | undefined = null

  forget(conversationId: string): void {
    for (const ids of [this.#lost, this.#holed, this.#counted]) ids.delete(conversationId)
  }

  /** Substitute records for rows without a record. */
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

  /** Marks records with missing rows as broken. Skips newer formats, which may count rows differently. */
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
