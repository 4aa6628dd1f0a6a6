import { withCpuTime } from './cpu-time.mjs'

/**
 * @typedef {import('./test-totals.mjs').Failure} Failure
 * @typedef {{ code: number, output?: string, passed?: number, failures?: readonly Failure[] }} Result
 * @typedef {{ name: string, lane?: string, needs?: string, check: () => Promise<Result> }} Check
 * @typedef {{ name: string, ok: boolean, seconds: number, cpuSeconds?: number, passed: number, failures: readonly Failure[] }} Row
 */

/**
 * Runs all checks to their end. The checks of a lane run one after the other, and the lanes beside each other. A check
 * waits for the one that it needs, and fails with it. A check that fails without a failed test is a failure itself.
 *
 * @param {readonly Check[]} checks
 * @returns {Promise<readonly Row[]>}
 */
export async function runGate(checks) {
  const rows = new Map()
  const lanes = new Map()
  for (const { name, lane, needs, check } of checks) {
    const prerequisites = Promise.all([lanes.get(lane), rows.get(needs)])
    const row = prerequisites.then(([, prerequisite]) =>
      runCheck(name, prerequisite?.ok === false ? async () => missingPrerequisite(needs) : check),
    )
    rows.set(name, row)
    lanes.set(lane, row)
  }
  return Promise.all(rows.values())
}

/** Prints a table of the rows, and ends the process with 1 when one failed. */
export function endGate(rows) {
  printRows(rows)
  process.exit(rows.every(({ ok }) => ok) ? 0 : 1)
}

/** @param {readonly Row[]} rows */
export function printRows(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length))
  console.log(
    `${' '.repeat(8)}${'stage'.padEnd(width)} ${'wall'.padStart(10)} ${'CPU'.padStart(10)}`,
  )
  for (const { name, ok, seconds, cpuSeconds } of rows) {
    const times = [seconds, cpuSeconds].map((value) =>
      (value === undefined ? '–' : `${value.toFixed(1)} s`).padStart(10),
    )
    console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(width)} ${times.join(' ')}`)
  }
}

function missingPrerequisite(needs) {
  return { code: 1, output: `Not tried, because it needs: ${needs}.` }
}

/** @returns {Promise<Row>} */
async function runCheck(name, check) {
  console.log(`── ${name} …`)
  const started = performance.now()
  const { value, cpuSeconds } = await withCpuTime(() =>
    check().catch((error) => ({ code: 1, output: String(error.stack) })),
  )
  const { code, output = '', passed = 0, failures = [] } = value
  const seconds = (performance.now() - started) / 1000
  const ok = code === 0
  if (!ok && output) console.error(`\n── ${name} failed\n${output.trim()}\n`)
  console.log(`── ${name}: ${ok ? 'ok' : 'FAILED'} in ${seconds.toFixed(1)} s`)
  const unnamed = ok || failures.length > 0 ? [] : [{ name, message: output }]
  return { name, ok, seconds, cpuSeconds, passed, failures: [...failures, ...unnamed] }
}
