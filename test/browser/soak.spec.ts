import { soakDay } from '../soak/day.ts'
import { growthLines, leaks, LIMITS_OF_DAY, LIMITS_OF_RUNS, tableOf } from '../soak/flat.ts'
import { soak } from '../soak/soak.ts'
import { reportTally } from './support/report-tally.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// Plays many runs of all kinds in one page, successful and failed, and a whole day in one tab. `npm run soak` makes
// both longer.

const { SOAK_RUNS = '60', SOAK_HOURS = '1', SOAK_SEED = '1', SOAK_EVERY = '20' } = process.env
const seed = Number(SOAK_SEED)

test(`a page that has made ${SOAK_RUNS} runs leaks nothing`, MORE, async ({ browser }) => {
  test.setTimeout(0)
  const { samples, wrong, errors, played } = await soak(browser, {
    seed,
    runs: Number(SOAK_RUNS),
    every: Number(SOAK_EVERY),
    onSample: (sample) => console.log(JSON.stringify(sample)),
  })
  console.log(`\n${tableOf(samples)}\n\n${JSON.stringify(played)}`)
  console.log(growthLines(samples, LIMITS_OF_RUNS).join('\n'))
  const found = leaks(samples, LIMITS_OF_RUNS)
  reportTally({
    played: Object.values(played).reduce((sum, count) => sum + count, 0),
    kept: 0,
    violated: wrong.length + errors.length + found.length,
  })
  expect.soft(wrong, 'runs that ended otherwise').toEqual([])
  expect.soft(errors, 'errors that nobody caught').toEqual([])
  expect(found, 'left behind').toEqual([])
})

test(
  `a tab that stays open for ${SOAK_HOURS} hours, through a redeploy, leaks nothing`,
  MORE,
  async ({ browser }) => {
    test.setTimeout(0)
    const { samples, runs, wrong } = await soakDay(browser, {
      seed,
      hours: Number(SOAK_HOURS),
      onSample: (sample) => console.log(JSON.stringify(sample)),
    })
    console.log(`\n${tableOf(samples)}`)
    console.log(growthLines(samples, LIMITS_OF_DAY).join('\n'))
    const found = leaks(samples, LIMITS_OF_DAY)
    reportTally({ played: runs, kept: 0, violated: wrong.length + found.length })
    expect.soft(wrong, 'broken promises').toEqual([])
    expect(found, 'left behind').toEqual([])
  },
)
