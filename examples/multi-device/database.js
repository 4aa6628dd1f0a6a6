import sqlite from 'node-sqlite3-wasm'
import { postgresDatabase, sqliteDatabase, STORE_SCHEMA } from 'offstage/http-store/server'
import pg from 'pg'

/** Opens PostgreSQL, and returns the databases of the store's handler. */
export async function openPostgres(connectionString) {
  const pool = new pg.Pool({ connectionString })
  for (const statement of STORE_SCHEMA) await pool.query(statement)
  return {
    database: postgresDatabase(pool),
    // A connection of its own, so that following changes never waits for one.
    followDatabase: postgresDatabase(new pg.Pool({ connectionString, max: 1 })),
  }
}

/** Opens SQLite in memory. Conversations last until the server stops. */
export function openMemory() {
  const connection = new sqlite.Database()
  for (const statement of STORE_SCHEMA) connection.exec(statement)
  const run = (sql, parameters) => {
    const namedParameters = Object.entries(parameters).map(([name, value]) => [`@${name}`, value])
    return connection.all(sql, Object.fromEntries(namedParameters))
  }
  return { database: sqliteDatabase(run) }
}
