import { defineConfig } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from './scripts/lib/browser.mjs'
import { MORE } from './scripts/lib/more.mjs'
import { POLL_INTERVALS } from './test/browser/support/expect.ts'

/** All of the tests run in the whole browser; `npm test` in its headless shell, at half the cost. */
const executablePath = await findChromium(MORE ? 'browser' : 'shell')
if (!executablePath) throw new Error('No Chromium on this machine; `npm test` installs one.')

export default defineConfig({
  testDir: 'test/browser',
  testMatch: '**/*.spec.ts',
  // They stop and kill processes by signals, which Windows has not.
  testIgnore: process.platform === 'win32' ? ['**/frozen.spec.ts', '**/torture.spec.ts'] : [],
  // The rest of each large matrix: `npm run test:more`.
  ...(MORE ? {} : { grepInvert: /@more/ }),
  outputDir: '.cache/playwright',
  fullyParallel: true,
  // A second try at once would meet the same busy machine: `npm test` tries failures again at the end, alone.
  retries: 0,
  // More than the two cores of small machines: a third of what a test takes is waiting.
  workers: 3,
  // Far more than they need: a busy machine is no failure.
  timeout: 240_000,
  expect: { timeout: 60_000, toPass: { intervals: POLL_INTERVALS } },
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  use: {
    // Contexts of these tests keep IndexedDB in memory: it survives reloads, not the browser. Tests
    // of what is on disk, and of its speed, use `persistentContext` of support/test.ts.
    launchOptions: { executablePath, args: CHROMIUM_ARGS },
    // Drawing animations takes an eighth of the CPU time of the chat's tests.
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [{ name: 'chromium', use: { browserName: 'chromium' } }],
})
