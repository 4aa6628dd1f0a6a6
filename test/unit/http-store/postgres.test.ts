import { expect, it } from 'vitest'
import { NO_POSTGRES, openPostgres } from '../../http-store/databases.ts'

// An error that nobody handles fails the run of all tests.

it.skipIf(NO_POSTGRES !== null)(
  `a connection that PostgreSQL ends in the middle of a transaction fails that one alone (${NO_POSTGRES ?? 'PostgreSQL'})`,
  async () => {
    const { database, close } = await openPostgres()
    const cut = database.transaction(async (query) => {
      await query('SELECT pg_terminate_backend(pg_backend_pid())', {})
      return query('SELECT 1 AS one', {})
    })
    await expect(cut).rejects.toThrow()
    const next = await database.transaction((query) => query('SELECT 1 AS one', {}))
    expect(next).toEqual([{ one: 1 }])
    await close()
  },
)
