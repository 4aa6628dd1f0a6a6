// npm run torture -- 200 [--seed 17]: random trials in Chromium, one for each seed from there on. Kills pages,
// workers, renderers and browsers under running agents, and holds the journal against a server's count. Prints
// a table; ends with 1 when a promise was broken. One trial again: `npm run torture -- 1 --seed 23`.
import { ensureChromium } from './lib/browser.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

const words = process.argv.slice(2)
const at = words.indexOf('--seed')
const seed = at < 0 ? String(Date.now() % 1_000_000) : words[at + 1]
const trials = words.find((word, index) => /^\d+$/.test(word) && index !== at + 1) ?? '200'

requireNode()
await installDependencies()
const chromium = await ensureChromium()
const built = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
if (built.code !== 0) process.exit(built.code)
console.log(`${trials} trials, from seed ${seed} on`)
const { code } = await bin(
  '@playwright/test',
  ['test', 'test/browser/torture.spec.ts', '--workers=1'],
  {
    command: 'playwright',
    env: {
      ...process.env,
      OFFSTAGE_CHROMIUM: chromium,
      TORTURE_TRIALS: trials,
      TORTURE_SEED: seed,
    },
  },
)
process.exit(code)
