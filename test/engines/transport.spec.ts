import path from 'node:path'
import { test as base } from '@playwright/test'
import { startFaultProxy, type FaultProxy } from '../browser/support/fault-proxy.ts'
import { startMockOpenAI, type MockOpenAI } from '../browser/support/mock-openai.ts'
import { probe, type Finding } from '../browser/support/probe.ts'
import { serveSite, type Site } from '../browser/support/site.ts'
import { transportRows, type Bench } from '../browser/support/transport-rows.ts'
import { openFirefoxPage } from './support/firefox.ts'
import type { DrivenPage } from './support/webdriver.ts'
import { openWebKitPage } from './support/webkit.ts'

interface TestFixtures {
  model: MockOpenAI
  faults: FaultProxy
  ask: Bench['ask']
}

interface WorkerFixtures {
  site: Site
  browserPage: DrivenPage
}

const HTML =
  '<!doctype html><title>Test</title><script type="module">window.offstage = await import("/dist/index.js"); document.documentElement.dataset.ready = ""</script>'

// Playwright's own type for the argument is too deep for the compiler.
const inPage = probe as (question: object) => Promise<Finding>
const untilReady = async (): Promise<void> => {
  while (!('ready' in document.documentElement.dataset))
    await new Promise((resolve) => setTimeout(resolve, 10))
}

const test = base.extend<TestFixtures, WorkerFixtures>({
  site: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use) => {
      const dist = path.resolve(import.meta.dirname, '../../dist')
      const site = await serveSite({ folders: { '/dist/': dist } })
      site.add('/', { body: HTML, type: 'text/html' })
      await use(site)
      await site.close()
    },
    { scope: 'worker' },
  ],
  browserPage: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use, { project }) => {
      const page = await (project.name === 'webkit' ? openWebKitPage() : openFirefoxPage())
      await use(page)
      await page.close()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
  model: async ({}, use) => {
    const model = await startMockOpenAI()
    await use(model)
    await model.close()
  },
  faults: async ({ model }, use) => {
    const proxy = await startFaultProxy(new URL(model.baseURL).origin)
    await use(proxy)
    await proxy.close()
  },
  ask: async ({ site, browserPage }, use) => {
    await browserPage.goto(`${site.url}/`)
    await browserPage.evaluate(untilReady, {})
    await use((question) => browserPage.evaluate(inPage, question))
  },
})

for (const transport of ['worker', 'page'] as const) {
  test.describe(`model calls over a real connection, fetched by the ${transport}`, () => {
    for (const { title, check } of transportRows) {
      test(title, async ({ model, faults, ask }) => check({ model, faults, transport, ask }))
    }
  })
}
