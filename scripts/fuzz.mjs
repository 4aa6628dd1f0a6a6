// The long run of the ACTION reader's fuzz tests: any output, any calls in any dialect, and the work that slow
// outputs take. `npm run fuzz -- 600`: seconds for each property.
import { endLongRun } from './lib/long-run/end.mjs'
import { playUnitTests } from './lib/play.mjs'
import { tallyOfTotals } from './lib/long-run/tally.mjs'
import { vitestTotals } from './lib/test-totals.mjs'

const WHOLE = 200

const seconds = Number(process.argv[2] ?? WHOLE)
const tests = ['fuzz', 'dialect-properties', 'cost'].map(
  (name) => `test/unit/action/${name}.test.ts`,
)
const { code, report } = await playUnitTests('fuzz', ['--no-file-parallelism', ...tests], {
  env: { FUZZ_SECONDS: String(seconds) },
})
endLongRun({
  row: 'fuzz',
  tally: tallyOfTotals(report && vitestTotals(report)),
  code,
  unit: 'properties and costs',
  isWhole: seconds >= WHOLE,
})
