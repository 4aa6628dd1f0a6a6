import { matrix, type Outcome } from '../torture/matrix.ts'
import { serveTorture } from '../torture/serve.ts'
import { planTrial } from '../torture/plan.ts'
import { runTrial } from '../torture/trial.ts'
import { reportTally } from './support/report-tally.ts'
import { inSlice } from './support/more.ts'
import { expect, test as base } from './support/test.ts'

// Random trials in a real browser. `npm run torture -- random` plays other seeds.

const test = base.extend<{ trials: (seeds: readonly number[]) => Promise<Outcome[]> }>({
  trials: async ({ browser }, use) => {
    const site = await serveTorture()
    await use(async (seeds) => {
      const outcomes: Outcome[] = []
      for (const seed of seeds) {
        const plan = planTrial(seed)
        const violations = await runTrial(plan, { site, browser })
        const said = violations.map(({ what }) => what).join(', ')
        if (LONG) console.log(`seed ${seed} (${plan.kind}): ${said || 'held'}`)
        outcomes.push({ plan, violations })
      }
      return outcomes
    })
    await site.close()
  },
})

const { TORTURE_TRIALS, TORTURE_SEED = '1' } = process.env
const LONG = TORTURE_TRIALS !== undefined

/** Seeds, one of each kind. Seeds that once found a bug are preferred. */
const SLICE = [110, 111, 134, 113, 114, 115, 116, 117, 118, 130, 109]

/** The seed that `npm test` plays. It covers a bit of everything. */
const QUICK = [109]

if (LONG)
  test('trials', async ({ trials }) => {
    test.setTimeout(0)
    const first = Number(TORTURE_SEED)
    const outcomes = await trials(
      Array.from({ length: Number(TORTURE_TRIALS) }, (_, at) => first + at),
    )
    console.log(`\n${matrix(outcomes)}`)
    const violated = outcomes.filter(({ violations }) => violations.length > 0).length
    reportTally({ played: outcomes.length, kept: 0, violated })
    expect(violated, 'trials with a violation').toBe(0)
  })
else
  for (const seed of SLICE)
    test(
      `stored state stays correct through "${planTrial(seed).kind}" (seed ${seed})`,
      inSlice(QUICK.includes(seed)),
      async ({ trials }) => {
        test.setTimeout(300_000)
        expect((await trials([seed])).flatMap(({ violations }) => violations)).toEqual([])
      },
    )
