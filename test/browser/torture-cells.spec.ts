import { runBatch } from '../torture/batch.ts'
import { planBatches, type Batch } from '../torture/cells.ts'
import type { CellOutcome } from '../torture/conclude.ts'
import { playUnits } from '../torture/play-units.ts'
import type { KeptOutcome } from '../torture/results.ts'
import { serveTorture } from '../torture/serve.ts'
import { reportTally } from './support/report-tally.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// Every state of a run and of a call × every blow × every kind of tool. `npm run torture` does all of it, and more.

const { TORTURE_CELLS, TORTURE_SEED = '1', TORTURE_PAGES = '2', TORTURE_ONLY } = process.env

if (TORTURE_CELLS)
  test('every state × every fault × every kind of tool', async ({ browser }) => {
    test.setTimeout(0)
    const site = await serveTorture()
    const { tally, table } = await playUnits({
      name: `cells-${TORTURE_SEED}`,
      units: planBatches(Number(TORTURE_SEED), Number(TORTURE_CELLS)),
      only: TORTURE_ONLY?.split(',').map(Number),
      atOnce: Number(TORTURE_PAGES),
      titleOf: ({ number, blow }) => `batch ${number} (${blow})`,
      play: async (batch) =>
        (await runBatch(batch, { site, browser })).map((one) => kept(one, batch)),
    })
    await site.close()
    console.log(`\n${table}`)
    reportTally(tally)
    expect(tally.violated, 'trials with a violation').toBe(0)
  })
else
  for (const batch of planBatches(1, 80, 10).filter(({ number }) => [0, 5].includes(number)))
    test(
      `F15 F18 guarantees hold in ten states, through a ${batch.blow}`,
      MORE,
      async ({ browser }) => {
        test.setTimeout(300_000)
        const site = await serveTorture()
        const outcomes = await runBatch(batch, { site, browser })
        await site.close()
        expect(outcomes.flatMap((one) => kept(one, batch)).filter(isBad)).toEqual([])
      },
    )

function kept({ cell, violations }: CellOutcome, { blow, second }: Batch): KeptOutcome {
  return {
    row: cell.state,
    column: blow,
    kind: second ? `${cell.tool}, then ${second}` : cell.tool,
    violations,
  }
}

function isBad({ violations }: KeptOutcome): boolean {
  return violations.length > 0
}
