import type { Locator, Page } from '@playwright/test'
import { expect, order, orders, press, replies, test } from './support/chat-page.ts'
import { say } from './support/mock-answers.ts'
import { pressSettled, standsStill } from './support/press-settled.ts'
import { MORE } from './support/more.ts'

const approveIn = (page: Page): Locator =>
  page.getByRole('button', { name: 'Approve', exact: true })

/** The middle of a button, as it stands now. */
async function middleOf(button: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await button.boundingBox()
  if (!box) throw new Error('The button is not there.')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Something of the page comes above the chat, and moves it down. */
const pushDown = (page: Page, pixels: number): Promise<void> =>
  page.evaluate((height) => {
    const banner = document.createElement('div')
    banner.style.height = `${height}px`
    document.body.prepend(banner)
  }, pixels)

test(
  'a card that the page moved ignores presses right after the move, and accepts later ones',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(order('mug'), say('It is ordered.'))
    const { page, send } = await openChat(model)
    await send('A mug')
    const approve = approveIn(page)
    await approve.evaluate(standsStill, 800)
    await pushDown(page, 20)
    const { x, y } = await middleOf(approve)
    await page.mouse.click(x, y)
    await expect(approve).toBeVisible()
    expect(await orders(page)).toEqual([])

    await approve.evaluate(standsStill, 800)
    await pushDown(page, 20)
    // Nothing of the chat is drawn or pressed meanwhile.
    await approve.evaluate(standsStill, 1200)
    const later = await middleOf(approve)
    await page.mouse.click(later.x, later.y)
    await expect(replies(page).last()).toContainText('It is ordered.')
    expect(await orders(page)).toEqual([{ sku: 'mug' }])
  },
)

test(
  'the second click of a double click on Jump to latest approves no card under it',
  MORE,
  async ({ openChat, model }) => {
    const long = Array.from({ length: 80 }, (_, at) => `Paragraph ${at}.`).join('\n\n')
    model.enqueue(say(long), order('mug'), say('It is ordered.'))
    const { page, send } = await openChat(model)
    await send('Go')
    await expect(replies(page).first().getByText('Paragraph 79.', { exact: true })).toBeAttached()
    await send('A mug')
    const approve = approveIn(page)
    await expect(approve).toBeVisible()
    await approve.evaluate(standsStill, 800)
    const { x, y } = await middleOf(approve)
    await page.getByRole('log').hover()
    await page.mouse.wheel(0, -2000)
    const latest = page.getByRole('button', { name: 'Jump to latest' })
    await expect(latest).toBeVisible()
    // The button covers the place where the card will come.
    await latest.evaluate(
      (button, place) => {
        Object.assign(button.style, {
          position: 'fixed',
          inset: 'auto',
          left: `${place.x - 20}px`,
          top: `${place.y - 20}px`,
          width: '40px',
          height: '40px',
          transform: 'none',
          margin: '0',
        })
      },
      { x, y },
    )
    await page.mouse.dblclick(x, y)
    await expect(latest).toHaveCount(0)
    await expect(approve).toBeInViewport()
    // The card was under the pointer.
    const now = await middleOf(approve)
    expect(Math.abs(now.x - x)).toBeLessThan(20)
    expect(Math.abs(now.y - y)).toBeLessThan(10)
    expect(await orders(page)).toEqual([])
    await pressSettled(approve)
    await expect(replies(page).last()).toContainText('It is ordered.')
  },
)

test('an input edited on its card survives a reload, and is the approved input', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'), say('It is ordered.'))
  const { page, send, again } = await openChat(model)
  await send('A mug')
  await press(page, 'Edit')
  await page.getByRole('textbox', { name: 'Sku' }).fill('cup')
  await again()
  await expect(page.getByRole('definition')).toHaveText('cup')
  await press(page, 'Approve')
  await expect(replies(page).last()).toContainText('It is ordered.')
  expect(await orders(page)).toEqual([{ sku: 'cup' }])
})

test(
  "a person's scrolling or typing excuses no movement of the chat by its page",
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(order('mug'), say('It is ordered.'))
    const { page, send } = await openChat(model)
    await send('A mug')
    const approve = approveIn(page)
    await approve.evaluate(standsStill, 800)
    const { x, y } = await middleOf(approve)
    await page.mouse.move(x, y)
    await page.mouse.wheel(0, 1)
    await pushDown(page, 20)
    const moved = await middleOf(approve)
    await page.mouse.click(moved.x, moved.y)
    await expect(approve).toBeVisible()
    expect(await orders(page)).toEqual([])
  },
)
