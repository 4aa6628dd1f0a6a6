import { expect, it, onTestFinished } from 'vitest'
import { createStoreHandler, postgresDatabase } from '../../../src/http-store/server/index.ts'
import { FORMAT } from '../../../src/protocol/fact.ts'
import { openPostgres } from '../../http-store/databases.ts'
import { followTenant } from '../../http-store/follow-tenant.ts'
import { startHoldingProxy } from '../../http-store/holding-proxy.ts'
import { NO_POSTGRES, poolOf } from '../../http-store/postgres.mjs'
import { ended, started } from './support.ts'
import { MORE } from '../../../scripts/lib/more.mjs'

/** `npm test` restarts it at each third reply. */
const STEP = MORE ? 1 : 3

// An error that nobody handles fails the run of all tests.

it.skipIf(NO_POSTGRES !== null)(
  `a connection ended by PostgreSQL fails only its own transaction (${NO_POSTGRES ?? 'PostgreSQL'})`,
  async () => {
    const { database, close } = await openPostgres()
    onTestFinished(close)
    const cut = database.transaction(async (query) => {
      await query('SELECT pg_terminate_backend(pg_backend_pid())', {})
      return query('SELECT 1 AS one', {})
    })
    await expect(cut).rejects.toThrow()
    const next = await database.transaction((query) => query('SELECT 1 AS one', {}))
    expect(next).toEqual([{ one: 1 }])
  },
)

it.skipIf(NO_POSTGRES !== null)(
  `a restart of PostgreSQL during an append loses and repeats nothing (${NO_POSTGRES ?? 'PostgreSQL'})`,
  async () => {
    const postgres = await openPostgres()
    onTestFinished(postgres.close)
    const unhandled: string[] = []
    const note = (error: unknown): void => void unhandled.push(String(error))
    process.on('uncaughtException', note)
    onTestFinished(() => void process.off('uncaughtException', note))
    const proxy = await startHoldingProxy(postgres.port)
    onTestFinished(proxy.close)
    let restarts = 0
    for (;;) {
      // A pool without connections: the first reply that is held belongs to `connect()`.
      const pool = poolOf(proxy.port)
      const handler = createStoreHandler({
        database: postgresDatabase(pool),
        followDatabase: postgres.database,
        pollMs: 50,
        authorize: () => ({ tenant: `tenant-${restarts}` }),
      })
      const ask = async (call: string, more: object) => {
        const request = new Request('http://localhost/history', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ call, format: FORMAT, conversationId: 'c', ...more }),
        })
        const response = await handler(request)
        return { status: response.status, json: (await response.json()) as { value?: never } }
      }
      const stream = await followTenant(handler)
      await expect.poll(() => stream.text()).toContain('null')
      let restarted: Promise<void> | undefined
      const signal = (restarts / STEP) % 2 === 0 ? 'SIGINT' : 'SIGQUIT'
      proxy.hold(restarts + 1, () => {
        restarted = postgres.restart(signal)
      })
      const claim = { at: 1, claimId: 'mine', attempt: 'first' }
      let claimed = await ask('claim', claim)
      if (claimed.status !== 200) {
        expect(claimed.status).toBe(500)
        await restarted
        claimed = await ask('claim', claim)
      }
      const { epoch } = claimed.json.value!
      const append = { epoch, appendId: 'a', order: 1, rows: [started('r'), ended('r')] }
      const first = await ask('append', append)
      const wasHeld = proxy.wasHeld()
      await restarted
      const again = first.status === 200 ? first : await ask('append', append)
      expect([first.status, again.status]).toEqual([expect.toSatisfy(isExpected), 200])
      const { json } = await ask('read', {})
      expect(json.value).toMatchObject({ rows: [{ seq: 1 }, { seq: 2 }] })
      await expect.poll(() => stream.text(), { timeout: 10_000 }).toContain('"lastSeq":2')
      await stream.close()
      await pool.end()
      if (!wasHeld) break
      restarts += STEP
    }
    // Connecting, two transactions of several statements each.
    expect(restarts).toBeGreaterThan(10)
    expect(unhandled).toEqual([])
  },
  240_000,
)

const isExpected = (status: number): boolean => status === 200 || status === 500
