import { runBatch } from '../torture/batch.ts'
import { planBatches, type Batch } from '../torture/cells.ts'
import type { CellOutcome } from '../torture/conclude.ts'
import { Results, type KeptOutcome } from '../torture/results.ts'
import { inTurns, serveTorture } from '../torture/serve.ts'
import { expect, test } from './support/test.ts'

// Every state of a run and of a call × every blow × every kind of tool. `npm run torture` does all of it, and more.

const { TORTURE_CELLS, TORTURE_SEED = '1', TORTURE_PAGES = '2', TORTURE_ONLY } = process.env

if (TORTURE_CELLS)
  test('every state × every blow × every kind of tool', async ({ browser }) => {
    test.setTimeout(0)
    const site = await serveTorture()
    const results = new Results(`cells-${TORTURE_SEED}`)
    const only = TORTURE_ONLY?.split(',').map(Number)
    const batches = planBatches(Number(TORTURE_SEED), Number(TORTURE_CELLS)).filter(({ number }) =>
      only ? only.includes(number) : !results.has(number),
    )
    await inTurns(batches, Number(TORTURE_PAGES), async (batch) => {
      const outcomes = (await runBatch(batch, { site, browser })).map((one) => kept(one, batch))
      const bad = outcomes.filter(({ violations }) => violations.length > 0)
      console.log(
        `batch ${batch.number} (${batch.blow}): ${outcomes.length} trials, ${bad.length} bad`,
      )
      for (const one of bad) console.log(`  ${JSON.stringify(one)}`)
      if (!only) results.keep(batch.number, outcomes)
    })
    await site.close()
    const { trials, violated, table } = results.conclude()
    console.log(`\n${table}\n${trials} trials, ${violated} with a violation`)
    expect(violated, 'trials with a violation').toBe(0)
  })
else
  for (const batch of planBatches(1, 80, 10).filter(({ number }) => [0, 5].includes(number)))
    test(`F15 F18 what is promised holds in ten states, through a ${batch.blow}`, async ({
      browser,
    }) => {
      test.setTimeout(300_000)
      const site = await serveTorture()
      const outcomes = await runBatch(batch, { site, browser })
      await site.close()
      expect(outcomes.flatMap((one) => kept(one, batch)).filter(isBad)).toEqual([])
    })

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
