import path from 'node:path'
import { test as base } from '@playwright/test'
import { MORE } from '../../../scripts/lib/more.mjs'
import { prepareApps } from '../../apps/prepare-apps.ts'
import { drivenByPlaywright, type DrivenBrowser } from './driven-page.ts'
import { serveSite, type Site } from './site.ts'
import { openWebKit } from './webkit.ts'

// Fixtures that a worker process shares between all of its tests. Playwright starts a new worker and browser for each
// different set of worker fixtures, even unused ones. So all specs use one set.

export interface DrivenOptions {
  /** Playwright can't drive WebKitGTK; its WebDriver can. */
  readonly driver: 'playwright' | 'webkit'
}

export interface WorkerFixtures extends DrivenOptions {
  /** The browser of the project, whatever drives it. */
  drivenBrowser: DrivenBrowser
  /** Serves the package at `/dist/`, and a module that a page loads to have `window.offstage`, at `/expose.js`. */
  site: Site
  /** Serves the built apps of test/apps at `/apps/`, and the package. */
  apps: Site
  /** Address of the demo: as `npm start` serves it in `npm run test:more`, else as it is built, in few files. */
  demoUrl: string
}

const DIST = path.resolve(import.meta.dirname, '../../../dist')

// Not inline: a strict Content-Security-Policy refuses inline scripts.
const EXPOSE = `
import * as offstage from '/dist/index.js'
window.offstage = offstage
document.documentElement.dataset.ready = ''
`

export const test = base.extend<object, WorkerFixtures>({
  driver: ['playwright', { option: true, scope: 'worker' }],
  drivenBrowser: [
    async ({ driver, playwright, browserName }, use) => {
      const browser =
        driver === 'webkit'
          ? await openWebKit()
          : drivenByPlaywright(await playwright[browserName].launch())
      await use(browser)
      await browser.close()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  site: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use) => {
      const site = await serveSite({ folders: { '/dist/': DIST } })
      site.add('/expose.js', { body: EXPOSE })
      await use(site)
      await site.close()
    },
    { scope: 'worker' },
  ],
  apps: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use) => {
      const apps = await serveSite({ folders: { '/apps/': await prepareApps(), '/dist/': DIST } })
      await use(apps)
      await apps.close()
    },
    { scope: 'worker', timeout: 900_000 },
  ],
  demoUrl: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use, { workerIndex }) => {
      // Workers without a test of the demo don't load Vite.
      const { serveBuiltDemo, startDemo } = await import('./serve-demo.ts')
      const demo = await (MORE ? startDemo(workerIndex) : serveBuiltDemo())
      await use(demo.url)
      await demo.close()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
})
