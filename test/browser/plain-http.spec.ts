import { chromium, type BrowserContext, type Page } from '@playwright/test'
import type { Agent } from '../../src/index.ts'
import { expect, test as base } from './support/test.ts'

// On a plain HTTP address, as of a machine in the same network, browsers have no Web Locks.

const HOST = 'shop.test'

const test = base.extend<{ plain: BrowserContext }>({
  plain: async ({ launchOptions }, use) => {
    const args = [...(launchOptions.args ?? []), `--host-resolver-rules=MAP ${HOST} 127.0.0.1`]
    const browser = await chromium.launch({ ...launchOptions, args })
    await use(await browser.newContext())
    await browser.close()
  },
})

/** A tab with an agent whose tool ends when the tab is told to. */
async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await page.evaluate(() => {
    const script = {
      steps: [{ toolCalls: [{ toolName: 'wait', input: {} }] }, { text: 'Done.' }],
    }
    const agent = window.offstage.createAgent({
      model: { provider: 'scripted', model: 'scripted', script },
      tools: [
        {
          name: 'wait',
          description: 'Waits.',
          execute: () =>
            new Promise((resolve) => {
              document.body.dataset['waits'] = ''
              Object.assign(window, { finish: resolve })
            }),
        },
      ],
    })
    Object.assign(window, { agent })
  })
  return page
}

function run(page: Page): Promise<string | undefined> {
  return page.evaluate(async () => {
    const { agent } = window as unknown as { agent: Agent }
    const result = await agent.run('Hello', { conversationId: 'talk' }).result
    return result.outcome === 'failed' ? result.error.code : result.outcome
  })
}

test('without Web Locks, still only one tab works on a conversation at a time', async ({
  plain,
  site,
}) => {
  const port = new URL(site.url).port
  const path = '/plain-http.html'
  site.add(path, { body: '<!doctype html><body><script type="module" src="/expose.js"></script>' })
  const url = `http://${HOST}:${port}${path}`
  const one = await openTab(plain, url)
  expect(await one.evaluate(() => 'locks' in navigator)).toBe(false)
  const first = run(one)
  await one.locator('body[data-waits]').waitFor({ state: 'attached' })

  const two = await openTab(plain, url)
  expect(await run(two)).toBe('conversation-busy')
  await one.evaluate(() => (window as unknown as { finish(): void }).finish())
  expect(await first).toBe('completed')
  const second = run(two)
  await two.locator('body[data-waits]').waitFor({ state: 'attached' })
  await two.evaluate(() => (window as unknown as { finish(): void }).finish())
  expect(await second).toBe('completed')
})
