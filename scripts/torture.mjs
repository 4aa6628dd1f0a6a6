// npm run torture -- --help says what it does.
import { fail, prepareBuild } from './lib/install.mjs'
import { commandLine } from './lib/long-run/command-line.mjs'
import { endLongRun } from './lib/long-run/end.mjs'
import { playInChromium, playUnitTests } from './lib/play.mjs'
import { talliesIn } from './lib/long-run/tally.mjs'

const HELP = `npm run torture [-- part] [options]

Kills pages, workers, renderers and browsers under running agents in Chromium, and compares what is stored with what
servers counted. Ends with 1 when a promise was broken, or when nothing was played. Parts; without one, the first:

  cells [--trials 1100]   every state of a run and of a call × every blow × every kind of tool, with a model that
                          refuses orphan, double and misplaced results. All of it once is 920 trials
  tabs [--trials 408]     conversations in two and three tabs: what is done in which, and that all show the same
  random [--trials 200]   agents side by side, blows at random times, also in several tabs
  stores [--trials 1000]  devices on two servers of the HTTP store and one PostgreSQL, without a browser: requests are
                          delayed, doubled, lost and delivered late; servers, connections and the database are killed

  --seed 1    the same trials again
  --pages 2   (cells, tabs) how many pages are hit at a time
  --only 3,7  (cells, tabs, stores) these batches only

Cells, tabs and stores are kept in .cache/torture/ as they are done, by seed and build: the same command continues an
interrupted run, and plays a finished one again. After a change of the code or of the trials, everything is played. The
summary as JSON is there at the end.
`

/** How many trials each part has by default. */
const FULL_TRIALS = { cells: 1100, tabs: 408, random: 200, stores: 1000 }

const { args, option } = commandLine(HELP)
const seed = option('--seed', '1')
const pages = option('--pages', '2')
const only = option('--only')
const trialsOption = option('--trials')
const [part = 'cells'] = args
const fullTrials = FULL_TRIALS[part] ?? fail(`No part is called ${part}; --help has them.`)
const trials = Number(trialsOption ?? fullTrials)
const parts = {
  cells: { spec: 'torture-cells', env: { TORTURE_CELLS: String(trials), TORTURE_PAGES: pages } },
  tabs: { spec: 'torture-tabs', env: { TORTURE_TABS: String(trials), TORTURE_PAGES: pages } },
  random: { spec: 'torture', env: { TORTURE_TRIALS: String(trials) } },
  stores: { env: { TORTURE_STORES: String(trials) } },
}
const { spec, env: partEnv } = parts[part]
const name = `torture-${part}`
const env = { ...partEnv, TORTURE_SEED: seed, ...(only && { TORTURE_ONLY: only }) }
const { code, report } = spec
  ? await playInChromium(name, [`test/browser/${spec}.spec.ts`, '--workers=1'], { env })
  : await playInNode()
endLongRun({
  row: `torture-${part}`,
  tally: talliesIn(report),
  code,
  seed,
  isWhole: !only && trials >= fullTrials,
})

async function playInNode() {
  await prepareBuild()
  return playUnitTests(name, ['test/unit/http-store/trials.test.ts'], { env })
}
