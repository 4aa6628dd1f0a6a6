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

/** How many interactions with apps Playwright's JSON report tells of, each confirmed by the app's state. */
export function interactionsIn(report) {
  const inSuite = ({ specs = [], suites = [] }) => [
    ...specs.flatMap(({ tests }) => tests.flatMap(({ annotations }) => annotations)),
    ...suites.flatMap(inSuite),
  ]
  return inSuite(report ?? {}).filter(({ type }) => type === 'interaction').length
}
