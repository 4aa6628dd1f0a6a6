import { testsIn } from '../test-totals.mjs'

/**
 * Totals of a long run. `kept` counts trials taken over from an interrupted run of the same build and seed.
 *
 * @typedef {{ played: number, kept: number, violated: number }} Tally
 */

/** The annotation of a browser test, or the `meta` of a unit test, that reports its tally to the tool that started it. */
export const TALLY = 'tally'

const NOTHING = { played: 0, kept: 0, violated: 0 }

/** The sum of the tallies in the JSON report of Playwright or Vitest. @returns {Tally} */
export function talliesIn(report) {
  const inBrowserTests = testsIn(report)
    .flatMap(({ annotations }) => annotations)
    .filter(({ type }) => type === TALLY)
    .map(({ description }) => JSON.parse(description))
  const inUnitTests = (report?.testResults ?? [])
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ meta }) => meta?.[TALLY] ?? [])
  return [...inBrowserTests, ...inUnitTests].reduce(sum, NOTHING)
}

/** A run whose trials are its tests. Without totals, it ended before its first. @returns {Tally} */
export function tallyOfTotals(totals) {
  if (!totals) return NOTHING
  const { passed, failed } = totals
  return { played: passed + failed, kept: 0, violated: failed }
}

/** Why a run is red; nothing for a green one. @returns {string[]} */
export function problemsOf({ played, violated }, code = 0) {
  return [
    ...(played === 0 ? ['Nothing was played.'] : []),
    ...(violated > 0 ? [`${violated} with a violation.`] : []),
    ...(code !== 0 && violated === 0
      ? [`What played the trials ended with exit code ${code}.`]
      : []),
  ]
}

function sum(one, other) {
  return {
    played: one.played + other.played,
    kept: one.kept + other.kept,
    violated: one.violated + other.violated,
  }
}
