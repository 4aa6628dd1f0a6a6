import { afterAll, expect, test } from 'vitest'
import { TALLY } from '../../../scripts/lib/long-run/tally.mjs'
import { playBatch } from '../../http-store/batch.ts'
import { closeSpareDevices } from '../../http-store/device.ts'
import { planBatches } from '../../http-store/plan.ts'
import { NO_POSTGRES } from '../../http-store/postgres.mjs'
import { postgresStage, sqliteStage, type Stage } from '../../http-store/stage.ts'
import { playUnits } from '../../torture/play-units.ts'
import type { KeptOutcome } from '../../torture/results.ts'
import { someOf } from '../more.ts'

// Devices with clocks of their own on two servers, with links that delay, double and lose requests, while servers and the
// database are killed. `npm run torture -- stores` plays thousands.

const { TORTURE_STORES, TORTURE_SEED = '1', TORTURE_ONLY } = process.env
/** The second server is an hour ahead. */
const CLOCKS = [0, 1]

/** Far more than they take: a busy machine is no failure. */
const LIMIT = { timeout: 600_000 }

afterAll(closeSpareDevices)

async function play(stage: Stage, trials: number): Promise<KeptOutcome[]> {
  try {
    const outcomes: KeptOutcome[] = []
    for (const batch of planBatches(1, trials)) outcomes.push(...(await playBatch(batch, stage)))
    return outcomes
  } finally {
    await stage.close()
  }
}

function isBad({ violations }: KeptOutcome): boolean {
  return violations.length > 0
}

if (TORTURE_STORES)
  test('trials of the HTTP store', { timeout: 0 }, async ({ task, onTestFinished }) => {
    const stage = await postgresStage({ clocks: CLOCKS })
    onTestFinished(() => stage.close())
    const { tally, table } = await playUnits({
      name: `stores-${TORTURE_SEED}`,
      units: planBatches(Number(TORTURE_SEED), Number(TORTURE_STORES)),
      only: TORTURE_ONLY?.split(',').map(Number),
      titleOf: ({ number, blows }) =>
        `batch ${number} (${blows.map(({ blow }) => blow).join(', ') || 'network alone'})`,
      play: (batch) => playBatch(batch, stage),
    })
    console.log(`\n${table}`)
    Object.assign(task.meta, { [TALLY]: tally })
    expect(tally.violated, 'trials with a violation').toBe(0)
  })
else {
  test.skipIf(NO_POSTGRES !== null)(
    `devices on two servers lose and repeat nothing, whatever is killed (${NO_POSTGRES ?? 'PostgreSQL'})`,
    LIMIT,
    async () => {
      const outcomes = await play(await postgresStage({ clocks: CLOCKS }), someOf(20))
      expect(outcomes.filter(isBad)).toEqual([])
    },
  )

  test('devices on two servers lose and repeat nothing on SQLite', LIMIT, async () => {
    const outcomes = await play(await sqliteStage(), someOf(20))
    expect(outcomes.filter(isBad)).toEqual([])
  })

  test.skipIf(NO_POSTGRES !== null)(
    `a late append that is applied again is detected (${NO_POSTGRES ?? 'PostgreSQL'})`,
    LIMIT,
    async () => {
      const stage = await postgresStage({ clocks: CLOCKS, plantsRepeats: true })
      const outcomes = await play(stage, 2)
      const found = outcomes.flatMap(({ violations }) => violations).map(({ what }) => what)
      expect(found).toContain('append applied twice')
    },
  )
}
