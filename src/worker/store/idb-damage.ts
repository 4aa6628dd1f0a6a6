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

/** Rows whose record is gone: looked for once, since only something else than this code makes them. */
export class Orphans {
  #ids: Set<string> | null = null

  forget(conversationId: string): void {
    this.#ids?.delete(conversationId)
  }

  async besides(records: readonly StoredRecord[], tx: Read): Promise<StoredRecord[]> {
    const known = new Set(records.map((record) => record.conversationId))
    this.#ids ??= await findOrphans(tx, known)
    return [...this.#ids].filter((id) => !known.has(id)).map(lostRecord)
  }
}

/** Conversations that lack rows: counted once, since only something else than this code takes any away. */
export class Gaps {
  readonly #whole = new Set<string>()

  /** The record, named as broken when rows are missing. What a newer version makes of rows isn't known. */
  async name(record: StoredRecord, tx: Read): Promise<StoredRecord> {
    const { conversationId, lastSeq, broken, format } = record
    if (broken !== undefined || isNewerFormat(format) || this.#whole.has(conversationId))
      return record
    const rows = await tx.objectStore('rows').count(rowsOf(conversationId))
    if (rows < lastSeq) return { ...record, broken: 'Rows are missing.' }
    this.#whole.add(conversationId)
    return record
  }
}

async function findOrphans(tx: Read, known: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>()
  // From one conversation's first row to the next one's: as many reads as there are of them.
  let cursor = await tx.objectStore('rows').openKeyCursor()
  while (cursor) {
    const [id] = cursor.key
    if (typeof id === 'string' && !known.has(id)) found.add(id)
    cursor = await cursor.continue([id, Infinity])
  }
  return found
}
