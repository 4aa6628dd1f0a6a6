// `npm run bench -- <name>` builds, if needed, and runs bench/<name>.mjs.
import { endLongRun } from '../scripts/lib/long-run/end.mjs'
import { prepareBuild } from '../scripts/lib/install.mjs'
import { BENCHMARKS } from '../scripts/lib/quality/runs.mjs'

/** Variables that make a benchmark smaller or larger. */
const SIZES = [
  'CONVERSATIONS',
  'ENTRIES',
  'FOLLOWERS',
  'MEGABYTES',
  'MESSAGES',
  'ROUNDS',
  'STEPS',
  'THROTTLE',
]

const [name = '', ...args] = process.argv.slice(2)
if (!(name in BENCHMARKS)) {
  console.error(`usage: npm run bench -- <name>, one of ${Object.keys(BENCHMARKS).join(', ')}`)
  process.exit(2)
}
await prepareBuild()

const lines = []
const { log } = console
console.log = (...values) => {
  log(...values)
  lines.push(...values.join(' ').split('\n'))
}
process.exitCode = 0
await import(`./${name}.mjs`)
console.log = log

const headline = lines.find((line) => BENCHMARKS[name].headline.test(line))
const invalidLines = lines.filter((line) => /\bNaN\b/.test(line))
endLongRun({
  row: `bench-${name}`,
  tally: { played: headline ? lines.length : 0, kept: 0, violated: invalidLines.length },
  code: process.exitCode,
  unit: 'lines of figures',
  figure: headline?.trim().replaceAll(/\s+/g, ' '),
  isWhole: args.length === 0 && SIZES.every((size) => process.env[size] === undefined),
})
