import { oneByOne } from '../../lib/one-by-one.ts'
import type { SqlDatabase, SqlRow, SqlValue } from './database.ts'

/** Runs one statement on the one connection there is, and returns its rows. */
export type RunSqlite = (
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
) => readonly SqlRow[]

/** An SQLite database, by a function that runs a statement on a connection which nothing else uses meanwhile. */
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

/** SQLite has rolled back by itself after some errors, and says so then. */
function undo(run: RunSqlite): void {
  try {
    run('ROLLBACK', {})
  } catch {
    // There is nothing left to roll back.
  }
}
