import { defineConfig } from '@playwright/test'
import { findFirefox, findWebKit } from './scripts/lib/other-browsers.mjs'

/** The browsers beside Chromium, as far as this machine has them: `npm run test:engines`. */
export default defineConfig({
  testDir: 'test/engines',
  testMatch: '**/*.spec.ts',
  outputDir: '.cache/playwright-engines',
  retries: 0,
  workers: 1,
  timeout: 60_000,
  reporter: 'list',
  // The tests start them on their own: one of them is none of Playwright's.
  projects: [
    ...(findFirefox() ? [{ name: 'firefox' }] : []),
    ...(findWebKit() ? [{ name: 'webkit' }] : []),
  ],
})
