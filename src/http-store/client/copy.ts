import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb'
import type { ConversationRecord } from '../../protocol/conversation.ts'
import {
  type ListedRecords,
  type ListPage,
  pageOf,
  type RowRange,
  type StoredRows,
} from '../../worker/store/store.ts'
import { makerOf } from '../../worker/store/record.ts'

/** Maximum conversations whose rows are kept when the copy is opened: those changed last. */
const MOST_KEPT = 100

interface Entry {
  readonly record: ConversationRecord
  /** Number of copied rows, from the first row on without a gap. */
  readonly rows: number
}

interface Schema extends DBSchema {
  records: { key: string; value: Entry }
  rows: { key: [string, number]; value: unknown }
  /** Id of the copied store, as the only entry. */
  store: { key: 'id'; value: string }
}

type Names = ('records' | 'rows' | 'store')[]
type Transaction = IDBPTransaction<Schema, Names, 'readwrite'>

const ALL: Names = ['records', 'rows', 'store']

/**
 * Copy of a store's answers in IndexedDB, for reading while the server can't be reached. Failures to write are ignored.
 */
export class LocalCopy {
  readonly #name: string
  #opening: Promise<Pick<IDBPDatabase<Schema>, 'transaction' | 'close'>> | null = null

  constructor(name: string) {
    this.#name = `offstage-copy:${name}`
  }

  /** Binds the copy to this store. Clears the rows and records of any other store. */
  async bindTo(storeId: string): Promise<void> {
    await this.#transact(async (tx) => {
      const storedId = await tx.objectStore('store').get('id')
      if (storedId === storeId) return
      await Promise.all(ALL.map((name) => tx.objectStore(name).clear()))
      await tx.objectStore('store').put(storeId, 'id')
    })
  }

  /**
   * Stores records in one transaction, because there may be thousands. `rows`: of a single record; kept if they
   * continue the copied rows without a gap.
   */
  async keep(records: readonly ConversationRecord[], rows: readonly unknown[] = []): Promise<void> {
    await this.#transact(async (tx) => {
      await Promise.all(records.map((record) => putRecord(tx, record, rows)))
    })
  }

  /** Removes all conversations for whose ids `isGone` returns true. */
  async forget(isGone: (id: string) => boolean): Promise<void> {
    await this.#transact(async (tx) => {
      for (const id of (await tx.objectStore('records').getAllKeys()).filter(isGone)) {
        await tx.objectStore('records').delete(id)
        await tx.objectStore('rows').delete(rowsOf(id))
      }
    })
  }

  /** Reads rows of a conversation. Null: the copy doesn't have the range. */
  async read(
    id: string,
    { after = 0, limit = Infinity, newest }: RowRange,
  ): Promise<StoredRows | null | undefined> {
    return this.#transact(async (tx) => {
      const entry = await tx.objectStore('records').get(id)
      if (!entry || (entry.rows === 0 && entry.record.lastSeq > 0)) return null
      const from = newest === undefined ? after : Math.max(0, entry.rows - newest)
      if (from > entry.rows) return null
      const to = newest === undefined ? from + limit : Infinity
      // IndexedDB throws for a range that begins and ends at the same excluded key.
      const rows = to > from ? await tx.objectStore('rows').getAll(rowsOf(id, from, to)) : []
      // Sets `lastSeq` to the last copied row, because missing rows would make the conversation look broken.
      const record = { ...entry.record, lastSeq: entry.rows }
      return { record, rows, isCopy: true as const }
    })
  }

  async list(page: ListPage | undefined): Promise<ListedRecords | null> {
    const entries = await this.#transact((tx) => tx.objectStore('records').getAll())
    if (!entries?.length) return null
    return {
      ...pageOf(
        entries.map(({ record }) => record),
        page,
      ),
      isCopy: true,
    }
  }

  close(): void {
    void this.#opening?.then(
      (db) => db.close(),
      () => undefined,
    )
    this.#opening = null
  }

  /** Runs work in a transaction. Undefined if there is no database, or the transaction failed. */
  async #transact<T>(run: (tx: Transaction) => Promise<T>): Promise<T | undefined> {
    try {
      const db = await (this.#opening ??= this.#openDatabase())
      const tx = db.transaction(ALL, 'readwrite')
      const [value] = await Promise.all([run(tx), tx.done])
      return value
    } catch {
      // The database is opened again when next used.
      this.close()
      return undefined
    }
  }

  async #openDatabase(): Promise<IDBPDatabase<Schema>> {
    const close = (): void => this.close()
    const db = await openDB<Schema>(this.#name, 1, {
      upgrade(db) {
        for (const name of ALL) db.createObjectStore(name)
      },
      blocking: close,
      terminated: close,
    })
    await prune(db.transaction(ALL, 'readwrite'))
    return db
  }
}

async function putRecord(
  tx: Transaction,
  record: ConversationRecord,
  rows: readonly unknown[],
): Promise<void> {
  const { conversationId: id } = record
  const records = tx.objectStore('records')
  const previous = await records.get(id)
  const isSame = previous !== undefined && makerOf(previous.record) === makerOf(record)
  if (previous && !isSame) await tx.objectStore('rows').delete(rowsOf(id))
  let count = isSame ? previous.rows : 0
  const from = Number((rows[0] as { seq?: unknown } | undefined)?.seq)
  if (from <= count + 1) {
    for (const [at, row] of rows.entries()) await tx.objectStore('rows').put(row, [id, from + at])
    count = Math.max(count, from + rows.length - 1)
  }
  // A newer answer may have arrived first.
  const newest = isSame && previous.record.lastSeq > record.lastSeq ? previous.record : record
  await records.put({ record: newest, rows: count }, id)
}

/** Removes all rows except those of the newest conversations. The server still has the removed rows. */
async function prune(tx: Transaction): Promise<void> {
  const records = tx.objectStore('records')
  const entries = await records.getAll()
  const old = entries
    .filter(({ rows }) => rows > 0)
    .toSorted((a, b) => b.record.updatedAt - a.record.updatedAt)
    .slice(MOST_KEPT)
  for (const { record } of old) {
    const { conversationId: id } = record
    await tx.objectStore('rows').delete(rowsOf(id))
    await records.put({ record, rows: 0 }, id)
  }
  await tx.done
}

/** Key range of the rows after the first number, up to and including the second. */
function rowsOf(id: string, after = 0, last = Infinity): IDBKeyRange {
  return IDBKeyRange.bound([id, after], [id, last], true)
}
