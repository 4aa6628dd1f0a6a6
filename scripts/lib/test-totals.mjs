import path from 'node:path'
import { root } from './project.mjs'

/** Totals of Vitest's JSON report. A file that fails to load is a failed suite without tests. */
export function vitestTotals(report) {
  if (!report) return { passed: 0, failed: 1 }
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length }
}

/** Totals of Playwright's JSON report; `errors` are those outside of any test. */
export function playwrightTotals(report) {
  if (!report) return { passed: 0, failed: 1 }
  const { expected, unexpected, flaky } = report.stats
  return { passed: expected, failed: unexpected + flaky + report.errors.length }
}

/** The totals of each project of Playwright's JSON report, by name: one a browser. */
export function totalsByProject(report) {
  const totals = new Map()
  for (const { projectName, status } of testsIn(report)) {
    const { passed, failed } = totals.get(projectName) ?? { passed: 0, failed: 0 }
    totals.set(projectName, {
      passed: passed + Number(status === 'expected'),
      failed: failed + Number(status === 'unexpected' || status === 'flaky'),
    })
  }
  return totals
}

/** How many interactions with apps Playwright's JSON report tells of, each confirmed by the app's state. */
export function interactionsIn(report) {
  return testsIn(report)
    .flatMap(({ annotations }) => annotations)
    .filter(({ type }) => type === 'interaction').length
}

/**
 * A failed test, or a failure outside any test, which has no id.
 *
 * @typedef {{ id?: string, file?: string, title?: string, name: string, message?: string }} Failure
 */

/**
 * The failures of Vitest's report as vitest-report.mjs writes it. Vitest knows a test by its file and its full name.
 *
 * @returns {Failure[]}
 */
export function vitestFailures(report) {
  const failed = vitestTests(report).filter(({ status }) => status === 'failed')
  return [...failed, ...(report?.errors ?? []).map(outsideOfTests)]
}

/**
 * The failures of Playwright's JSON report. Playwright knows a test by an id.
 *
 * @returns {Failure[]}
 */
export function playwrightFailures(report) {
  const failed = specsIn(report).filter(({ ok }) => !ok)
  return [
    ...failed.map(({ id, file, line, title, tests }) => ({
      id,
      file: projectPath(path.join(report.config.rootDir, file)),
      name: `${projectPath(path.join(report.config.rootDir, file))}:${line} › ${title}`,
      message: tests
        .flatMap(({ results }) => results.flatMap(({ errors }) => errors))
        .map(({ message }) => message)
        .join('\n'),
    })),
    ...(report?.errors ?? []).map(outsideOfTests),
  ]
}

/** Ids of the tests that ran and passed. A name that several tests of a file share passes with all of them. */
export function vitestPassed(report) {
  const idsOf = (wantedStatus) =>
    vitestTests(report)
      .filter(({ status }) => status === wantedStatus)
      .map(({ id }) => id)
  const failed = new Set(idsOf('failed'))
  return new Set(idsOf('passed').filter((id) => !failed.has(id)))
}

/** Ids of the tests that ran and passed. */
export function playwrightPassed(report) {
  const isPassed = ({ tests }) => tests.every(({ status }) => status === 'expected')
  return new Set(
    specsIn(report)
      .filter(isPassed)
      .map(({ id }) => id),
  )
}

function vitestTests(report) {
  return (report?.testResults ?? []).flatMap(({ name: path, assertionResults }) => {
    const file = projectPath(path)
    return assertionResults.map(({ fullName: title, status, failureMessages }) => {
      const id = `${file} › ${title}`
      return { id, name: id, file, title, status, message: failureMessages.join('\n') }
    })
  })
}

function outsideOfTests({ message }) {
  return { name: 'outside of any test', message }
}

/** A file's path within the project, with slashes on every system. */
function projectPath(file) {
  return path.relative(root, file).replaceAll('\\', '/')
}

/** All tests of Playwright's JSON report. */
export function testsIn(report) {
  return specsIn(report).flatMap(({ tests }) => tests)
}

function specsIn(report) {
  const inSuite = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(inSuite)]
  return inSuite(report ?? {})
}
