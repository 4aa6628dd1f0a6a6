import { stripVTControlCharacters } from 'node:util'
import { ensureChromium } from './browser.mjs'
import { printRows, runGate } from './gate.mjs'
import { installDependencies, requireNode } from './install.mjs'
import { failuresToRetry, judge, MAX_FORGIVEN } from './second-try.mjs'
import { drawSeed } from './seed.mjs'
import { passedAlone } from './test-runners.mjs'

const LINES_OF_A_FAILURE = 12

/**
 * Runs stages, tries failed tests once more at the end, and ends the process. The last line is "N passed, N failed";
 * a stage that fails without a failed test counts as one.
 *
 * @param {readonly import('./gate.mjs').Check[]} stages
 * @param {(totals: { passed: number, failed: number }) => void} [onEnd] called before the last line
 */
export async function runPipeline(stages, onEnd) {
  requireNode()
  await installDependencies()
  if (stages.some(({ name }) => name === 'browser tests'))
    // Some tests need what the headless shell lacks.
    for (const preferred of ['shell', 'browser']) await ensureChromium(preferred)
  const seed = drawSeed()
  console.log(`Random tests have the seed ${seed}; OFFSTAGE_SEED=${seed} repeats it.`)

  const rows = await runGate(stages)
  const failures = rows.flatMap((row) => row.failures)
  const { forgiven, failed, retryRows } = await secondTry(failures, seed)

  if (forgiven.length > 0)
    console.log(`\n── Passed when alone (more than ${MAX_FORGIVEN} fail the run)`)
  for (const { name } of forgiven) console.log(`   ${name}`)
  for (const { name, message } of failed) {
    const lines = stripVTControlCharacters(message ?? '').split('\n')
    console.log(`\n── FAILED ${name}\n${lines.slice(0, LINES_OF_A_FAILURE).join('\n')}`)
  }
  const isForgiven = (row) => row.failures.every((failure) => forgiven.includes(failure))
  console.log('')
  printRows([...rows.map((row) => ({ ...row, ok: isForgiven(row) })), ...retryRows])
  const passed = rows.reduce((sum, row) => sum + row.passed, forgiven.length)
  onEnd?.({ passed, failed: failed.length })
  console.log(`\n${passed} passed, ${failed.length} failed`)
  process.exit(failed.length === 0 ? 0 : 1)
}

async function secondTry(failures, seed) {
  const tests = failuresToRetry(failures)
  if (tests.length === 0) return { forgiven: [], failed: failures, retryRows: [] }
  let passed = new Set()
  const retryRows = await runGate([
    {
      name: 'second try',
      check: async () => {
        passed = await passedAlone(tests)
        return { code: 0 }
      },
    },
  ])
  return { ...judge(failures, passed, seed), retryRows }
}
