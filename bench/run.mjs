// `npm run bench -- <name>` builds, if needed, and runs bench/<name>.mjs.
import { endLongRun } from '../scripts/lib/long-run/end.mjs'
import { prepareBuild } from '../scripts/lib/install.mjs'

/** The line of each benchmark's output that docs/quality.md shows. */
const HEADLINES = {
  action: /^plain text +1000000 /,
  chat: /^a token at 200 kB/,
  'chat-long': / messages: the newest after /,
  compaction: /^auto /,
  documents: /^first index/,
  loop: /^journaled /,
  memory: /^first use/,
  open: /^first open/,
  list: /^first list /,
  page: /\d+ \/ \d+, \d+ of \d+/,
  store: / beside 20 /,
  stream: /^1 000 deltas/,
  validation: /^ *10000 rows/,
}
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
if (!(name in HEADLINES)) {
  console.error(`usage: npm run bench -- <name>, one of ${Object.keys(HEADLINES).join(', ')}`)
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

const headline = lines.find((line) => HEADLINES[name].test(line))
const invalidLines = lines.filter((line) => /\bNaN\b/.test(line))
endLongRun({
  row: `bench-${name}`,
  tally: { played: headline ? lines.length : 0, kept: 0, violated: invalidLines.length },
  code: process.exitCode,
  unit: 'lines of figures',
  figure: headline?.trim().replaceAll(/\s+/g, ' '),
  isWhole: args.length === 0 && SIZES.every((size) => process.env[size] === undefined),
})
