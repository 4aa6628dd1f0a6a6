import { playUnits } from '../torture/play-units.ts'
import type { KeptOutcome } from '../torture/results.ts'
import { serveTorture } from '../torture/serve.ts'
import { runTabs } from '../torture/tabs-batch.ts'
import { planTabs, type TabsBatch } from '../torture/tabs-plan.ts'
import type { CellOutcome } from '../torture/conclude.ts'
import { reportTally } from './support/report-tally.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// Conversations that two and three tabs show, with random acts of both. `npm run torture -- tabs` does all of it.

const { TORTURE_TABS, TORTURE_SEED = '1', TORTURE_PAGES = '2', TORTURE_ONLY } = process.env

if (TORTURE_TABS)
  test('interleavings of tabs', async ({ browser }) => {
    test.setTimeout(0)
    const site = await serveTorture()
    const { tally, table } = await playUnits({
      name: `tabs-${TORTURE_SEED}`,
      units: planTabs(Number(TORTURE_SEED), Number(TORTURE_TABS)),
      only: TORTURE_ONLY?.split(',').map(Number),
      atOnce: Number(TORTURE_PAGES),
      titleOf: ({ number, tabs }) => `batch ${number} (${tabs} tabs)`,
      play: async (batch) => (await runTabs(batch, { site, browser })).map(kept(batch)),
    })
    await site.close()
    console.log(`\n${table}`)
    reportTally(tally)
    expect(tally.violated, 'trials with a violation').toBe(0)
  })
else
  test(
    'F22 all tabs show the same twelve conversations, whichever tab changes them',
    MORE,
    async ({ browser }) => {
      test.setTimeout(300_000)
      const site = await serveTorture()
      const outcomes: KeptOutcome[] = []
      for (const batch of planTabs(1, 12))
        outcomes.push(...(await runTabs(batch, { site, browser })).map(kept(batch)))
      await site.close()
      expect(outcomes.filter(({ violations }) => violations.length > 0)).toEqual([])
    },
  )

function kept({ tabs, cells }: TabsBatch): (outcome: CellOutcome, index: number) => KeptOutcome {
  const shared = cells[0]?.acts.at(-2)?.act ?? ''
  return ({ violations }, index) => ({
    row: `${tabs} tabs`,
    column: shared,
    kind: cells[index]?.acts.map(({ act, tab }) => `${act} ${tab}`).join(', ') ?? '',
    violations,
  })
}
