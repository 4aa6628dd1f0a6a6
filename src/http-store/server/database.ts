export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, unknown>>

/** Runs one statement with parameters written as `@name`. Resolves to the rows that it returns, if any. */
export type SqlQuery = (
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
) => Promise<readonly SqlRow[]>

/** A database for the store handler. `postgresDatabase` and `sqliteDatabase` make one. */
export interface SqlDatabase {
  /**
   * Runs a transaction: commits when the work resolves, rolls back when it rejects. A statement reads only what was
   * committed before it began (`READ COMMITTED`). A stricter level is fine if it waits for locked rows instead of
   * failing.
   */
  transaction<T>(work: (query: SqlQuery) => Promise<T>): Promise<T>
  /** Whether an error means that the database is full. Runs then wait, as for `storage-full`. */
  isFull?(error: unknown): boolean
}
