import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium, type BrowserContext, type Page } from '@playwright/test'
import type * as offstage from '../../../src/index.ts'
import { startMockOpenAI, type MockOpenAI } from './mock-openai.ts'
import { test as base } from './worker-fixtures.ts'

export { expect } from './expect.ts'

declare global {
  interface Window {
    /** The package's page entry, as `openPage` loads it. */
    offstage: typeof offstage
  }
}

export interface PageOptions {
  /** HTML for the body. */
  readonly body?: string
  /** Headers of the page's own response, for example a Content-Security-Policy. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the test's own context. A second page in the same context is a second tab. */
  readonly context?: BrowserContext
  /** Uncaught errors fail the test unless this is true. */
  readonly errorsAllowed?: boolean
}

interface Fixtures {
  /** Opens a fresh page with `window.offstage`. Its address stays the same over reloads. */
  openPage: (options?: PageOptions) => Promise<Page>
  /** A chat server for this test only. */
  model: MockOpenAI
  /** A browser profile on disk: its IndexedDB outlives the browser, and has a disk's speed. */
  persistentContext: BrowserContext
}

/** Firefox's driver has what a page's policy refuses among its errors, down to the icon that the browser asks for itself. */
const REFUSAL = /^The page’s settings blocked/

export const test = base.extend<Fixtures>({
  openPage: async ({ context, site }, use, testInfo) => {
    const errors: string[] = []
    let count = 0
    await use(async (options = {}) => {
      const urlPath = `/${testInfo.testId}-${(count += 1)}.html`
      site.add(urlPath, {
        body: `<!doctype html><title>Test</title><body>${options.body ?? ''}<script type="module" src="/expose.js"></script>`,
        ...(options.headers && { headers: options.headers }),
      })
      const page = await (options.context ?? context).newPage()
      if (!options.errorsAllowed)
        page.on('pageerror', ({ message }) => {
          if (!REFUSAL.test(message)) errors.push(message)
        })
      await page.goto(site.url + urlPath)
      // Not `waitForFunction`: it evaluates strings, which strict pages refuse.
      await page.locator('html[data-ready]').waitFor({ state: 'attached' })
      return page
    })
    if (errors.length > 0) throw new Error(`Uncaught on the page: ${errors.join('; ')}`)
  },

  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
  model: async ({}, use) => {
    const model = await startMockOpenAI()
    await use(model)
    await model.close()
  },

  persistentContext: async ({ launchOptions }, use) => {
    const profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-profile-'))
    const context = await chromium.launchPersistentContext(profile, launchOptions)
    await use(context)
    await context.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 3 })
  },
})
