import type { IDBPTransaction } from 'idb'
import type { StorageState } from '../../protocol/conversation.ts'
import type { ConversationRecord, JournalEntry } from '../../protocol/journal.ts'
import {
  Connection,
  isRefused,
  storageError,
  type Database,
  type Schema,
} from './idb-connection.ts'
import {
  applyAppend,
  claimRecord,
  lostRecord,
  markRecord,
  readRecord,
  unclaimed,
} from './record.ts'
import { isRecord } from './shape.ts'
import { randomId } from '../random-id.ts'
import type { Append, Claim, Store, StoredRows } from './store.ts'

type Names = ('conversations' | 'counters' | 'journal')[]

/** The one row of `counters`. */
const COUNTER = 'epoch'

type Write = IDBPTransaction<Schema, Names, 'readwrite'>
type Records = Pick<
  ReturnType<IDBPTransaction<Schema, Names>['objectStore']>,
  'get' | 'getAll' | 'getKey'
>

/**
 * The durable store. Resolves though the database can't be opened yet (blocked by another tab, made
 * by a newer version, failing): uses are refused with a typed error until it opens, and `report` is
 * called at each change. Rejects only where the browser gives the page no database at all.
 */
export async function openIdbStore(
  name: string,
  report: (state: StorageState) => void = () => undefined,
  openMs = 5000,
): Promise<Store> {
  const connection = new Connection(name, { report, openMs })
  try {
    await connection.database()
  } catch (error) {
    if (isRefused(error)) throw storageError(error)
  }
  return createIdbStore(connection)
}

function createIdbStore(connection: Connection): Store {
  const orphans = new Orphans()
  const gaps = new Gaps()
  return {
    read: (conversationId, afterSeq) => readRows(connection, conversationId, afterSeq),
    claim: (conversationId, at, options) =>
      write(connection, 'relaxed', (tx) =>
        claimIn(tx, conversationId, (found) => found ?? unclaimed(conversationId, at, options)),
      ),
    append: (append) =>
      write(connection, append.strict ? 'strict' : 'relaxed', (tx) => appendIn(tx, append)),
    list: () =>
      withDatabase(connection, async (db) => {
        const tx = db.transaction(BOTH)
        const rows = await tx.objectStore('conversations').getAll()
        const records = rows.flatMap((row) => {
          const id = isRecord(row) ? row['conversationId'] : null
          return typeof id === 'string' ? [readRecord(id, row)] : []
        })
        const whole = await Promise.all(records.map((record) => gaps.name(record, tx)))
        const all = [...whole, ...(await orphans.besides(records, tx))]
        return all.sort((a, b) => b.updatedAt - a.updatedAt)
      }),
    get: async (conversationId) =>
      withDatabase(connection, async (db) => {
        const tx = db.transaction(BOTH)
        return (await findRecord(tx, conversationId)) ?? null
      }),
    rename: (conversationId, title) =>
      change(connection, conversationId, (record) => ({ ...record, title })),
    mark: async (conversationId, broken) => {
      await change(connection, conversationId, (record) => markRecord(record, broken))
    },
    delete: (conversationId) =>
      write(connection, 'relaxed', async (tx) => {
        const known = (await findRecord(tx, conversationId)) !== undefined
        await Promise.all([
          tx.objectStore('conversations').delete(conversationId),
          tx.objectStore('journal').delete(rowsOf(conversationId)),
        ])
        orphans.forget(conversationId)
        return known
      }),
    close: () => {
      void connection.database().then(
        (db) => db.close(),
        () => undefined,
      )
      connection.forget()
    },
  }
}

const BOTH: Names = ['conversations', 'journal']
const ALL: Names = [...BOTH, 'counters']

function rowsOf(conversationId: string, afterSeq = 0): IDBKeyRange {
  return IDBKeyRange.bound([conversationId, afterSeq], [conversationId, Infinity], true)
}

/** Also of rows without a record: they are named as broken, and never written over. */
async function findRecord(
  tx: { objectStore(name: 'conversations' | 'journal'): Records },
  conversationId: string,
): Promise<ConversationRecord | undefined> {
  const row = await tx.objectStore('conversations').get(conversationId)
  if (row !== undefined) return readRecord(conversationId, row)
  const first = await tx.objectStore('journal').getKey(rowsOf(conversationId))
  return first === undefined ? undefined : lostRecord(conversationId)
}

/** Journals whose record is gone: looked for once, since only something else than this code makes them. */
class Orphans {
  #ids: Set<string> | null = null

  forget(conversationId: string): void {
    this.#ids?.delete(conversationId)
  }

  async besides(
    records: readonly ConversationRecord[],
    tx: IDBPTransaction<Schema, Names>,
  ): Promise<ConversationRecord[]> {
    const known = new Set(records.map((record) => record.conversationId))
    this.#ids ??= await findOrphans(tx, known)
    return [...this.#ids].filter((id) => !known.has(id)).map(lostRecord)
  }
}

/** Journals that lack rows: counted once, since only something else than this code takes any away. */
class Gaps {
  readonly #whole = new Set<string>()

  /** The record, named as broken when rows are missing. */
  async name(
    record: ConversationRecord,
    tx: IDBPTransaction<Schema, Names>,
  ): Promise<ConversationRecord> {
    const { conversationId, lastSeq, broken } = record
    if (broken !== undefined || this.#whole.has(conversationId)) return record
    const rows = await tx.objectStore('journal').count(rowsOf(conversationId))
    if (rows < lastSeq) return { ...record, broken: 'Rows are missing.' }
    this.#whole.add(conversationId)
    return record
  }
}

async function findOrphans(
  tx: IDBPTransaction<Schema, Names>,
  known: ReadonlySet<string>,
): Promise<Set<string>> {
  const found = new Set<string>()
  // From one conversation's first row to the next one's: as many reads as there are of them.
  let cursor = await tx.objectStore('journal').openKeyCursor()
  while (cursor) {
    const [id] = cursor.key
    if (typeof id === 'string' && !known.has(id)) found.add(id)
    cursor = await cursor.continue([id, Infinity])
  }
  return found
}

async function readRows(
  connection: Connection,
  conversationId: string,
  afterSeq?: number,
): Promise<StoredRows> {
  return withDatabase(connection, async (db) => {
    const tx = db.transaction(BOTH)
    const [record, entries] = await Promise.all([
      tx.objectStore('conversations').get(conversationId),
      tx.objectStore('journal').getAll(rowsOf(conversationId, afterSeq)),
    ])
    if (record !== undefined) return { record: readRecord(conversationId, record), entries }
    return { record: entries.length > 0 ? lostRecord(conversationId) : null, entries }
  })
}

async function change(
  connection: Connection,
  conversationId: string,
  next: (record: ConversationRecord) => ConversationRecord,
): Promise<boolean> {
  return write(connection, 'relaxed', async (tx) => {
    const records = tx.objectStore('conversations')
    const row = await records.get(conversationId)
    if (row !== undefined) await records.put(next(readRecord(conversationId, row)))
    return row !== undefined
  })
}

async function claimIn(
  tx: Write,
  conversationId: string,
  recordOf: (found: ConversationRecord | undefined) => ConversationRecord,
): Promise<Claim> {
  const counters = tx.objectStore('counters')
  const [found, newest] = await Promise.all([findRecord(tx, conversationId), counters.get(COUNTER)])
  const epoch = (newest?.epoch ?? 0) + 1
  const claim: Claim = { storeId: newest?.storeId ?? randomId(), epoch }
  await Promise.all([
    tx.objectStore('conversations').put(claimRecord(recordOf(found), epoch)),
    counters.put(claim, COUNTER),
  ])
  return claim
}

async function appendIn(tx: Write, append: Append): Promise<readonly JournalEntry[]> {
  const { conversationId } = append
  const row = await tx.objectStore('conversations').get(conversationId)
  const applied = applyAppend(row === undefined ? row : readRecord(conversationId, row), append)
  const journal = tx.objectStore('journal')
  // Not awaited one by one, which would cost a turn of the queue each: the transaction's end tells.
  for (const entry of applied.entries) quietly(journal.add(entry))
  quietly(tx.objectStore('conversations').put(applied.record))
  return applied.entries
}

async function write<T>(
  connection: Connection,
  durability: IDBTransactionDurability,
  body: (tx: Write) => Promise<T>,
): Promise<T> {
  return withDatabase(connection, async (db) => {
    const tx = db.transaction(ALL, 'readwrite', { durability })
    // Quota errors arrive at the transaction only, so its end is what counts.
    const ended = tx.done
    quietly(ended)
    try {
      const value = await body(tx)
      // Nothing more will be asked of it: no need to wait until it finds out by itself.
      tx.commit()
      await ended
      return value
    } catch (error) {
      abortQuietly(tx)
      throw await causeOf(ended, error)
    }
  })
}

/** Why the transaction was aborted, if not by us: its requests only say that it was. */
function causeOf(ended: Promise<void>, error: unknown): Promise<unknown> {
  return ended.then(
    () => error,
    (cause: unknown) => (cause instanceof Error && cause.name !== 'AbortError' ? cause : error),
  )
}

/** What fails here fails its transaction, whose error is the one that counts. */
function quietly(request: Promise<unknown>): void {
  request.catch(() => undefined)
}

function abortQuietly(tx: Write): void {
  try {
    tx.abort()
  } catch {
    // It has ended already.
  }
}

/** Once more with a fresh connection when the database was closed underneath. */
async function withDatabase<T>(
  connection: Connection,
  use: (db: Database) => Promise<T>,
): Promise<T> {
  try {
    return await use(await connection.database())
  } catch (error) {
    if (!isClosed(error)) throw storageError(error)
  }
  connection.forget()
  try {
    return await use(await connection.database())
  } catch (error) {
    throw storageError(error)
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidStateError'
}
