import type { SqlDatabase, SqlQuery, SqlRow, SqlValue } from './database.ts'

/** What is used of a `Pool` of `pg` (node-postgres); other clients fit by a few lines. */
export interface PostgresPool {
  connect(): Promise<{
    query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly SqlRow[] }>
    release(error?: Error | boolean): void
    on(event: 'error', listener: (error: Error) => void): unknown
    off(event: 'error', listener: (error: Error) => void): unknown
  }>
}

/** `disk_full`, and what a limit of the role or the database says. */
const FULL = new Set(['53100', '53400'])

/** A PostgreSQL database, by a `Pool` of `pg`. */
export function postgresDatabase(pool: PostgresPool): SqlDatabase {
  return {
    transaction: async (work) => {
      const client = await pool.connect()
      // A connection that the server ends in between says so twice: the statement under way rejects.
      client.on('error', ignored)
      const query: SqlQuery = async (sql, parameters) => {
        const { text, values } = numbered(sql, parameters)
        return (await client.query(text, values)).rows
      }
      try {
        await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
        const value = await work(query)
        await client.query('COMMIT')
        client.off('error', ignored)
        client.release()
        return value
      } catch (error) {
        // A connection that can't even roll back is of no use to the next one.
        const isUsable = await client.query('ROLLBACK').then(
          () => true,
          () => false,
        )
        if (isUsable) client.off('error', ignored)
        client.release(!isUsable)
        throw error
      }
    },
    isFull: (error) => FULL.has(String((error as { code?: unknown } | null)?.code)),
  }
}

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
