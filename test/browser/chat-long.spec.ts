import type { Page } from '@playwright/test'
import type { Agent } from '../../src/index.ts'
import { expect, order, own, press, replies, test } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import { pressSettled } from './support/press-settled.ts'
import { MORE } from './support/more.ts'

// Beyond an answer and its approval: long conversations, files, keys, and how wide a panel is.

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })

test(
  'in a long conversation the newest messages are drawn, and earlier ones on scrolling',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('The newest answer.'))
    const { page } = await openChat(model)
    await page.evaluate(async () => {
      const { agent } = window as unknown as { agent: Agent }
      const history = Array.from({ length: 300 }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: `Message number ${index + 1}.`,
      }))
      const chat = document.querySelector('offstage-chat')
      const conversationId = agent.newConversationId()
      if (chat) chat.conversationId = conversationId
      await agent.run('The newest question', { conversationId, history }).result
    })
    await expect(replies(page).last()).toContainText('The newest answer.')
    const log = page.getByRole('log')
    await expect(log.getByText('Message number 300.')).toBeVisible()
    const articles = page.getByRole('article')
    expect(await articles.count()).toBeLessThan(120)
    await expect(log.getByText('Message number 20.', { exact: true })).toHaveCount(0)

    const earlier = page.getByRole('button', { name: /Show earlier/ })
    const scroll = (to: 'top' | 'end'): Promise<void> =>
      log.evaluate((element, where) => {
        element.scrollTop = where === 'top' ? 0 : element.scrollHeight
      }, to)
    // The message in view stays where it is as earlier ones come above it.
    const moved = await log.evaluate(async (element) => {
      element.scrollTop = 0
      const first = element.querySelector('article')
      const top = first?.getBoundingClientRect().top ?? NaN
      while (element.querySelector('article') === first)
        await new Promise((resolve) => requestAnimationFrame(resolve))
      return Math.abs((first?.getBoundingClientRect().top ?? NaN) - top)
    })
    expect(moved).toBeLessThan(2)
    await expect(async () => {
      await scroll('top')
      expect(await articles.count()).toBeLessThan(200)
      expect(await earlier.count()).toBe(0)
    }).toPass()
    await expect(log.getByText('Message number 1.', { exact: true })).toBeVisible()
    // Messages that are far away are drawn again on the way back.
    await expect(log.getByText('The newest answer.')).toHaveCount(0)
    await expect(async () => {
      await scroll('end')
      expect(await articles.count()).toBeLessThan(200)
      expect(await log.getByText('The newest answer.').count()).toBe(1)
    }).toPass()
    await expect(page.getByRole('button', { name: /Show later/ })).toHaveCount(0)
  },
)

test(
  'files are attached by choosing, pasting and dropping, and can be removed',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('A red dot.'))
    const { page } = await openChat(model)
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    const buffer = Buffer.from(png, 'base64')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer })
    await expect(page.getByRole('img', { name: 'dot.png' })).toBeVisible()
    await composer(page).evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(['pasted'], 'pasted.txt', { type: 'text/plain' }))
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    })
    await page.getByRole('log').evaluate((element) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
      element.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      )
    })
    await press(page, 'Remove pasted.txt')
    await press(page, 'Remove dropped.txt')
    await composer(page).fill('What is this?')
    await press(page, 'Send')
    await expect(replies(page)).toContainText('A red dot.')
    await expect(own(page).getByRole('img', { name: 'Attachment: dot.png' })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Remove/ })).toHaveCount(0)
    const sent = JSON.stringify(model.requests[0]?.body.messages)
    expect(sent).toContain(png)
    expect(sent).not.toContain('pasted.txt')
  },
)

test('a file that is too large is refused with a message', async ({ openChat, model }) => {
  const { page } = await openChat(model)
  await page.locator('input[type=file]').evaluate((element) => {
    const files = new DataTransfer()
    files.items.add(new File([new Uint8Array(20_000_001)], 'large.bin'))
    Object.assign(element, { files: files.files })
    element.dispatchEvent(new Event('change'))
  })
  await expect(page.getByRole('alert')).toContainText('20 MB')
})

test('keys move through messages, and first to pending approvals', async ({ openChat, model }) => {
  model.enqueue(say('One.'), order('mug'), say('Ordered.'))
  const { page, send } = await openChat(model)
  await send('First')
  await expect(replies(page)).toContainText('One.')
  await send('A mug')
  const card = page.getByRole('group', { name: 'Place the order' })
  await expect(card).toContainText('Waiting for you')
  await composer(page).press('Alt+ArrowUp')
  await expect(card).toBeFocused()
  await card.press('Alt+ArrowUp')
  await expect(own(page).last()).toBeFocused()
  await own(page).last().press('Alt+ArrowUp')
  await expect(replies(page).first()).toBeFocused()
  await replies(page).first().press('Alt+ArrowDown')
  await own(page).last().press('Alt+ArrowDown')
  await expect(card).toBeFocused()
  await card.press('Tab')
  await card.press('Alt+ArrowDown')
  await expect(composer(page)).toBeFocused()
})

test(
  'several pending calls share one card, and are approved one by one',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(
      callTools([
        { name: 'order', input: { sku: 'mug' } },
        { name: 'order', input: { sku: 'bowl' } },
      ]),
      say('Both are ordered.'),
    )
    const { page, send } = await openChat(model)
    await send('A mug and a bowl')
    await expect(page.getByText('Waiting for you: 2')).toBeVisible()
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    await pressSettled(approve.first())
    await expect(approve).toHaveCount(1)
    await pressSettled(approve)
    await expect(replies(page).last()).toContainText('Both are ordered.')
  },
)

test(
  'consecutive calls of one tool fold into one line that opens',
  MORE,
  async ({ openChat, model }) => {
    const read = callTools([{ name: 'read_reviews', input: {} }])
    model.enqueue(read, read, read, say('Read.'))
    const { page, send } = await openChat(model)
    await send('Read all')
    await expect(replies(page).last()).toContainText('Read.')
    const line = page.locator('summary', { hasText: 'Read the reviews' })
    await expect(line).toHaveCount(1)
    await expect(line).toContainText('Done ×3')
    await line.click()
    await expect(page.getByRole('group', { name: 'Read the reviews' })).toHaveCount(3)
  },
)

test('a panel keeps the width that a person chose, even after a reload', async ({
  openChat,
  model,
}) => {
  const { page } = await openChat(model, { attributes: 'placement=panel' })
  const edge = page.getByRole('separator', { name: 'Resize panel' })
  const width = () =>
    page.locator('offstage-chat').evaluate((element) => element.getBoundingClientRect().width)
  const before = await width()
  await edge.focus()
  await edge.press('ArrowLeft')
  await expect.poll(width).toBe(before + 24)
  const share = await page.evaluate(
    (pixels) => Math.round((100 * pixels) / innerWidth),
    before + 24,
  )
  await expect(edge).toHaveAttribute('aria-valuenow', `${share}`)
  const box = await edge.boundingBox()
  if (!box) throw new Error('The edge has no box.')
  await page.mouse.move(box.x + 2, box.y + 100)
  await page.mouse.down()
  await page.mouse.move(box.x - 98, box.y + 100, { steps: 4 })
  await page.mouse.up()
  await expect.poll(width).toBe(before + 124)
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await page.evaluate(() => import('/dist/chat.js' as string))
  await expect.poll(width).toBe(before + 124)
})

test('in a box without a height, a long conversation scrolls within the screen', async ({
  openChat,
  model,
}) => {
  model.enqueue(say('A line.\n\n'.repeat(200)))
  const { page, send } = await openChat(model)
  await page.evaluate(() => document.querySelector('offstage-chat')?.removeAttribute('style'))
  await send('Go')
  await expect(replies(page)).toContainText('A line.')
  await expect
    .poll(() => page.getByRole('log').evaluate((log) => log.scrollHeight > log.clientHeight + 500))
    .toBe(true)
  const { bottom, height } = await page.evaluate(() => ({
    bottom:
      document
        .querySelector('offstage-chat')
        ?.shadowRoot?.querySelector('.composer')
        ?.getBoundingClientRect().bottom ?? 0,
    height: document.querySelector('offstage-chat')?.getBoundingClientRect().bottom ?? 0,
  }))
  // The composer isn't painted outside of the element.
  expect(bottom).toBeLessThanOrEqual(height + 1)
})

test('cells copied from a spreadsheet are pasted as text, not as a picture of them', async ({
  openChat,
  model,
}) => {
  const { page } = await openChat(model)
  const isText = await page.getByRole('textbox', { name: 'Message' }).evaluate((element) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'a\tb')
    clipboardData.setData('text/html', '<table><tr><td>a<td>b</table>')
    clipboardData.items.add(new File(['png'], 'image.png', { type: 'image/png' }))
    return element.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    )
  })
  // Not cancelled: the browser inserts the text.
  expect(isText).toBe(true)
  await expect(page.getByRole('button', { name: /^Remove/ })).toHaveCount(0)
})
