// npm run test:engines: the tests of the transport, of the page tools and of consent in Firefox and WebKitGTK,
// and llama.cpp's in Firefox. Installs what is missing where it may (root in a container or in CI); elsewhere it
// tests in those that are there and names the others. Ends with "N passed, N failed".
import { aptInstall, mayUseApt } from './lib/browser.mjs'
import { fail, installDependencies, prepareBuild, requireNode } from './lib/install.mjs'
import { endLongRun } from './lib/long-run/end.mjs'
import { playBrowserTests } from './lib/play.mjs'
import { tallyOfTotals } from './lib/long-run/tally.mjs'
import { findFirefox, findWebKit, missingPackages } from './lib/other-browsers.mjs'
import { interactionsIn, playwrightTotals, totalsByProject } from './lib/test-totals.mjs'

requireNode()
await installDependencies()
if (missingPackages().length > 0 && mayUseApt()) await aptInstall(...missingPackages())

const missing = missingPackages()
if (!findFirefox() && !findWebKit())
  fail(`Neither Firefox nor WebKitGTK was found. On Debian: apt-get install ${missing.join(' ')}`)
if (missing.length > 0)
  console.log(`Left out: what needs ${missing.join(', ')} (Debian's names of the packages).`)

await prepareBuild()
const args = process.argv.slice(2)
const { code, report } = await playBrowserTests('engines', [
  '--config',
  'playwright.engines.config.ts',
  ...args,
])
const totals = playwrightTotals(report)
for (const [browser, { passed, failed }] of totalsByProject(report))
  console.log(`── ${browser}: ${passed} passed, ${failed} failed`)
console.log(`── ${interactionsIn(report)} interactions, confirmed by the apps' own state`)
endLongRun({
  row: 'engines',
  tally: tallyOfTotals(report && totals),
  code,
  unit: 'tests',
  isWhole: args.length === 0 && missing.length === 0,
})
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
