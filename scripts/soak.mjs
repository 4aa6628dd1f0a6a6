// npm run soak -- --help says what it does.
import { ensureChromium } from './lib/browser.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

const HELP = `npm run soak [-- options]

Makes many runs in one page in Chromium, most of them with a fault (broken streams, failing tools, aborts, dead workers), and
measures what is left behind: memory after garbage collection, ports, listeners, timers, locks, transactions. Ends with 1 when
something grows, or a run ends otherwise than it must.

  --runs 2000   how many
  --every 50    how many between two samples
  --seed 1      the same runs again
`

const words = process.argv.slice(2)
if (words.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
const option = (name, otherwise) => {
  const at = words.indexOf(name)
  return at < 0 ? otherwise : words[at + 1]
}

requireNode()
await installDependencies()
const chromium = await ensureChromium()
const built = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
if (built.code !== 0) process.exit(built.code)
const { code } = await bin(
  '@playwright/test',
  ['test', 'test/browser/soak.spec.ts', '--workers=1'],
  {
    command: 'playwright',
    env: {
      ...process.env,
      OFFSTAGE_MORE: '1',
      OFFSTAGE_CHROMIUM: chromium,
      SOAK_RUNS: option('--runs', '2000'),
      SOAK_EVERY: option('--every', '50'),
      SOAK_SEED: option('--seed', '1'),
    },
  },
)
process.exit(code)
