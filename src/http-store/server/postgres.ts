import type { SqlDatabase, SqlQuery, SqlRow, SqlValue } from './database.ts'

interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly SqlRow[] }>
  release(error?: Error | boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** The part of `Pool` of `pg` (node-postgres) that is used. Other clients fit by a few lines. */
export interface PostgresPool {
  connect(): Promise<Omit<PostgresClient, 'on' | 'off'>>
  on(event: 'acquire', listener: (client: Pick<PostgresClient, 'on' | 'off'>) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** `disk_full`, and what a limit of the role or the database says. */
const FULL = new Set(['53100', '53400'])

/** A PostgreSQL database, by a `Pool` of `pg`. */
export function postgresDatabase(pool: PostgresPool): SqlDatabase {
  // An error event without a listener ends the process. The server may end a connection at any moment, also between the
  // moment when the pool stops listening and the one when `connect()` resolves.
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
        // A connection that can't even roll back is of no use to the next one.
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

/** The statement under way, or the next one, rejects with the same error. */
function ignored(): void {}

/** A statement with `@name` parameters as one with `$1`, `$2` and so on. */
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
