// npm run attack [-- words] [--seed 3] [--apps 6] [--pages 3]: attacks by text on agents in Chromium, those whose names
// have the words (an app, a place, a goal, a mode; all without). Prints what succeeded, by goal, app and mode, and the
// rates; ends with 1 when one succeeded that must not. The seed says which goals are tried in which place; `--apps 1`
// tries each place in one app only; `--pages` is how many trials are done at a time.
import { ensureChromium } from './lib/browser.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

const words = process.argv.slice(2)
const option = (name, otherwise) => {
  const at = words.indexOf(name)
  return at < 0 ? otherwise : words.splice(at, 2)[1]
}
const seed = option('--seed', '1')
const apps = option('--apps', '6')
const pages = option('--pages', '3')

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
    },
  },
)
process.exit(code)
