import { defineConfig, type Project } from '@playwright/test'
import { findFirefox, findWebKit } from './scripts/lib/other-browsers.mjs'

const firefox = findFirefox()

/** The browsers beside Chromium, as far as this machine has them: `npm run test:engines`. */
export default defineConfig({
  testDir: 'test/engines',
  testMatch: '**/*.spec.ts',
  outputDir: '.cache/playwright-engines',
  retries: 0,
  workers: 1,
  timeout: 60_000,
  reporter: 'list',
  projects: [
    // The transport's tests start their browsers on their own: one of them is none of Playwright's.
    ...(firefox ? [{ name: 'firefox' }] : []),
    ...(findWebKit() ? [{ name: 'webkit' }] : []),
    ...(firefox ? [wllamaIn(firefox)] : []),
  ],
})

/** llama.cpp's tests, as they run in Chromium. */
function wllamaIn(executablePath: string): Project {
  return {
    name: 'firefox-wllama',
    testDir: 'test/browser',
    testMatch: 'engines-wllama.spec.ts',
    use: { browserName: 'firefox', channel: 'moz-firefox', launchOptions: { executablePath } },
  }
}
