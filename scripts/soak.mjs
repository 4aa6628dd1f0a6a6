// npm run soak -- --help says what it does.
import { fail } from './lib/install.mjs'
import { commandLine } from './lib/long-run/command-line.mjs'
import { endLongRun } from './lib/long-run/end.mjs'
import { playInChromium } from './lib/play.mjs'
import { talliesIn } from './lib/long-run/tally.mjs'

const WHOLE = { runs: 2000, hours: 8 }

const HELP = `npm run soak [-- part] [options]

Uses one page in Chromium for long and measures what is left behind: memory after garbage collection, ports, channels,
listeners, timers, locks, transactions. Most runs have a fault: broken streams, failing tools, aborts, dead workers. Ends
with 1 when something grows, a run ends otherwise than it must, or nothing was played. Parts; without one, both:

  runs [--runs ${WHOLE.runs}]   one run after the other
       [--every 50]    how many between two samples
  day [--hours ${WHOLE.hours}]     a tab that stays open: some 24 runs an hour and idle time between them, a machine that sleeps, a
                       second tab, and in the middle a redeploy, which takes away the parts that were not loaded yet.
                       The clocks of page and worker are moved on while nothing runs: a day takes some ten minutes

  --seed 1    the same runs again
`

const { args, option } = commandLine(HELP)
const seed = option('--seed', '1')
const runs = Number(option('--runs', String(WHOLE.runs)))
const every = option('--every', '50')
const hours = Number(option('--hours', String(WHOLE.hours)))
const parts = {
  runs: { title: 'a page that has made', isWhole: runs >= WHOLE.runs },
  day: { title: 'a tab that stays open', isWhole: hours >= WHOLE.hours },
}
const chosen = args.length > 0 ? args : Object.keys(parts)

for (const part of chosen) {
  const { title, isWhole } = parts[part] ?? fail(`No part is called ${part}; --help has them.`)
  const { code, report } = await playInChromium(
    `soak-${part}`,
    ['test/browser/soak.spec.ts', '--workers=1', '--grep', title],
    {
      env: {
        OFFSTAGE_MORE: '1',
        SOAK_RUNS: String(runs),
        SOAK_EVERY: every,
        SOAK_HOURS: String(hours),
        SOAK_SEED: seed,
      },
    },
  )
  endLongRun({ row: `soak-${part}`, tally: talliesIn(report), code, unit: 'runs', seed, isWhole })
}
