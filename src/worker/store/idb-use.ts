import type { IDBPTransaction } from 'idb'
import { watchStarts } from './watch-starts.ts'
import { storageError } from './idb-errors.ts'
import type { Connection, Database, Schema } from './idb-connection.ts'

export type Names = ('records' | 'counters' | 'rows' | 'attachments' | 'drafts')[]

export type Read = IDBPTransaction<Schema, Names>
export type Write = IDBPTransaction<Schema, Names, 'readwrite'>

/** What conversations are read from. */
export const READ: Names = ['records', 'rows', 'attachments']
export const DRAFTS: Names = ['drafts']
const ALL: Names = [...READ, 'counters', 'drafts']

/** Once more with a fresh connection when the database was closed underneath. */
export async function withDatabase<T>(
  connection: Connection,
  use: (db: Database) => Promise<T>,
): Promise<T> {
  try {
    return await useOnce(connection, use)
  } catch (error) {
    if (!isClosed(error)) throw storageError(error)
  }
  connection.forget()
  try {
    return await useOnce(connection, use)
  } catch (error) {
    throw storageError(error)
  }
}

async function useOnce<T>(connection: Connection, use: (db: Database) => Promise<T>): Promise<T> {
  const watched = watchStarts(await connection.database(), connection.startMs)
  try {
    const value = await use(watched)
    connection.reportUsed()
    return value
  } catch (error) {
    throw watched.isHeld ? connection.reportHeld() : error
  }
}

export async function write<T>(
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

/** What fails here fails its transaction, whose error is the one that counts. */
export function quietly(request: Promise<unknown>): void {
  request.catch(() => undefined)
}

/** Why the transaction was aborted, if not by us: its requests only say that it was. */
function causeOf(ended: Promise<void>, error: unknown): Promise<unknown> {
  return ended.then(
    () => error,
    (cause: unknown) => (cause instanceof Error && cause.name !== 'AbortError' ? cause : error),
  )
}

function abortQuietly(tx: Write): void {
  try {
    tx.abort()
  } catch {
    // It has ended already.
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidStateError'
}
