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

/** The failed tests of Vitest's JSON report, each with what it said: a file's name where it didn't load. */
export function vitestFailures(report) {
  return (report?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) =>
      assertionResults.length === 0
        ? [{ name, message }]
        : assertionResults
            .filter(({ status }) => status === 'failed')
            .map(({ fullName, failureMessages }) => ({
              name: fullName,
              message: failureMessages.join('\n'),
            })),
    )
}

/** The failed tests of Playwright's JSON report, and the errors outside of any test. */
export function playwrightFailures(report) {
  const failed = specsIn(report).filter(({ ok }) => !ok)
  return [
    ...failed.map(({ file, title, tests }) => ({
      name: `${file} › ${title}`,
      message: tests
        .flatMap(({ results }) => results.flatMap(({ errors }) => errors))
        .map(({ message }) => message)
        .join('\n'),
    })),
    ...(report?.errors ?? []).map(({ message }) => ({ name: 'outside of any test', message })),
  ]
}

/** All tests of Playwright's JSON report. */
export function testsIn(report) {
  return specsIn(report).flatMap(({ tests }) => tests)
}

function specsIn(report) {
  const inSuite = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(inSuite)]
  return inSuite(report ?? {})
}
