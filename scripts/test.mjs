// npm test: installs what is missing, builds, runs the tests; ends with "N passed, N failed".
// npm run test:more: also what `npm test` leaves out, the rest of each large matrix and of each random test.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { ensureChromium } from './lib/browser.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { endLongRun } from './lib/long-run/end.mjs'
import { tallyOfTotals } from './lib/long-run/tally.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'
import {
  interactionsIn,
  playwrightFailures,
  playwrightTotals,
  vitestFailures,
  vitestTotals,
} from './lib/test-totals.mjs'

const VITEST_REPORT = '.cache/vitest.json'
const PLAYWRIGHT_REPORT = '.cache/playwright.json'
const LINES_OF_A_FAILURE = 12

// The environment says so to the runners, which start in processes of their own.
if (process.argv.includes('--more')) process.env.OFFSTAGE_MORE = '1'

requireNode()
await installDependencies()
const chromium = await ensureChromium()

const totals = { passed: 0, failed: 0 }
const built = await stage('Build', () => script('build.mjs', '--if-needed'))
await stage('Unit tests', unitTests, () => vitestTotals(report(VITEST_REPORT)))
await stage('Browser tests', browserTests, () => playwrightTotals(report(PLAYWRIGHT_REPORT)))
console.log(
  `── ${interactionsIn(report(PLAYWRIGHT_REPORT))} interactions, confirmed by the apps' own state`,
)
await stage('Type tests', () => bin('typescript', ['--noEmit', '-p', 'test'], { command: 'tsc' }))
await stage('Snippets of README and docs', () => script('readme-snippets.mjs'))

printFailures([
  ...vitestFailures(report(VITEST_REPORT)),
  ...playwrightFailures(report(PLAYWRIGHT_REPORT)),
])
endLongRun({
  row: 'more',
  tally: tallyOfTotals(totals),
  unit: 'tests',
  isWhole: process.argv.includes('--more'),
})
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
process.exit()

/** Runs one stage. Its tests are counted by `count`; a stage that fails without a failed test is one. */
async function stage(name, action, count = () => ({ passed: 0, failed: 0 })) {
  console.log(`\n── ${name}`)
  const started = performance.now()
  const { code } = await action()
  const { passed, failed } = count()
  totals.passed += passed
  totals.failed += code === 0 ? failed : Math.max(1, failed)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`── ${name}: ${code === 0 ? 'ok' : 'FAILED'} in ${seconds} s`)
  return code === 0
}

/** Once more at the end, where who reads only the end of a long log finds them. */
function printFailures(failures) {
  for (const { name, message } of failures) {
    const lines = stripVTControlCharacters(message ?? '').split('\n')
    console.log(`\n── FAILED ${name}\n${lines.slice(0, LINES_OF_A_FAILURE).join('\n')}`)
  }
}

function unitTests() {
  rmSync(inProject(VITEST_REPORT), { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`]
  return bin('vitest', ['run', ...reporters])
}

function browserTests() {
  rmSync(inProject(PLAYWRIGHT_REPORT), { force: true })
  // An older dist must not pass for the present sources.
  if (!built) return { code: 1 }
  const env = {
    ...process.env,
    OFFSTAGE_CHROMIUM: chromium,
    PLAYWRIGHT_JSON_OUTPUT_FILE: inProject(PLAYWRIGHT_REPORT),
  }
  return bin('@playwright/test', ['test', '--reporter=list,json'], { command: 'playwright', env })
}

function script(name, ...args) {
  return run(process.execPath, [inProject('scripts', name), ...args])
}

/** A runner that died before its report counts as failed by its exit code. */
function report(file) {
  if (!existsSync(inProject(file))) return null
  return JSON.parse(readFileSync(inProject(file), 'utf8'))
}
