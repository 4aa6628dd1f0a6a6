import type { Locator, Page } from '@playwright/test'
import type { OffstageChat } from '../../src/ui/chat/index.ts'
import { checkChat } from './support/axe.ts'
import { expect, replies, test, write } from './support/chat-page.ts'

// A person undoes what a turn did, from its sheet, with the real worker and IndexedDB.

const BODY = '<offstage-chat id=chat style="height: 90vh"></offstage-chat>'
const ITEMS = ['mug', 'bowl', 'plate', 'cup']

interface Shop {
  readonly cart: string[]
  readonly undone: string[]
}

/** Shows a chat whose model fills a cart and sends a mail. The cart outlives the page. To be called again after a reload. */
async function openShop(page: Page, lang = 'en'): Promise<void> {
  await page.evaluate(
    async ({ items, lang }) => {
      await import('/dist/chat.js' as string)
      document.documentElement.lang = lang
      const { createAgent, defineTool } = window.offstage
      const kept = (): Shop => JSON.parse(localStorage['shop'] ?? '{"cart":[],"undone":[]}') as Shop
      const keep = (change: (shop: Shop) => unknown): void => {
        const shop = kept()
        change(shop)
        localStorage['shop'] = JSON.stringify(shop)
      }
      const properties = { item: { type: 'string' } } as const
      const inputSchema = { type: 'object', properties, required: ['item'] } as const
      const add = defineTool({
        name: 'add',
        title: 'Add to the cart',
        description: 'Adds.',
        inputSchema,
        execute: ({ item }) => keep(({ cart }) => cart.push(item)),
        async undo({ item }) {
          if (document.body.dataset['hangs'] === item) {
            document.body.dataset['hung'] = item
            await new Promise(() => {})
          }
          if (document.body.dataset['refuses'] === item)
            throw new Error('You have changed it since.')
          keep(({ cart, undone }) => undone.push(...cart.splice(cart.indexOf(item), 1)))
        },
      })
      const mail = defineTool({
        name: 'mail',
        title: 'Send a mail',
        description: 'Mails.',
        inputSchema,
        execute: () => 'Sent.',
      })
      const toolCalls = [
        ...items.map((item) => ({ toolName: 'add', input: { item } })),
        { toolName: 'mail', input: { item: 'receipt' } },
      ]
      const chat = document.querySelector<OffstageChat>('offstage-chat')!
      chat.agent = createAgent({
        model: {
          provider: 'scripted',
          model: 'any',
          script: { fallback: [{ toolCalls }, { text: 'The cart is full.' }] },
        },
        tools: [add, mail],
      })
    },
    { items: ITEMS, lang },
  )
}

const shopOf = (page: Page): Promise<Shop> =>
  page.evaluate(() => JSON.parse(localStorage['shop'] as string) as Shop)
const sheet = (page: Page): Locator => page.getByRole('dialog')
const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: true })
const entries = (page: Page): Locator => sheet(page).getByRole('listitem')

async function fillCart(page: Page): Promise<void> {
  await openShop(page)
  await write(page, 'Fill the cart')
  await expect(replies(page).last()).toContainText('The cart is full.')
}

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await openShop(page)
}

test('a sheet shows what a turn’s undo does, and does it, also after a reload in the middle', async ({
  openPage,
}) => {
  const page = await openPage({ body: BODY })
  await fillCart(page)
  await button(page, 'Undo all 4…').click()
  await expect(entries(page)).toHaveText([
    /cup/,
    /plate/,
    /bowl/,
    /mug/,
    /Send a mail.*Can’t be undone/s,
  ])
  await checkChat(page)
  await button(page, 'Cancel').click()
  await expect(sheet(page)).toHaveCount(0)
  await expect(button(page, 'Undo all 4…')).toBeFocused()
  expect((await shopOf(page)).undone).toEqual([])

  await page.evaluate(() => void (document.body.dataset['hangs'] = 'plate'))
  await button(page, 'Undo all 4…').click()
  await button(page, 'Undo 4 actions').click()
  await expect(entries(page).first()).toContainText('Undone')
  await expect(page.locator('body')).toHaveAttribute('data-hung', 'plate')
  await expect(button(page, /^Undo \d actions$/)).toBeDisabled()
  await reload(page)
  expect(await shopOf(page)).toEqual({ cart: ['mug', 'bowl', 'plate'], undone: ['cup'] })

  await button(page, 'Undo all 2…').click()
  await expect(entries(page)).toHaveText([
    /bowl/,
    /mug/,
    /Send a mail.*Can’t be undone/s,
    /cup.*Already undone/s,
    /plate.*An undo was cut off/s,
  ])
  await button(page, 'Undo 2 actions').click()
  await expect(sheet(page)).toHaveCount(0)
  // The one that was cut off may have been undone or not, and isn't undone again.
  await expect(page.getByText('Undone', { exact: true })).toHaveCount(3)
  expect(await shopOf(page)).toEqual({ cart: ['plate'], undone: ['cup', 'bowl', 'mug'] })
})

test('an undo that refuses is shown with its reason, and the rest can be undone without it', async ({
  openPage,
}) => {
  const page = await openPage({ body: BODY })
  await fillCart(page)
  await page.evaluate(() => void (document.body.dataset['refuses'] = 'plate'))
  await button(page, 'Undo all 4…').click()
  await button(page, 'Undo 4 actions').click()
  await expect(entries(page).nth(1)).toContainText('You have changed it since.')
  expect(await shopOf(page)).toEqual({ cart: ['mug', 'bowl', 'plate'], undone: ['cup'] })
  await button(page, 'Retry').click()
  await expect(button(page, 'Retry')).toBeEnabled()
  await button(page, 'Skip it and undo 2 more').click()
  await expect(sheet(page)).toHaveCount(0)
  expect(await shopOf(page)).toEqual({ cart: ['plate'], undone: ['cup', 'bowl', 'mug'] })
})

test('a page can cancel the undo of a turn, which then changes nothing', async ({ openPage }) => {
  const page = await openPage({ body: BODY })
  await fillCart(page)
  await page.evaluate(() => {
    document.addEventListener('offstage-undo', (event) => {
      event.preventDefault()
      const { detail } = event
      document.body.dataset['calls'] = String('calls' in detail && detail.calls.length)
    })
  })
  await button(page, 'Undo all 4…').click()
  await button(page, 'Undo 4 actions').click()
  await expect(page.locator('body')).toHaveAttribute('data-calls', '4')
  await expect(button(page, 'Undo 4 actions')).toBeEnabled()
  expect((await shopOf(page)).undone).toEqual([])
})

test('the sheet is in Chinese on a Chinese page', async ({ openPage }) => {
  const page = await openPage({ body: BODY })
  await openShop(page, 'zh-CN')
  await page.getByRole('textbox').fill('填满购物车')
  await page.getByRole('textbox').press('Enter')
  await button(page, '全部撤销（4）…').click()
  await expect(sheet(page)).toHaveAccessibleName('撤销助手所做的操作？')
  await button(page, '撤销 4 项操作').click()
  await expect(page.getByText('已撤销', { exact: true })).toHaveCount(4)
})
