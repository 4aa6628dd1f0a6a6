// npm run test:consumers: the packed package in every set-up of test/consumers/setups.ts, under every compiler
// of type-setups.ts, and in every panel of docs/frameworks.md and copilot of
// docs/copilot.md, in Chromium. Installs what is missing, writes what it found into
// docs/compatibility.md, and ends with "N passed, N failed". Arguments go to Playwright (-g Rollup).
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { ensureChromium } from './lib/browser.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'
import { playwrightTotals } from './lib/test-totals.mjs'

const REPORT = '.cache/playwright-consumers.json'
const SPECS = ['test/browser/consumers.spec.ts', 'test/browser/panels.spec.ts']

requireNode()
await installDependencies()
const chromium = await ensureChromium()
const built = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
if (built.code !== 0) process.exit(built.code)

rmSync(inProject(REPORT), { force: true })
const reporters = '--reporter=list,json,./test/consumers/compatibility-reporter.ts'
const { code } = await bin(
  '@playwright/test',
  ['test', ...SPECS, reporters, ...process.argv.slice(2)],
  {
    command: 'playwright',
    env: {
      ...process.env,
      OFFSTAGE_CHROMIUM: chromium,
      OFFSTAGE_CONSUMERS: 'all',
      OFFSTAGE_MORE: '1',
      PLAYWRIGHT_JSON_OUTPUT_FILE: inProject(REPORT),
    },
  },
)
await bin('oxfmt', ['docs/compatibility.md'], { quiet: true })

const report = existsSync(inProject(REPORT))
  ? JSON.parse(readFileSync(inProject(REPORT), 'utf8'))
  : null
const { passed, failed } = playwrightTotals(report)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(code)
