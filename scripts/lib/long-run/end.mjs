import { writeRow } from '../quality/rows.mjs'
import { problemsOf } from './tally.mjs'

/**
 * Ends a long run: prints its counts and its verdict, writes its row of docs/quality.md if it was whole, and sets the exit
 * code. A run that played nothing, or found a violation, ends with 1.
 *
 * @param {object} run
 * @param {string} run.row Id of its row.
 * @param {import('./tally.mjs').Tally} run.tally
 * @param {number} [run.code] Exit code of what played the trials.
 * @param {string} [run.unit] Plural of what is counted.
 * @param {string} [run.figure] In place of the counts.
 * @param {string} [run.seed]
 * @param {boolean} run.isWhole Nothing was left out, neither by an option nor by this machine.
 */
export function endLongRun({ row, tally, code = 0, unit = 'trials', figure, seed, isWhole }) {
  const { played, kept, violated } = tally
  const all = played + kept
  const problems = problemsOf(tally, code)
  const counts = `${all} ${unit}, ${violated} with a violation`
  console.log(
    `\n${counts} (${played} played now, ${kept} kept from an interrupted run of this build)`,
  )
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  const isGreen = problems.length === 0
  if (isGreen) console.log('ok')
  if (isWhole && all > 0)
    writeRow(row, { seed, figure: `${figure ?? counts}${isGreen ? '' : ' (failed)'}` })
  // A tool may end several runs: none of them takes back the failure of another.
  if (!isGreen) process.exitCode = 1
}
