import type { Page } from '@playwright/test'
import type { OffstageChat } from '../../src/ui/chat/index.ts'
import { expect, order, own, press, replies, test } from './support/chat-page.ts'
import { say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'

test(
  'a page adds follow-ups, sources, buttons and parts of its own to answers',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('Mugs are in.'), say('WARNING: hot'))
    const { page, send } = await openChat(model)
    await page.evaluate(() => {
      const pressed: string[] = []
      Object.assign(window, { pressed, asked: 0 })
      const chat = document.querySelector<OffstageChat>('offstage-chat')
      if (!chat) return
      chat.answers = {
        followUps: async ({ parts: [part] }) => {
          ;(window as unknown as { asked: number }).asked += 1
          return part?.type === 'text' && part.text.includes('Mugs') ? ['And bowls?'] : []
        },
        sources: () => [
          { title: 'Terms', url: 'https://shop.test/terms' },
          { title: 'A script', url: 'javascript:alert(1)' },
        ],
        actions: [{ label: 'Pin', act: (answer) => pressed.push(answer.id) }],
        renderPart: (part) => {
          if (part.type !== 'text' || !part.text.startsWith('WARNING')) return null
          const box = document.createElement('mark')
          box.textContent = part.text
          return box
        },
      }
    })
    await send('Mugs')
    const followUp = page.getByRole('button', { name: 'And bowls?' })
    await expect(followUp).toBeVisible()
    const sources = replies(page).locator('.sources')
    await sources.locator('summary').click()
    const links = sources.getByRole('link')
    await expect(links).toHaveCount(1)
    await expect(links).toHaveAttribute('href', 'https://shop.test/terms')
    await expect(sources).toContainText('(shop.test)')
    await expect(sources).toContainText('A script')
    await press(page, 'Pin')
    expect(await page.evaluate(() => (window as unknown as { pressed: string[] }).pressed)).toEqual(
      [await replies(page).getAttribute('data-message')],
    )

    await followUp.click()
    await expect(own(page).last()).toContainText('And bowls?')
    await expect(replies(page).last().locator('mark')).toHaveText('WARNING: hot')
    await expect(followUp).toHaveCount(0)
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { asked: number }).asked))
      .toBe(2)
  },
)

test("an invalid return value of the page's answers function is reported, and the answer is shown", async ({
  openChat,
  model,
}) => {
  model.enqueue(say('Mugs are in.'))
  const { page, send } = await openChat(model, { errorsAllowed: true })
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.evaluate(() => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')
    if (!chat) return
    const rows: unknown = [null, { url: 'https://shop.test' }]
    chat.answers = { followUps: () => 'Go on' as never, sources: () => rows as never }
  })
  await send('Mugs')
  await expect(replies(page)).toContainText('Mugs are in.')
  await expect.poll(() => errors.some((error) => error.startsWith('followUps of'))).toBe(true)
  await expect.poll(() => errors.some((error) => error.startsWith('sources of'))).toBe(true)
  await expect(page.getByRole('button', { name: 'Copy' }).last()).toBeVisible()
  await page.evaluate(() => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')
    const rows: unknown = [{ title: 'Terms', url: null }]
    if (chat) chat.answers = { sources: () => rows as never }
  })
  await expect(replies(page).locator('.sources')).toContainText('(1)')
})

test('at 360 px, long unbroken text stays within the chat; forced colours apply to titles', async ({
  openChat,
  model,
  browserName,
}) => {
  model.enqueue(say('Mugs are in.'), order('mug'))
  const { page, send } = await openChat(model, {
    attributes: 'heading="The helper of the whole shop"',
  })
  await page.setViewportSize({ width: 360, height: 720 })
  await page.evaluate(() => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')
    if (!chat) return
    const title = 'unbroken'.repeat(20)
    chat.suggestions = [title]
    chat.answers = {
      followUps: () => [title],
      sources: () => [{ title, url: `https://shop.test/${title}` }, { title }],
      actions: [{ label: title, act: () => {} }],
    }
  })
  /** Elements that overflow the chat on the right. */
  const outside = () =>
    page.evaluate(() => {
      const chat = document.querySelector('offstage-chat')!
      const { right } = chat.getBoundingClientRect()
      return [...chat.shadowRoot!.querySelectorAll('*')]
        .filter((each) => !each.closest('.unseen, pre, .table'))
        .filter((each) => each.getBoundingClientRect().right > right + 0.5)
        .map(({ className, localName }) => `${localName}.${className}`)
    })
  await expect(page.locator('.suggestion')).toBeVisible()
  expect(await outside()).toEqual([])
  await send('unbroken'.repeat(20))
  await expect(page.locator('.follow-ups .suggestion')).toBeVisible()
  await replies(page).locator('.sources summary').click()
  expect(await outside()).toEqual([])

  await send('A mug')
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible()
  expect(await outside()).toEqual([])
  if (browserName === 'chromium') expect(await forcedColours(page)).toHaveLength(1)
  await press(page, 'Conversations')
  await expect(page.getByRole('button', { name: 'Export' })).toBeVisible()
  expect(await outside()).toEqual([])
})

/** Colours of a card's frame and title in forced-colours mode. */
async function forcedColours(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' })
  const colours = await page
    .getByRole('group', { name: 'Place the order' })
    .evaluate((card) =>
      [card, ...card.querySelectorAll('.call-title, .call-state')].map(
        (each) => getComputedStyle(each).color,
      ),
    )
  return [...new Set(colours)]
}
