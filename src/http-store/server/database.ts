import { createSerialQueue } from '../../lib/serial-queue.ts'

/** Value of a parameter in a statement. */
export type SqlValue = string | number | null

/** Row that a statement returns: values by column. */
export type SqlRow = Readonly<Record<string, unknown>>

/** Runs one statement with parameters written as `@name`. Resolves to the rows that it returns, if any. */
export type SqlQuery = (
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
) => Promise<readonly SqlRow[]>

/** A database for the store handler, made by `postgresDatabase` or `sqliteDatabase`. */
export interface SqlDatabase {
  /**
   * Runs a transaction: commits when the work resolves, rolls back when it rejects. A statement must see only data
   * committed before the statement began (`READ COMMITTED`). A stricter level also works if it waits for locked rows
   * instead of failing.
   */
  transaction<T>(work: (query: SqlQuery) => Promise<T>): Promise<T>
  /** Whether an error means that the database is full. Runs then wait, as for `storage-full`. */
  isFull?(error: unknown): boolean
}

interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly SqlRow[] }>
  release(error?: Error | boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** The part of node-postgres' (`pg`) `Pool` used here. Other clients need a small adapter. */
export interface PostgresPool {
  connect(): Promise<Omit<PostgresClient, 'on' | 'off'>>
  on(event: 'acquire', listener: (client: Pick<PostgresClient, 'on' | 'off'>) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** `disk_full`, and `configuration_limit_exceeded` for a limit of the role or the database. */
const FULL = new Set(['53100', '53400'])

/** A PostgreSQL database, through a `Pool` of `pg`. */
export function postgresDatabase(pool: PostgresPool): SqlDatabase {
  // An error event without a listener ends the process. The server may close a connection at any time, even after the
  // pool stopped listening and before `connect()` resolves.
  pool.on('error', ignoreEvent)
  pool.on('acquire', (client) => {
    client.off('error', ignoreEvent)
    client.on('error', ignoreEvent)
  })
  return {
    transaction: async (work) => {
      const client = await pool.connect()
      const query: SqlQuery = async (sql, parameters) => {
        const { text, values } = numberParameters(sql, parameters)
        return (await client.query(text, values)).rows
      }
      try {
        await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
        const value = await work(query)
        await client.query('COMMIT')
        client.release()
        return value
      } catch (error) {
        // A connection that can't roll back must not be reused.
        const isUsable = await client.query('ROLLBACK').then(
          () => true,
          () => false,
        )
        client.release(!isUsable)
        throw error
      }
    },
    isFull: (error) => FULL.has(String((error as { code?: unknown } | null)?.code)),
  }
}

/** Ignores the event: the current or next statement rejects with the same error. */
function ignoreEvent(): void {}

/** Rewrites `@name` parameters to `$1`, `$2` and so on. */
function numberParameters(
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
): { readonly text: string; readonly values: SqlValue[] } {
  const names: string[] = []
  const text = sql.replace(/@(\w+)/g, (_, name: string) => {
    const index = names.indexOf(name)
    return `$${index < 0 ? names.push(name) : index + 1}`
  })
  return { text, values: names.map((name) => parameters[name] ?? null) }
}

/** Runs one statement on the only connection, and returns its rows. */
export type RunSqlite = (
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
) => readonly SqlRow[]

/** An SQLite database, through a function that runs statements on a connection that nothing else uses. */
export function sqliteDatabase(run: RunSqlite): SqlDatabase {
  const queue = createSerialQueue()
  return {
    transaction: (work) =>
      queue(async () => {
        run('BEGIN IMMEDIATE', {})
        try {
          const value = await work(async (sql, parameters) => run(sql, parameters))
          run('COMMIT', {})
          return value
        } catch (error) {
          rollBack(run)
          throw error
        }
      }),
    isFull: (error) => /\bdatabase or disk is full\b/.test(String(error)),
  }
}

/** Rolls back. After some errors SQLite has already rolled back; `ROLLBACK` then throws, which is ignored. */
function rollBack(run: RunSqlite): void {
  try {
    run('ROLLBACK', {})
  } catch {
    // Already rolled back.
  }
}

/**
 * The tables, one statement each. The database compares and sorts texts, and must treat any two different texts as
 * different. MySQL therefore needs a binary collation, and `LONGTEXT` instead of `TEXT`.
 */
export const STORE_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS offstage_tenants (
    tenant VARCHAR(255) NOT NULL PRIMARY KEY,
    store_id VARCHAR(64) NOT NULL,
    epoch BIGINT NOT NULL,
    newest_change BIGINT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS offstage_records (
    tenant VARCHAR(255) NOT NULL,
    conversation VARCHAR(255) NOT NULL,
    parent VARCHAR(255),
    updated_at DOUBLE PRECISION NOT NULL,
    last_seq BIGINT NOT NULL,
    newest_change BIGINT NOT NULL,
    record TEXT,
    PRIMARY KEY (tenant, conversation)
  )`,
  'CREATE INDEX IF NOT EXISTS offstage_records_by_time ON offstage_records (tenant, updated_at)',
  'CREATE INDEX IF NOT EXISTS offstage_records_by_change ON offstage_records (tenant, newest_change)',
  'CREATE INDEX IF NOT EXISTS offstage_records_by_parent ON offstage_records (tenant, parent)',
  `CREATE TABLE IF NOT EXISTS offstage_rows (
    tenant VARCHAR(255) NOT NULL,
    conversation VARCHAR(255) NOT NULL,
    seq BIGINT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (tenant, conversation, seq)
  )`,
]
