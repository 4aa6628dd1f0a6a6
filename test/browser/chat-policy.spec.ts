import type { Locator, Page } from '@playwright/test'
import type { OffstageChat } from '../../src/ui/chat/index.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'

// The chat on pages whose Content-Security-Policy allows no more than docs/security.md says that it needs.

const BARE = "default-src 'none'; script-src 'self'; worker-src 'self'"
const TYPED = "require-trusted-types-for 'script'; trusted-types offstage lit-html"
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='

declare global {
  interface Window {
    /** Requests that the page's Content-Security-Policy refused. */
    refused: string[]
  }
}

const strict = (...more: readonly string[]): object => ({
  body: '<offstage-chat></offstage-chat>',
  headers: { 'content-security-policy': [BARE, ...more].join('; ') },
})

/** A chat with an agent whose tool uses another one, about which a person is asked. */
function begin(page: Page, url: string): Promise<void> {
  return page.evaluate(async (baseURL) => {
    window.refused = []
    document.addEventListener('securitypolicyviolation', (event) =>
      window.refused.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
    )
    await import('/dist/chat.js' as string)
    const model = { provider: 'openai-compatible', model: 'mock', baseURL } as const
    const { createAgent, defineTool } = window.offstage
    const agent = createAgent({
      model,
      tools: [
        defineTool({
          name: 'pay',
          title: 'Pay',
          description: 'Pays.',
          needsApproval: true,
          execute: () => 'Paid.',
        }),
        defineTool({
          name: 'order',
          title: 'Order',
          description: 'Orders.',
          run: (_input, { call }) => call('pay', {}),
        }),
      ],
    })
    document.querySelector<OffstageChat>('offstage-chat')!.agent = agent
  }, url)
}

/** Says something with a picture, as an app does. */
function sendPicture(page: Page): Promise<void> {
  return page.evaluate(async (data) => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')!
    const { agent, conversationId } = chat
    agent!.conversation(conversationId ?? 'talk').send([
      { type: 'text', text: 'What is this?' },
      { type: 'file', mediaType: 'image/png', filename: 'dot.png', data },
    ])
  }, PICTURE)
}

const leftOf = (part: Locator): Promise<number> =>
  part.evaluate((element) => element.getBoundingClientRect().left)

const MARKDOWN =
  '# Title\n\n**Bold**, `code`, [link](https://example.org)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst a = 1\n```\n'

test('a policy without unsafe-inline refuses nothing of the chat', async ({ openPage, model }) => {
  model.enqueue(callTools([{ name: 'order', input: {} }]), say(MARKDOWN), say('A dot.'))
  const page = await openPage(strict('img-src data:', TYPED))
  await begin(page, model.baseURL)
  await page.getByRole('textbox', { name: 'Message' }).fill('Pay')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const outer = page.getByRole('group', { name: 'Order', exact: true })
  const inner = page.getByRole('group', { name: 'Pay', exact: true })
  await expect(inner).toContainText('Waiting for you')
  const indent = (await leftOf(inner)) - (await leftOf(outer))
  expect(indent).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Title' })).toBeVisible()
  await sendPicture(page)
  const picture = page.getByRole('img', { name: 'dot.png' })
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  expect(await page.evaluate(() => window.refused)).toEqual([])
})

test('a policy without img-src data: only hides pictures of the conversation', async ({
  openPage,
  model,
}) => {
  model.enqueue(say('A dot.'))
  const page = await openPage(strict(TYPED))
  await begin(page, model.baseURL)
  await sendPicture(page)
  await expect(page.getByRole('article', { name: 'Assistant' })).toContainText('A dot.')
  await expect(page.getByRole('img', { name: 'dot.png' })).toBeAttached()
  expect(await page.evaluate(() => window.refused)).toEqual(['img-src data '])
})

test('without the lit-html policy the chat does not load, and the browser says why', async ({
  openPage,
}) => {
  const page = await openPage({
    ...strict(TYPED.replace(' lit-html', '')),
    errorsAllowed: true,
  })
  const failed = await begin(page, 'http://127.0.0.1:1').catch(String)
  expect(failed).toMatch(/lit-html/)
})
