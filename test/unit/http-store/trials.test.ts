import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../src/protocol/fact.ts'
import { openSqlite, type TestDatabase } from '../../http-store/databases.ts'
import { serveStore, type StoreServer } from '../../http-store/serve-store.ts'
import { playTrial } from '../../http-store/trial.ts'
import { someOf } from '../more.ts'
import { openHttpStore } from './support.ts'

// Two devices, each a thread with the package as it was built, and links that are cut. `HTTP_TRIALS=200 HTTP_SEED=1` does as
// many, with other seeds.

const { HTTP_TRIALS, HTTP_SEED = '1' } = process.env
const TRIALS = HTTP_TRIALS === undefined ? someOf(10) : Number(HTTP_TRIALS)
const AT_ONCE = HTTP_TRIALS === undefined ? 2 : 6

let kept: TestDatabase
let server: StoreServer

beforeAll(async () => {
  kept = await openSqlite()
  server = await serveStore(kept.database)
})
afterAll(async () => {
  await server.close()
  await kept.close()
})

const rowsOf = async (tenant: string): Promise<readonly Row[]> => {
  const store = await openHttpStore(server.url, { tenant, copy: false })
  const { rows } = await store.read('shared')
  store.close()
  return rows as readonly Row[]
}

it('two devices on one conversation do nothing twice and lose nothing, whatever happens to their links', async () => {
  const seeds = Array.from({ length: TRIALS }, (_, at) => Number(HTTP_SEED) + at)
  const found: string[] = []
  let calls = 0
  const lane = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const of = seed
      const trial = await playTrial({ seed, url: server.url, rows: rowsOf })
      const { violations, ran, interrupted } = trial
      calls += ran
      found.push(...violations.map((each) => `seed ${of}: ${each}`))
      if (HTTP_TRIALS !== undefined)
        console.log(
          `seed ${of}: ${violations.join(', ') || 'held'} (${ran} calls, ${interrupted} interrupted)`,
        )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  expect(found).toEqual([])
  expect(calls).toBeGreaterThan(0)
}, 3_600_000)
