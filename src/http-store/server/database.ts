export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, unknown>>

/** Runs one statement, whose parameters stand in it as `@name`. Resolves to the rows that it returns, or none. */
export type SqlQuery = (
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
) => Promise<readonly SqlRow[]>

/** What a store handler needs of a database. `postgresDatabase` and `sqliteDatabase` make one. */
export interface SqlDatabase {
  /**
   * One transaction: committed when the work resolves, rolled back when it rejects. What a statement reads was committed before it
   * began (`READ COMMITTED`, or anything stricter that waits for a locked row in place of failing).
   */
  transaction<T>(work: (query: SqlQuery) => Promise<T>): Promise<T>
  /** Whether an error says that there is no room left: the run waits for it then, as `storage-full`. */
  isFull?(error: unknown): boolean
}
