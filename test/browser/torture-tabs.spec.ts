import { Results, type KeptOutcome } from '../torture/results.ts'
import { inTurns, serveTorture } from '../torture/serve.ts'
import { runTabs } from '../torture/tabs-batch.ts'
import { planTabs, type TabsBatch } from '../torture/tabs-plan.ts'
import type { CellOutcome } from '../torture/conclude.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// Conversations that two and three tabs show, with random acts of both. `npm run torture -- tabs` does all of it.

const { TORTURE_TABS, TORTURE_SEED = '1', TORTURE_PAGES = '2', TORTURE_ONLY } = process.env

if (TORTURE_TABS)
  test('interleavings of tabs', async ({ browser }) => {
    test.setTimeout(0)
    const site = await serveTorture()
    const results = new Results(`tabs-${TORTURE_SEED}`)
    const only = TORTURE_ONLY?.split(',').map(Number)
    const batches = planTabs(Number(TORTURE_SEED), Number(TORTURE_TABS)).filter(({ number }) =>
      only ? only.includes(number) : !results.has(number),
    )
    await inTurns(batches, Number(TORTURE_PAGES), async (batch) => {
      const outcomes = (await runTabs(batch, { site, browser })).map(kept(batch))
      const bad = outcomes.filter(({ violations }) => violations.length > 0)
      console.log(
        `batch ${batch.number} (${batch.tabs} tabs): ${outcomes.length} trials, ${bad.length} bad`,
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
  test(
    'F22 tabs show the same of twelve conversations, whatever is done in which',
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
