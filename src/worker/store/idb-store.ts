import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb'
import { OffstageError, describeThrown } from '../../protocol/error.ts'
import {
  JOURNAL_VERSION,
  type ConversationRecord,
  type JournalEntry,
} from '../../protocol/journal.ts'
import { randomId } from '../random-id.ts'
import { applyAppend, newRecord } from './record.ts'
import type { Append, Claim, Store } from './store.ts'

const DB_VERSION = 2

/** The one row of `counters`. */
const COUNTER = 'epoch'

interface Schema extends DBSchema {
  journal: { key: [string, number]; value: JournalEntry }
  conversations: {
    key: string
    value: ConversationRecord
    indexes: { updatedAt: number }
  }
  /** The store's own name, and the newest epoch of any conversation. */
  counters: { key: string; value: Claim }
}

type Database = IDBPDatabase<Schema>
type Write = IDBPTransaction<Schema, ('conversations' | 'counters' | 'journal')[], 'readwrite'>

/**
 * The durable store. The database is opened at once and reopened after the browser or another tab
 * closed it. Rejects with `storage-failed` when it can't be opened within `openMs`.
 */
export async function openIdbStore(name: string, openMs = 5000): Promise<Store> {
  const connection = new Connection(name, openMs)
  await connection.database()
  return createIdbStore(connection)
}

/** One open database, replaced when it was closed underneath. */
class Connection {
  readonly #name: string
  readonly #openMs: number
  #opening: Promise<Database> | null = null

  constructor(name: string, openMs: number) {
    this.#name = name
    this.#openMs = openMs
  }

  database(): Promise<Database> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = null
      throw storageError(error)
    })
    return this.#opening
  }

  forget(): void {
    this.#opening = null
  }

  async #open(): Promise<Database> {
    const opened = openDB<Schema>(this.#name, DB_VERSION, {
      upgrade: (db, from) => {
        if (from < 1) {
          db.createObjectStore('journal', { keyPath: ['conversationId', 'seq'] })
          const conversations = db.createObjectStore('conversations', { keyPath: 'conversationId' })
          conversations.createIndex('updatedAt', 'updatedAt')
        }
        if (from < 2) db.createObjectStore('counters')
      },
      // A newer version of the page wants to upgrade: stand aside, reopen at the next use.
      blocking: (_current, _blocked, event) => {
        ;(event.target as unknown as IDBDatabase).close()
        this.forget()
      },
      terminated: () => this.forget(),
    })
    return within(opened, this.#openMs)
  }
}

async function within(opened: Promise<Database>, ms: number): Promise<Database> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // Should it open after all, nobody uses it any more.
      void opened.then((db) => db.close()).catch(() => undefined)
      reject(
        new OffstageError('storage-failed', `IndexedDB did not open within ${ms} ms.`, {
          retryable: true,
        }),
      )
    }, ms)
  })
  try {
    return await Promise.race([opened, late])
  } finally {
    clearTimeout(timer)
  }
}

function createIdbStore(connection: Connection): Store {
  return {
    read: (conversationId, afterSeq) => readJournal(connection, conversationId, afterSeq),
    claim: (conversationId, at) =>
      write(connection, 'relaxed', async (tx) => {
        const records = tx.objectStore('conversations')
        const counters = tx.objectStore('counters')
        const [record, newest] = await Promise.all([
          records.get(conversationId),
          counters.get(COUNTER),
        ])
        const epoch = (newest?.epoch ?? 0) + 1
        const claim = { storeId: newest?.storeId ?? randomId(), epoch }
        await Promise.all([
          records.put({ ...(record ?? newRecord(conversationId, at)), epoch }),
          counters.put(claim, COUNTER),
        ])
        return claim
      }),
    append: (append) =>
      write(connection, append.strict ? 'strict' : 'relaxed', (tx) => appendIn(tx, append)),
    list: async () => {
      const records = await withDatabase(connection, (db) =>
        db.getAllFromIndex('conversations', 'updatedAt'),
      )
      return records.reverse()
    },
    get: async (conversationId) =>
      (await withDatabase(connection, (db) => db.get('conversations', conversationId))) ?? null,
    rename: (conversationId, title) =>
      write(connection, 'relaxed', async (tx) => {
        const records = tx.objectStore('conversations')
        const record = await records.get(conversationId)
        if (record) await records.put({ ...record, title })
        return record !== undefined
      }),
    delete: (conversationId) =>
      write(connection, 'relaxed', async (tx) => {
        const records = tx.objectStore('conversations')
        const known = (await records.getKey(conversationId)) !== undefined
        await Promise.all([
          records.delete(conversationId),
          tx
            .objectStore('journal')
            .delete(IDBKeyRange.bound([conversationId, 0], [conversationId, Infinity])),
        ])
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

async function readJournal(
  connection: Connection,
  conversationId: string,
  afterSeq = 0,
): Promise<readonly JournalEntry[]> {
  const range = IDBKeyRange.bound([conversationId, afterSeq], [conversationId, Infinity], true)
  const entries = await withDatabase(connection, (db) => db.getAll('journal', range))
  const newer = entries.find((entry) => (entry.v as number) > JOURNAL_VERSION)
  if (newer) {
    throw new OffstageError(
      'storage-failed',
      `This conversation was written by a newer Offstage (journal version ${newer.v}); reload the page or update the package.`,
    )
  }
  return entries
}

async function appendIn(tx: Write, append: Append): Promise<readonly JournalEntry[]> {
  const records = tx.objectStore('conversations')
  const journal = tx.objectStore('journal')
  const applied = applyAppend(await records.get(append.conversationId), append)
  // Not awaited one by one, which would cost a turn of the queue each: the transaction's end tells.
  for (const entry of applied.entries) quietly(journal.add(entry))
  quietly(records.put(applied.record))
  return applied.entries
}

async function write<T>(
  connection: Connection,
  durability: IDBTransactionDurability,
  body: (tx: Write) => Promise<T>,
): Promise<T> {
  return withDatabase(connection, async (db) => {
    const tx = db.transaction(['conversations', 'counters', 'journal'], 'readwrite', { durability })
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
      throw error
    }
  })
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

function storageError(error: unknown): OffstageError {
  if (OffstageError.is(error)) return error
  const name = error instanceof Error ? error.name : 'Error'
  const full = name === 'QuotaExceededError'
  return new OffstageError(
    'storage-failed',
    full
      ? "The browser's storage quota is used up: free space or export and delete conversations."
      : `IndexedDB failed (${name}): ${describeThrown(error)}`,
    { cause: error, details: { name } },
  )
}
