// npm run test:consumers: the packed package in every set-up of test/consumers/setups.ts, under every compiler
// of type-setups.ts, and in every panel of docs/frameworks.md and copilot of
// docs/copilot.md, each example and the site, in Chromium. Installs what is missing, writes what it found into
// docs/compatibility.md, and ends with "N passed, N failed". Arguments go to Playwright (-g Rollup).
import { endLongRun } from './lib/long-run/end.mjs'
import { playInChromium } from './lib/play.mjs'
import { tallyOfTotals } from './lib/long-run/tally.mjs'
import { bin } from './lib/run.mjs'
import { playwrightTotals } from './lib/test-totals.mjs'

const SPECS = ['consumers', 'panels', 'examples', 'site'].map(
  (name) => `test/browser/${name}.spec.ts`,
)

const args = process.argv.slice(2)
const { code, report } = await playInChromium('consumers', [...SPECS, ...args], {
  env: { OFFSTAGE_CONSUMERS: 'all', OFFSTAGE_MORE: '1' },
  reporters: ['./test/consumers/compatibility-reporter.ts'],
})
await bin('oxfmt', ['docs/compatibility.md'], { quiet: true })
const totals = playwrightTotals(report)
endLongRun({
  row: 'consumers',
  tally: tallyOfTotals(report && totals),
  code,
  unit: 'tests',
  isWhole: args.length === 0,
})
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
