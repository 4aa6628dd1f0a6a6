import { existsSync, readFileSync, rmSync } from 'node:fs'
import { inProject } from './project.mjs'
import { bin } from './run.mjs'
import {
  interactionsIn,
  playwrightFailures,
  playwrightPassed,
  playwrightTotals,
  vitestFailures,
  vitestPassed,
} from './test-totals.mjs'

/** Runs unit tests: all, or those that Vitest's arguments choose. */
export async function unitTests(args = []) {
  const { code, report } = await vitest(args, '.cache/vitest.json')
  return { code, passed: report?.numPassedTests ?? 0, failures: vitestFailures(report) }
}

/** Runs browser tests: all, or those that Playwright's arguments choose. */
export async function browserTests(args = []) {
  const { code, report } = await playwright(args, '.cache/playwright.json')
  console.log(`── ${interactionsIn(report)} interactions, confirmed by the apps' own state`)
  return { code, passed: playwrightTotals(report).passed, failures: playwrightFailures(report) }
}

/**
 * Runs failed tests once more, one at a time, with the seed that they failed with.
 *
 * @param {readonly import('./test-totals.mjs').Failure[]} failures of the last runs, each with an id
 * @returns {Promise<ReadonlySet<string>>} ids of those that pass
 */
export async function passedAlone(failures) {
  const passed = new Set()
  const units = failures.filter(({ title }) => title !== undefined)
  if (units.length > 0) {
    const names = units.map(({ title }) => title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    const files = new Set(units.map(({ file }) => file))
    const args = ['--maxWorkers=1', '-t', `^(?:${names.join('|')})$`, ...files]
    const { report } = await vitest(args, '.cache/vitest-alone.json')
    for (const id of vitestPassed(report)) passed.add(id)
  }
  if (units.length < failures.length) {
    const args = ['--last-failed', '--workers=1']
    const { report } = await playwright(args, '.cache/playwright-alone.json')
    for (const id of playwrightPassed(report)) passed.add(id)
  }
  return passed
}

async function vitest(args, file) {
  const reporters = [
    '--reporter=default',
    `--reporter=${inProject('scripts/lib/vitest-report.mjs')}`,
  ]
  return reported(file, () =>
    bin('vitest', ['run', ...reporters, `--outputFile.json=${file}`, ...args]),
  )
}

async function playwright(args, file) {
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: inProject(file) }
  return reported(file, () =>
    bin('@playwright/test', ['test', '--reporter=list,json', ...args], {
      command: 'playwright',
      env,
    }),
  )
}

/** Runs a test runner and reads its report, which is null when the runner died before it. */
async function reported(file, runner) {
  rmSync(inProject(file), { force: true })
  const { code } = await runner()
  const report = existsSync(inProject(file))
    ? JSON.parse(readFileSync(inProject(file), 'utf8'))
    : null
  return { code, report }
}
