import type { Locator, Page } from '@playwright/test'
import { MORE } from '../../../scripts/lib/more.mjs'
import { expect, test as base } from './test.ts'

/** Where local model servers listen. */
export const usualPorts = /^http:\/\/(localhost|127\.0\.0\.1):(11434|1234|8080|8000)\//

/** Chromium's own lines about closed ports, refused tools, no built-in model and no graphics card. */
const lookingAround =
  /ERR_CONNECTION_REFUSED|status of 400|Unable to create a text session|No available adapters/

export const test = base.extend<{
  /** Opens the demo; `path` names the app, or is a whole address. */
  openDemo: (path?: string) => Promise<Page>
  /** Address of the demo as `npm start` serves it, also in `npm test`. */
  startedUrl: string
}>({
  startedUrl: async ({ demoUrl }, use, { workerIndex }) => {
    if (MORE) return use(demoUrl)
    const { startDemo } = await import('./serve-demo.ts')
    const demo = await startDemo(workerIndex)
    await use(demo.url)
    await demo.close()
  },
  openDemo: async ({ page, demoUrl }, use) => {
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return
      if (!lookingAround.test(message.text())) problems.push(message.text())
    })
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        console.error(`The page's policy refused ${blockedURI}: ${effectiveDirective}`),
      )
    })
    // Whatever runs on this machine: nobody that the demo knows is on the usual ports.
    await page.route(usualPorts, (route) => route.fulfill({ json: {} }))
    await use(async (path = '') => {
      await page.goto(new URL(path, demoUrl).href)
      await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
      return page
    })
    // Violations of the page's own Content-Security-Policy are reported here, too.
    expect(problems).toEqual([])
  },
})

/** Types a message to the agent and sends it. */
export async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  // The button is enabled once the conversation has been read.
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}
export const messages = (page: Page): Locator => page.getByRole('log', { name: 'Messages' })
export const rows = (page: Page): Locator =>
  page.getByRole('list', { name: 'Rows of the journal' }).getByRole('listitem')
export const stop = (page: Page): Locator => page.getByRole('button', { name: 'Stop', exact: true })
export const told = (page: Page): Locator =>
  page.getByRole('region', { name: 'Break it while it works' }).getByRole('status')

/** Cards of a tool's calls, by the tool's title. */
export const calls = (page: Page, title: string): Locator =>
  messages(page).getByRole('group', { name: title })

/** Opens a card, which then shows the input and the output of its call. */
export async function open(card: Locator): Promise<void> {
  await card.locator('summary').click()
}
