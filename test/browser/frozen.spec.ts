import { MORE } from './support/more.ts'
import { chromium, type Browser, type Page } from '@playwright/test'
import { createServer } from 'node:http'
import { listen } from './support/listen.ts'
import { processOf } from './support/process-of.ts'
import { expect, test as base } from './support/test.ts'

interface Fixtures {
  ownBrowser: Browser
  server: { readonly url: string; readonly fences: readonly number[] }
}

const test = base.extend<Fixtures>({
  ownBrowser: async ({ launchOptions }, use) => {
    const browser = await chromium.launch(launchOptions)
    await use(browser)
    await browser.close()
  },
  // Notes the fence of each request, and answers none.
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
  server: async ({}, use) => {
    const fences: number[] = []
    const server = createServer((request) => {
      fences.push(Number(new URL(request.url ?? '/', 'http://own').searchParams.get('fence')))
    })
    const { url, close } = await listen(server)
    await use({ url, fences })
    await close()
  },
})

/** An agent on `window.agent` whose tool calls the server. */
function mount(page: Page, url: string): Promise<void> {
  return page.evaluate((server) => {
    const script = {
      steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Settled.' }],
    }
    const agent = window.offstage.createAgent({
      model: { provider: 'scripted', model: 'scripted', script },
      tools: [
        {
          name: 'pay',
          description: 'Pays.',
          async execute(_input, { signal, fence }) {
            signal.addEventListener('abort', () => (document.body.dataset['aborted'] = 'yes'))
            await fetch(`${server}/?fence=${fence}`, { mode: 'no-cors' })
          },
        },
      ],
    })
    Object.assign(window, { agent })
  }, url)
}

test(
  'F23 a thawed tab finds that its run has a new owner, and its tool is stopped',
  MORE,
  async ({ ownBrowser, openPage, server }) => {
    test.setTimeout(120_000)
    const context = await ownBrowser.newContext()
    const frozen = await openPage({ context })
    const other = await openPage({ context })
    const pid = await processOf(frozen, ownBrowser)
    expect(await processOf(other, ownBrowser)).not.toBe(pid)
    await mount(frozen, server.url)
    await mount(other, server.url)
    await frozen.evaluate(() => {
      const { agent } = window as unknown as {
        agent: ReturnType<typeof window.offstage.createAgent>
      }
      agent.conversation('c').subscribe(() => {})
      const run = agent.run('Pay', { conversationId: 'c' })
      void run.result.then((result) => Object.assign(window, { result }))
    })
    await expect.poll(() => server.fences.length).toBe(1)

    process.kill(pid, 'SIGSTOP')
    const result = await other.evaluate(async () => {
      const { agent } = window as unknown as {
        agent: ReturnType<typeof window.offstage.createAgent>
      }
      return (await agent.resume('c'))?.result
    })
    process.kill(pid, 'SIGCONT')

    expect(result).toMatchObject({ outcome: 'completed', toolCalls: [{ status: 'interrupted' }] })
    await expect.poll(() => frozen.evaluate(() => document.body.dataset['aborted'])).toBe('yes')
    await expect
      .poll(() => frozen.evaluate(() => (window as unknown as { result?: unknown }).result))
      .toMatchObject({ outcome: 'aborted', reason: 'taken-over' })
    // The frozen tab shows the progress that the other tab made.
    await expect
      .poll(() =>
        frozen.evaluate(() => {
          const { agent } = window as unknown as {
            agent: ReturnType<typeof window.offstage.createAgent>
          }
          const { ended, ownership, error } = agent.conversation('c').getSnapshot()
          return { outcome: ended?.outcome, ownership, error }
        }),
      )
      .toEqual({ outcome: 'completed', ownership: 'none', error: undefined })
    expect(server.fences.length).toBe(1)
  },
)
