// npm run torture -- --help says what it does.
import { ensureChromium } from './lib/browser.mjs'
import { fail, installDependencies, requireNode } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

const HELP = `npm run torture [-- part] [options]

Kills pages, workers, renderers and browsers under running agents in Chromium, and holds what is stored against what
servers counted. Ends with 1 when a promise was broken. Parts; without one, the first:

  cells [--trials 1100]   every state of a run and of a call × every blow × every kind of tool, with a model that
                          refuses orphan, double and misplaced results. All of it once is 920 trials
  tabs [--trials 408]     conversations in two and three tabs: what is done in which, and that all show the same
  random [--trials 200]   agents side by side, blows at random times, also in several tabs

  --seed 1    the same trials again
  --pages 2   (cells, tabs) how many pages are hit at a time
  --only 3,7  (cells, tabs) these batches only

Cells and tabs are kept in .cache/torture/ as they are done: the same command goes on where it was ended, and a summary as JSON
is there at the end.
`

const words = process.argv.slice(2)
if (words.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
const option = (name, otherwise) => {
  const at = words.indexOf(name)
  return at < 0 ? otherwise : words.splice(at, 2)[1]
}
const seed = option('--seed', '1')
const pages = option('--pages', '2')
const trials = option('--trials')
const only = option('--only')
const [part = 'cells'] = words

requireNode()
await installDependencies()
const chromium = await ensureChromium()
const built = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
if (built.code !== 0) process.exit(built.code)
const parts = {
  cells: { spec: 'torture-cells', env: { TORTURE_CELLS: trials ?? '1100', TORTURE_PAGES: pages } },
  tabs: { spec: 'torture-tabs', env: { TORTURE_TABS: trials ?? '408', TORTURE_PAGES: pages } },
  random: { spec: 'torture', env: { TORTURE_TRIALS: trials ?? '200' } },
}
const { spec, env } = parts[part] ?? fail(`No part is called ${part}; --help has them.`)
const { code } = await bin(
  '@playwright/test',
  ['test', `test/browser/${spec}.spec.ts`, '--workers=1'],
  {
    command: 'playwright',
    env: {
      ...process.env,
      ...env,
      OFFSTAGE_CHROMIUM: chromium,
      TORTURE_SEED: seed,
      ...(only && { TORTURE_ONLY: only }),
    },
  },
)
process.exit(code)
