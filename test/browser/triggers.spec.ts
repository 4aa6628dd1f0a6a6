import type { Page } from '@playwright/test'
import type { Agent } from '../../src/index.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

declare global {
  interface Window {
    woken: { readonly agent: Agent; readonly outcomes: string[] }
    ownShop: EventTarget
  }
}

interface Triggers {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The function of `at` never returns. */
  readonly hangs?: boolean
}

/** An agent with a trigger for a time and one for an order, which each tab hears. */
function mount(page: Page, { at, hangs = false }: Triggers): Promise<void> {
  return page.evaluate(
    async (given) => {
      const { createAgent } = window.offstage
      const script = { fallback: [{ text: 'Noted.' }] }
      const agent = createAgent({ model: { provider: 'scripted', model: 'scripted', script } })
      const outcomes: string[] = []
      window.woken = { agent, outcomes }
      window.ownShop = new EventTarget()
      agent.on('trigger', ({ id, outcome }) => void outcomes.push(`${id} ${outcome}`))
      await agent.trigger({
        id: 'report',
        at: given.at,
        run: () => (given.hangs ? new Promise<string>(() => undefined) : 'Write the report.'),
        conversationId: 'reports',
      })
      await agent.trigger({
        id: 'order',
        title: 'New order',
        on: [window.ownShop, 'order'],
        eventId: ({ detail }) => String(detail),
        run: ({ detail }) => `Order ${detail}`,
        conversationId: 'orders',
      })
    },
    { at, hangs },
  )
}

const order = (page: Page, id: string): Promise<boolean> =>
  page.evaluate((detail) => window.ownShop.dispatchEvent(new CustomEvent('order', { detail })), id)

/** First texts of the messages that triggers sent. */
const sent = (page: Page, conversationId: string): Promise<unknown[]> =>
  page.evaluate(async (id) => {
    const stored = await window.woken.agent.conversations.get(id)
    return (stored?.messages ?? []).flatMap((message) => {
      const [first] = message.parts
      return message.role === 'user' && message.trigger && first?.type === 'text'
        ? [first.text]
        : []
    })
  }, conversationId)

const outcomes = (page: Page): Promise<string[]> => page.evaluate(() => window.woken.outcomes)

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
}

test('across two tabs and a reload, a time and an event start one run each', async ({
  openPage,
}) => {
  const [one, two] = [await openPage(), await openPage()]
  const at = Date.now() + 2000
  for (const page of [one, two]) await mount(page, { at })
  await Promise.all([order(one, 'o-1'), order(two, 'o-1')])
  await expect.poll(() => sent(one, 'orders')).toEqual(['Order o-1'])
  await expect.poll(() => sent(two, 'reports')).toEqual(['Write the report.'])
  await expect
    .poll(async () => [...(await outcomes(one)), ...(await outcomes(two))].toSorted())
    .toEqual(['order started', 'report started'])

  await reload(one)
  await mount(one, { at })
  await order(one, 'o-1')
  await order(one, 'o-2')
  await expect.poll(() => sent(one, 'orders')).toEqual(['Order o-1', 'Order o-2'])
  expect(await outcomes(one)).toEqual(['order started'])
  expect(await sent(one, 'reports')).toEqual(['Write the report.'])
})

test(
  'when a tab is closed while its trigger fires, another tab runs it',
  MORE,
  async ({ openPage }) => {
    const [one, two] = [await openPage(), await openPage()]
    const at = Date.now() + 500
    await mount(one, { at, hangs: true })
    await expect
      .poll(() =>
        one.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name)),
      )
      .toContain('offstage-trigger:durable:offstage/report')
    await mount(two, { at })
    await one.close()
    await expect.poll(() => outcomes(two)).toEqual(['report started'])
    await expect.poll(() => sent(two, 'reports')).toEqual(['Write the report.'])
  },
)

test('a missed time starts a run once a page is open', MORE, async ({ openPage }) => {
  const page = await openPage()
  const at = Date.now() + 1000
  await mount(page, { at })
  await page.goto('about:blank')
  await new Promise((resolve) => setTimeout(resolve, at - Date.now() + 200))
  await page.goBack()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await mount(page, { at })
  await expect.poll(() => sent(page, 'reports')).toEqual(['Write the report.'])
})

test("the chat shows which trigger sent a message, not as the person's own text", async ({
  openPage,
}) => {
  const page = await openPage()
  await mount(page, { at: Date.now() + 1e9 })
  await page.evaluate(async () => {
    await import('/dist/chat.js' as string)
    const chat = Object.assign(document.createElement('offstage-chat'), {
      agent: window.woken.agent,
      conversationId: 'orders',
    })
    document.body.append(chat)
  })
  await order(page, 'o-1')
  const message = page.getByRole('article', { name: 'Sent by New order' })
  await expect(message.locator('.note')).toHaveText('Sent by New order')
  await expect(message).toContainText('Order o-1')
  await expect(message).not.toContainText('sent by the app')
  await expect(page.getByRole('article', { name: 'Assistant' })).toContainText('Noted.')
  await expect(message.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(0)
})
