import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createServer } from 'node:net'
import { readdirSync } from 'node:fs'
import sqlite from 'node-sqlite3-wasm'
import pg from 'pg'
import {
  postgresDatabase,
  sqliteDatabase,
  STORE_SCHEMA,
  type RunSqlite,
  type SqlDatabase,
} from '../../src/http-store/server/index.ts'

const exec = promisify(execFile)

/** A real database with the store's tables. */
export interface TestDatabase {
  readonly database: SqlDatabase
  /** Takes away all room; returns what gives it back. Absent: that can't be done. */
  fill?(): Promise<() => Promise<void>>
  close(): Promise<void>
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

const VERSIONS = '/usr/lib/postgresql'

/** Where PostgreSQL's programs are; null: it isn't installed, as Debian's `postgresql` does. */
function findPostgres(): string | null {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : []
  const folders = versions.map((version) => path.join(VERSIONS, version, 'bin'))
  return folders.findLast((folder) => existsSync(path.join(folder, 'postgres'))) ?? null
}

/** Why tests of PostgreSQL are skipped; null: they aren't. */
export const NO_POSTGRES: string | null =
  findPostgres() === null ? 'PostgreSQL is not installed (apt-get install postgresql)' : null

/** It refuses to run as root. */
async function unprivileged(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null
  const ids = await Promise.all(['-u', '-g'].map((which) => exec('id', [which, 'postgres'])))
  const [uid, gid] = ids.map(({ stdout }) => Number(stdout))
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

/** A PostgreSQL server of this test's own, on a free port of this machine. */
export async function openPostgres(): Promise<TestDatabase> {
  const bin = findPostgres()
  if (bin === null) throw new Error(NO_POSTGRES ?? '')
  const folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-postgres-'))
  const who = await unprivileged()
  if (who) await chown(folder, who.uid, who.gid)
  const as = { cwd: folder, ...who }
  const data = path.join(folder, 'data')
  await exec(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'offstage', '-A', 'trust', '-E', 'UTF8', '-N'],
    as,
  )
  const port = await freePort()
  const options = ['-D', data, '-p', `${port}`, '-k', folder, '-h', '127.0.0.1', '-c', 'fsync=off']
  const server = spawn(path.join(bin, 'postgres'), options, { ...as, stdio: 'ignore' })
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'offstage', database: 'postgres' })
  // An idle connection that the server ends is no failure.
  pool.on('error', () => undefined)
  await untilReady(pool, server)
  for (const statement of STORE_SCHEMA) await pool.query(statement)
  return {
    database: postgresDatabase(pool),
    close: async () => {
      await pool.end()
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilReady(pool: pg.Pool, server: ChildProcess): Promise<void> {
  for (;;) {
    try {
      await pool.query('SELECT 1')
      return
    } catch (error) {
      if (server.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
