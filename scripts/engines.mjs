// npm run test:engines: the transport tests in Firefox and WebKitGTK, and llama.cpp's in Firefox. Installs
// what is missing where it may (root in a container or in CI); elsewhere it tests in those that are there
// and names the others.
import { aptInstall, mayUseApt } from './lib/browser.mjs'
import { fail, installDependencies, requireNode } from './lib/install.mjs'
import { findFirefox, findWebKit, missingPackages } from './lib/other-browsers.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

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
const { code } = await bin(
  '@playwright/test',
  ['test', '--config', 'playwright.engines.config.ts', ...process.argv.slice(2)],
  { command: 'playwright' },
)
process.exit(code)
