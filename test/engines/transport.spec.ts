import { test as base } from '../browser/support/driven.ts'
import type { DrivenPage } from '../browser/support/driven-page.ts'
import { startFaultProxy, type FaultProxy } from '../browser/support/fault-proxy.ts'
import { probe, type Finding } from '../browser/support/probe.ts'
import { transportRows, type Bench } from '../browser/support/transport-rows.ts'

interface TestFixtures {
  faults: FaultProxy
  ask: Bench['ask']
}

interface WorkerFixtures {
  /** A page shared by all tests, since they leave nothing behind. */
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
  browserPage: [
    async ({ drivenBrowser, site }, use) => {
      site.add('/', { body: HTML, type: 'text/html' })
      const page = await drivenBrowser.newPage()
      await use(page)
      await page.close()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
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
