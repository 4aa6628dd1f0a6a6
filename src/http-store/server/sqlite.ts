import { oneByOne } from '../../lib/one-by-one.ts'
import type { SqlDatabase, SqlRow, SqlValue } from './database.ts'

/** Runs one statement on the only connection, and returns its rows. */
export type RunSqlite = (
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
) => readonly SqlRow[]

/** An SQLite database, through a function that runs statements on a connection that nothing else uses. */
export function sqliteDatabase(run: RunSqlite): SqlDatabase {
  const inOrder = oneByOne()
  return {
    transaction: (work) =>
      inOrder(async () => {
        run('BEGIN IMMEDIATE', {})
        try {
          const value = await work(async (sql, parameters) => run(sql, parameters))
          run('COMMIT', {})
          return value
        } catch (error) {
          undo(run)
          throw error
        }
      }),
    isFull: (error) => /\bdatabase or disk is full\b/.test(String(error)),
  }
}

/** Rolls back. SQLite itself rolls back after some errors; `ROLLBACK` throws then. */
function undo(run: RunSqlite): void {
  try {
    run('ROLLBACK', {})
  } catch {
    // Already rolled back.
  }
}
