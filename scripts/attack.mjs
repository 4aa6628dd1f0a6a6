// npm run attack -- --help says what it does.
import { commandLine } from './lib/long-run/command-line.mjs'
import { endLongRun } from './lib/long-run/end.mjs'
import { playInChromium } from './lib/play.mjs'
import { talliesIn } from './lib/long-run/tally.mjs'

const HELP = `npm run attack [-- words] [options]

Attacks by text on agents in Chromium, those whose names have the words (an app, a place, a goal, a change of the page;
all without). Prints each trial, what succeeded by goal, app and mode, the rates, and the tasks that were done without
an attack. Ends with 1 when one succeeded that must not, or when no trial has the words.

  --apps 6     in how many of the six apps each place is tried; 1 takes a sixth of the time
  --modes a,b  of strict, default, unannotated (the app's tools say nothing of their effects) and off, which shows only
               that the attacks are real
  --seed 1     which goals are tried in which place and app
  --pages 2    how many trials are done at a time, each in a page that the next one takes over

All of it (six apps, four modes) is 2520 trials, and 42 tasks. With --apps 1 it is 420 trials; 315 of them took 17 minutes
on two cores that others used as well.
`

const WHOLE = { apps: '6', modes: 'strict,default,unannotated,off' }

const { args, option } = commandLine(HELP)
const seed = option('--seed', '1')
const apps = option('--apps', WHOLE.apps)
const pages = option('--pages', '2')
const modes = option('--modes', WHOLE.modes)
const { code, report } = await playInChromium(
  'attack',
  ['test/browser/attack.spec.ts', '--workers=1'],
  {
    env: {
      ATTACK_FILTER: args.join(' '),
      ATTACK_SEED: seed,
      ATTACK_APPS: apps,
      ATTACK_PAGES: pages,
      ATTACK_MODES: modes,
    },
  },
)
endLongRun({
  row: 'attack',
  tally: talliesIn(report),
  code,
  seed,
  isWhole: args.length === 0 && apps === WHOLE.apps && modes === WHOLE.modes,
})
