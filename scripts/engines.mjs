// npm run test:engines: the tests of the transport, of the page tools and of consent in Firefox and WebKitGTK,
// and llama.cpp's in Firefox. Installs what is missing where it may (root in a container or in CI); elsewhere it
// tests in those that are there and names the others. Ends with "N passed, N failed".
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { aptInstall, mayUseApt } from './lib/browser.mjs'
import { fail, installDependencies, requireNode } from './lib/install.mjs'
import { findFirefox, findWebKit, missingPackages } from './lib/other-browsers.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'
import { interactionsIn, playwrightTotals, totalsByProject } from './lib/test-totals.mjs'

const REPORT = '.cache/playwright-engines.json'

requireNode()
await installDependencies()
if (missingPackages().length > 0 && mayUseApt()) await aptInstall(...missingPackages())

const missing = missingPackages()
if (!findFirefox() && !findWebKit())
  fail(`Neither Firefox nor WebKitGTK was found. On Debian: apt-get install ${missing.join(' ')}`)
if (missing.length > 0)
  console.log(`Left out: what needs ${missing.join(', ')} (Debian's names of the packages).`)

const built = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
if (built.code !== 0) process.exit(built.code)
rmSync(inProject(REPORT), { force: true })
const { code } = await bin(
  '@playwright/test',
  [
    'test',
    '--config',
    'playwright.engines.config.ts',
    '--reporter=list,json',
    ...process.argv.slice(2),
  ],
  {
    command: 'playwright',
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: inProject(REPORT) },
  },
)

const report = existsSync(inProject(REPORT))
  ? JSON.parse(readFileSync(inProject(REPORT), 'utf8'))
  : null
const { passed, failed } = playwrightTotals(report)
for (const [browser, totals] of totalsByProject(report))
  console.log(`── ${browser}: ${totals.passed} passed, ${totals.failed} failed`)
console.log(`── ${interactionsIn(report)} interactions, confirmed by the apps' own state`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(code)
