// npm test: installs what is missing, builds, runs the tests; ends with "N passed, N failed".
// npm run test:more: also what `npm test` leaves out, the rest of each large matrix and of each random test.
// npm test -- --changed[=commit]: only the tests that differences to the commit concern. Default: HEAD.
import { changedTests } from './lib/changed-tests.mjs'
import { endLongRun } from './lib/long-run/end.mjs'
import { tallyOfTotals } from './lib/long-run/tally.mjs'
import { runPipeline } from './lib/pipeline.mjs'
import { stages } from './lib/stages.mjs'
import { browserTests, unitTests } from './lib/test-runners.mjs'

const TESTS = ['build', 'unit tests', 'browser tests', 'types', 'snippets']
const all = stages.filter(({ name }) => TESTS.includes(name))

// The environment says so to the runners, which start in processes of their own.
const isMore = process.argv.includes('--more')
if (isMore) process.env.OFFSTAGE_MORE = '1'
const changed = process.argv.map((arg) => /^--changed(?:=(.+))?$/.exec(arg)).find(Boolean)
await runPipeline(
  changed ? await stagesFor(changed[1] ?? 'HEAD') : all,
  isMore ? recordRun : undefined,
)

function recordRun(totals) {
  endLongRun({ row: 'more', tally: tallyOfTotals(totals), unit: 'tests', isWhole: !changed })
}

async function stagesFor(commit) {
  const { files, unit, browser } = await changedTests(commit)
  console.log(
    `${files.length} files differ from ${commit}. They concern ${unit.length} files of unit tests and ${browser.length} of browser tests.`,
  )
  const skipped = new Set([
    unit.length === 0 && 'unit tests',
    browser.length === 0 && 'browser tests',
    !files.some((file) => file.endsWith('.md')) && 'snippets',
  ])
  const checks = {
    'unit tests': () => unitTests(unit),
    'browser tests': () => browserTests(browser),
  }
  return all
    .filter(({ name }) => !skipped.has(name))
    .map((stage) => ({ ...stage, check: checks[stage.name] ?? stage.check }))
}
