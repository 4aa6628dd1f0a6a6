import { playBrowserTests, playUnitTests } from './play.mjs'
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
  const { code, report } = await playUnitTests('vitest', args)
  return { code, passed: report?.numPassedTests ?? 0, failures: vitestFailures(report) }
}

/** Runs browser tests: all, or those that Playwright's arguments choose. */
export async function browserTests(args = []) {
  const { code, report } = await playBrowserTests('playwright', args)
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
    const { report } = await playUnitTests('vitest-alone', args)
    for (const id of vitestPassed(report)) passed.add(id)
  }
  if (units.length < failures.length) {
    const args = ['--last-failed', '--workers=1']
    const { report } = await playBrowserTests('playwright-alone', args)
    for (const id of playwrightPassed(report)) passed.add(id)
  }
  return passed
}
