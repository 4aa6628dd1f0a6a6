import type { IDBPTransaction } from 'idb'
import { watchStarts } from './watch-starts.ts'
import { storageError } from './idb-errors.ts'
import type { Connection, Database, Schema } from './idb-connection.ts'

export type Names = ('records' | 'counters' | 'rows' | 'attachments' | 'drafts')[]

export type Read = IDBPTransaction<Schema, Names>
export type Write = IDBPTransaction<Schema, Names, 'readwrite'>

/** Object stores that conversations are read from. */
export const READ: Names = ['records', 'rows', 'attachments']
export const DRAFTS: Names = ['drafts']
const ALL: Names = [...READ, 'counters', 'drafts']

/** Uses the database. Tries once more with a new connection if it was closed meanwhile. */
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
      // Commits now. Otherwise the browser has to find out first that no request follows.
      tx.commit()
      await ended
      return value
    } catch (error) {
      abortQuietly(tx)
      throw await causeOf(ended, error)
    }
  })
}

/** Ignores the error of a request. The request also fails its transaction, whose error is used. */
export function quietly(request: Promise<unknown>): void {
  request.catch(() => undefined)
}

/** The reason why the browser aborted the transaction. Its requests only report that it was aborted. */
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
    // The transaction has ended already.
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidStateError'
}
