/**
 * Runs all checks, each of which resolves to `{ code, output }`, prints the output of those that failed and a
 * table, and ends the process with 1 when one failed. A check that needs another one fails with it.
 *
 * @typedef {{ code: number, output: string }} Result
 * @param {readonly { name: string, needs?: string, check: () => Promise<Result> }[]} checks
 */
export async function runGate(checks) {
  const rows = []
  for (const { name, needs, check } of checks) {
    const started = performance.now()
    const isLacking = rows.some((row) => row.name === needs && !row.ok)
    const { code, output } = isLacking
      ? { code: 1, output: `Not tried, as it needs: ${needs}.` }
      : await check().catch((error) => ({ code: 1, output: String(error.stack) }))
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    rows.push({ name, ok: code === 0, seconds })
    if (code !== 0) console.error(`\n── ${name} failed\n${output.trim()}\n`)
  }
  const width = Math.max(...rows.map(({ name }) => name.length))
  for (const { name, ok, seconds } of rows) {
    console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(width)} ${seconds.padStart(6)} s`)
  }
  process.exit(rows.every(({ ok }) => ok) ? 0 : 1)
}
