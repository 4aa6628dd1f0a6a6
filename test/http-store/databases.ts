import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import {
  postgresDatabase,
  sqliteDatabase,
  STORE_SCHEMA,
  type RunSqlite,
  type SqlDatabase,
} from '../../src/http-store/server/index.ts'
import { poolOf, startPostgres } from './postgres.mjs'

/** A real database with the store's tables. */
export interface TestDatabase {
  readonly database: SqlDatabase
  /** Takes away all room; returns what gives it back. Absent: that can't be done. */
  fill?(): Promise<() => Promise<void>>
  close(): Promise<void>
}

export interface TestPostgres extends TestDatabase {
  readonly port: number
  /** Stops the server, by a fast (SIGINT) or an immediate shutdown (SIGQUIT), and starts it again. */
  restart(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
}

/** SQLite on disk, by its WebAssembly build. */
export async function openSqlite(): Promise<TestDatabase> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-sqlite-'))
  const connection = new sqlite.Database(path.join(folder, 'store.db'))
  const run: RunSqlite = (sql, parameters) => {
    const named = Object.entries(parameters).map(([name, value]) => [`@${name}`, value] as const)
    return connection.all(sql, Object.fromEntries(named))
  }
  // No test is about what a crash of the machine leaves on the disk.
  connection.exec('PRAGMA synchronous = OFF')
  for (const statement of STORE_SCHEMA) connection.exec(statement)
  const pragma = (name: string): number =>
    Number(Object.values(connection.get(`PRAGMA ${name}`) ?? {})[0])
  return {
    database: sqliteDatabase(run),
    fill: async () => {
      const most = pragma('max_page_count')
      connection.exec(`PRAGMA max_page_count = ${pragma('page_count')}`)
      // Also what is free within its pages: the last rows are small ones.
      for (const size of [100_000, 1000, 10]) fillUp(connection, size)
      return async () => {
        connection.exec(`PRAGMA max_page_count = ${most}`)
        connection.exec(`DELETE FROM offstage_rows WHERE tenant = '${FILLER}'`)
      }
    },
    close: async () => {
      connection.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const FILLER = 'filler'

function fillUp(connection: sqlite.Database, size: number): void {
  try {
    for (;;)
      connection.run(
        'INSERT INTO offstage_rows (tenant, conversation, seq, data) VALUES (?, ?, random(), ?)',
        [FILLER, 'f', 'x'.repeat(size)],
      )
  } catch (error) {
    if (!/full/.test(String(error))) throw error
  }
}

/** A PostgreSQL server of this test's own. */
export async function openPostgres(): Promise<TestPostgres> {
  // No test is about what a crash of the machine leaves on the disk.
  const { port, restart, close } = await startPostgres(['fsync=off'])
  const pool = poolOf(port)
  const database = postgresDatabase(pool)
  for (const statement of STORE_SCHEMA) await pool.query(statement)
  return {
    database,
    port,
    restart,
    close: async () => {
      await pool.end()
      await close()
    },
  }
}
