import type { Locator, Page } from '@playwright/test'
import type { AgentOptions } from '../../../src/index.ts'
import { callTools, say } from './mock-answers.ts'
import type { MockOpenAI, MockResponse } from './mock-openai.ts'
import { pressSettled } from './press-settled.ts'
import { expect, test as base } from './test.ts'

export { expect }

export interface OpenedChat {
  readonly page: Page
  readonly send: (text: string) => Promise<void>
  /** Loads the page anew, and shows what the last one showed. */
  readonly again: () => Promise<void>
}

export interface ChatOptions {
  /** Errors of the page's own code don't fail the test. Default false. */
  readonly errorsAllowed?: boolean
  readonly attributes?: string
  readonly consent?: 'person'
  /** Options of the agent, beside those of all tests. */
  readonly agent?: Pick<Partial<AgentOptions>, 'model' | 'maxSteps' | 'limits' | 'storage'>
  /** Address of the worker. Default: `/dist/worker.js`. */
  readonly worker?: string
}

/** `<offstage-chat>` as a page has it: the built entries, a real worker, and a server that speaks as models do. */
export const test = base.extend<{
  openChat: (model: MockOpenAI, options?: ChatOptions) => Promise<OpenedChat>
}>({
  openChat: async ({ openPage }, use) => {
    await use(async (model, options = {}) => {
      const body = `<offstage-chat id=chat ${options.attributes ?? ''} style="height: 90vh"></offstage-chat>`
      const { errorsAllowed = false } = options
      const page = await openPage({ body, errorsAllowed })
      await begin(page, model, options)
      const again = async (): Promise<void> => {
        await page.reload()
        await page.locator('html[data-ready]').waitFor({ state: 'attached' })
        await begin(page, model, options)
      }
      return { page, again, send: (text) => write(page, text) }
    })
  },
})

export async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

/** Makes the agent, and shows it. To be called again after a reload. */
export async function begin(
  page: Page,
  { baseURL }: MockOpenAI,
  { consent, agent: more, worker = '/dist/worker.js' }: ChatOptions = {},
): Promise<void> {
  await page.evaluate(
    async ({ baseURL, consent, more, worker }) => {
      const address = '/dist/chat.js'
      await import(address)
      const orders: unknown[] = []
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
        controlTools: ['ask_user', 'plan'],
        questionFields: true,
        ...(consent && { consent }),
        tools: [
          window.offstage.defineTool({
            name: 'order',
            title: 'Place the order',
            description: 'Orders.',
            inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
            needsApproval: true,
            execute: (input) => {
              orders.push(input)
              return 'Ordered.'
            },
          }),
          window.offstage.defineTool({
            name: 'read_reviews',
            title: 'Read the reviews',
            description: 'Reads.',
            annotations: { readOnly: true, untrustedContent: true },
            execute: () => 'Great mugs!',
          }),
        ],
        worker: () => new Worker(worker, { type: 'module' }),
        ...more,
      })
      Object.assign(window, { orders, agent })
      const chat = document.querySelector('offstage-chat')
      if (chat) chat.agent = agent
    },
    // All of its options are too many types for `evaluate`.
    { baseURL, consent, more: more as object | undefined, worker },
  )
  await expect(page.locator('offstage-chat')).toBeVisible()
}

interface Damage {
  readonly type: string
  readonly change?: object
}

/** Changes the first stored row of a type, so that it can't be read. Runs in the page. */
export async function damage({ type, change = { end: 'damaged' } }: Damage): Promise<void> {
  const rows = await new Promise<IDBObjectStore>((resolve) => {
    const request = indexedDB.open('offstage-2:offstage')
    request.addEventListener('success', () =>
      resolve(request.result.transaction('rows', 'readwrite').objectStore('rows')),
    )
  })
  await new Promise<void>((resolve) => {
    const request = rows.openCursor()
    request.addEventListener('success', () => {
      const cursor = request.result
      const row = cursor?.value as { type: string } | undefined
      if (cursor && row?.type !== type) return cursor.continue()
      cursor?.update({ ...row, ...change })
    })
    rows.transaction.addEventListener('complete', () => {
      rows.transaction.db.close()
      resolve()
    })
  })
}

export const orders = (page: Page): Promise<unknown[]> =>
  page.evaluate(() => (window as unknown as { orders: unknown[] }).orders)
export const order = (sku: string): MockResponse => callTools([{ name: 'order', input: { sku } }])
export const unfinished = (text: string): MockResponse => ({
  pieces: say(text).pieces?.slice(0, -1) ?? [],
  end: 'hang',
})
export const replies = (page: Page): Locator => page.getByRole('article', { name: 'Assistant' })
export const own = (page: Page): Locator => page.getByRole('article', { name: 'You' })
export const press = (page: Page, name: string): Promise<void> =>
  pressSettled(page.getByRole('button', { name, exact: true }).last())
