// npm run attack -- --help says what it does.
import { ensureChromium } from './lib/browser.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

const HELP = `npm run attack [-- words] [options]

Attacks by text on agents in Chromium, those whose names have the words (an app, a place, a goal, a change of the page;
all without). Prints each trial, what succeeded by goal, app and mode, the rates, and the tasks that were done without
an attack. Ends with 1 when one succeeded that must not.

  --apps 6     in how many of the six apps each place is tried; 1 takes a sixth of the time
  --modes a,b  of strict, default and off; off shows only that the attacks are real
  --seed 1     which goals are tried in which place and app
  --pages 2    how many trials are done at a time, each in a page that the next one takes over

All of it (six apps, three modes) is 1890 trials, and 42 tasks. With --apps 1 it is 315 trials, which took 17 minutes on
two cores that others used as well.
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
const apps = option('--apps', '6')
const pages = option('--pages', '2')
const modes = option('--modes', 'strict,default,off')

requireNode()
await installDependencies()
const chromium = await ensureChromium()
const built = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
if (built.code !== 0) process.exit(built.code)
const { code } = await bin(
  '@playwright/test',
  ['test', 'test/browser/attack.spec.ts', '--workers=1'],
  {
    command: 'playwright',
    env: {
      ...process.env,
      OFFSTAGE_CHROMIUM: chromium,
      ATTACK_FILTER: words.join(' '),
      ATTACK_SEED: seed,
      ATTACK_APPS: apps,
      ATTACK_PAGES: pages,
      ATTACK_MODES: modes,
    },
  },
)
process.exit(code)
