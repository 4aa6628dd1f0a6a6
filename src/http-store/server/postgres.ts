import type { SqlDatabase, SqlQuery, SqlRow, SqlValue } from './database.ts'

interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly SqlRow[] }>
  release(error?: Error | boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** The used part of node-postgres' (`pg`) `Pool`. Other clients need a few lines of adapter. */
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
  pool.on('error', ignored)
  pool.on('acquire', (client) => {
    client.off('error', ignored)
    client.on('error', ignored)
  })
  return {
    transaction: async (work) => {
      const client = await pool.connect()
      const query: SqlQuery = async (sql, parameters) => {
        const { text, values } = numbered(sql, parameters)
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
function ignored(): void {}

/** Rewrites `@name` parameters to `$1`, `$2` and so on. */
function numbered(
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
): { readonly text: string; readonly values: SqlValue[] } {
  const names: string[] = []
  const text = sql.replace(/@(\w+)/g, (_, name: string) => {
    const known = names.indexOf(name)
    return `$${known < 0 ? names.push(name) : known + 1}`
  })
  return { text, values: names.map((name) => parameters[name] ?? null) }
}
