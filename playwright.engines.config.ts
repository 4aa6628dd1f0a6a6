import { defineConfig } from '@playwright/test'
import { findFirefox, findWebKit } from './scripts/lib/other-browsers.mjs'
import type { DrivenOptions } from './test/browser/support/worker-fixtures.ts'

const firefox = findFirefox()
/** Tests that need no more than what every browser's driver can do. */
const everywhere = [
  'engines/*.spec.ts',
  'browser/{chat-engines,consent,consent-person,consent-reload,leaving,policy}.spec.ts',
  'browser/{bad-input,faults,reload,supervision,versions}.spec.ts',
  'browser/page-{tools*,tasks}.spec.ts',
]

/** The browsers beside Chromium, as far as this machine has them: `npm run test:engines`. */
export default defineConfig<object, DrivenOptions>({
  testDir: 'test',
  testIgnore: [
    // A page costs the same tokens in every browser.
    'browser/page-tools-budget.spec.ts',
    // Firefox loads a module that once failed only after a reload.
    'browser/page-tools-parts.spec.ts',
  ],
  outputDir: '.cache/playwright-engines',
  retries: 0,
  fullyParallel: true,
  workers: 2,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  projects: [
    ...(firefox
      ? [
          {
            name: 'firefox',
            // These are Playwright's own, which drives no WebKitGTK.
            testMatch: [
              ...everywhere,
              'browser/engines-wllama.spec.ts',
              'browser/{chat,chat-access,chat-access-states,chat-answers,chat-approvals,chat-cards}.spec.ts',
              'browser/{chat-discuss,chat-long,chat-looks,chat-losses}.spec.ts',
              'browser/{chat-markdown,chat-policy,chat-refused}.spec.ts',
              'browser/{storage,tabs}.spec.ts',
            ],
            use: {
              browserName: 'firefox' as const,
              channel: 'moz-firefox',
              launchOptions: { executablePath: firefox },
            },
          },
        ]
      : []),
    ...(findWebKit()
      ? [{ name: 'webkit', testMatch: everywhere, use: { driver: 'webkit' as const } }]
      : []),
  ],
})
