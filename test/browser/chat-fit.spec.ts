import type { OffstageChat } from '../../src/ui/chat/index.ts'
import { expect, order, replies, test, unfinished } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'

const chunk = (delta: object, finish_reason: string | null = null) => ({
  data: {
    id: 'chatcmpl-mock',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'mock',
    choices: [{ index: 0, delta, finish_reason }],
  },
})

test('an Arabic answer after reasoning reads from right to left', async ({ openChat, model }) => {
  model.enqueue({
    pieces: [
      chunk({ role: 'assistant', reasoning_content: 'Hm. ' }),
      chunk({ content: 'مرحبا، عندنا ثلاثة أكواب.' }),
      chunk({}, 'stop'),
    ],
  })
  const { page, send } = await openChat(model)
  await send('أكواب؟')
  const text = replies(page).getByText('ثلاثة')
  await expect(text).toBeVisible()
  expect(await text.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
  const prompt = page.getByRole('textbox', { name: 'Message' })
  await prompt.fill('شكرا')
  expect(await prompt.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
})

test('the address of a link that needs confirmation is in view as a whole at 390 px', async ({
  openChat,
  model,
}) => {
  const host = `shop.test.${'a'.repeat(60)}.${'b'.repeat(60)}.evil.example`
  model.enqueue(callTools([{ name: 'read_reviews', input: {} }]), say(`[Pay](https://${host}/)`))
  const { page, send } = await openChat(model)
  await page.setViewportSize({ width: 390, height: 800 })
  await send('Read')
  await replies(page).last().getByRole('link').click()
  const notices = page.locator('.notices')
  await expect(notices).toContainText('evil.example')
  const hidden = await notices.evaluate((each) => each.scrollWidth - each.clientWidth)
  expect(hidden).toBeLessThanOrEqual(0)
})

test('many attachments leave the field and Send in view', async ({ openChat, model }) => {
  const { page } = await openChat(model)
  await page.setViewportSize({ width: 390, height: 640 })
  const names = Array.from(
    { length: 24 },
    (_, at) => `a-photo-with-a-rather-long-name-of-our-holiday-number-${at}.txt`,
  )
  const files = names.map((name) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from('x'),
  }))
  await page.locator('offstage-chat input[type=file]').setInputFiles(files)
  await expect(page.getByRole('button', { name: /^Remove a-photo/ })).toHaveCount(24)
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeInViewport({ ratio: 1 })
})

test('a picture that loads after the answer keeps the end of the log in view', async ({
  openChat,
  model,
}) => {
  const lines = Array.from({ length: 30 }, (_, at) => `Line ${at}.`).join('\n\n')
  model.enqueue(say(lines), say('Here:\n\n![a chart](https://charts.test/a.svg)\n\nThat is all.'))
  const { page, send } = await openChat(model)
  let load = (): void => {}
  const isAsked = new Promise<void>((resolve) => (load = resolve))
  await page.route('https://charts.test/**', async (route) => {
    await isAsked
    await route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300" />',
    })
  })
  await page.evaluate(() => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')
    if (chat) chat.markdown = { imageOrigins: ['https://charts.test'] }
  })
  await send('Tell')
  await expect(replies(page)).toContainText('Line 29.')
  await send('A chart')
  await expect(replies(page).last()).toContainText('That is all.')
  await expect(replies(page).last().getByRole('button', { name: 'Copy' })).toBeAttached()
  load()
  const picture = replies(page).last().getByRole('img', { name: 'a chart' })
  await expect.poll(() => picture.evaluate((image) => image.clientHeight)).toBeGreaterThan(200)
  await expect
    .poll(() =>
      page.locator('.log').evaluate((log) => log.scrollHeight - log.clientHeight - log.scrollTop),
    )
    .toBeLessThanOrEqual(2)
})

test('a message with a file, which can’t be about a card, says that it goes to the run', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'))
  const { page, send } = await openChat(model)
  await send('A mug')
  const prompt = page.getByRole('textbox', { name: 'Message' })
  await expect(prompt).toHaveAttribute('placeholder', /^Ask about/)
  await page
    .locator('offstage-chat input[type=file]')
    .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await expect(prompt).not.toHaveAttribute('placeholder', /^Ask about/)
  await expect(page.locator('.composer')).toContainText('Sent at the next step')
})

test('a plan shows the state of each step', async ({ openChat, model }) => {
  const items = [
    { content: 'Look', status: 'done' },
    { content: 'Order', status: 'in-progress' },
    { content: 'Pay', status: 'pending' },
    { content: 'Call', status: 'dropped' },
  ]
  model.enqueue(callTools([{ name: 'plan', input: { items } }]), unfinished('So far'))
  const { page, send } = await openChat(model)
  await send('Go')
  const plan = page.locator('details[part=plan]')
  await plan.locator('summary').click()
  await expect(plan.getByRole('listitem')).toHaveText([
    'Look Done',
    'Order Running',
    'Pay',
    'Call Stopped',
  ])
})

test('a button that has copied code offers to copy again', async ({ openChat, model }) => {
  model.enqueue(say('```\nlet mug\n```'))
  const { page, send } = await openChat(model)
  await page.evaluate(() =>
    Object.defineProperty(navigator.clipboard, 'writeText', { value: async () => {} }),
  )
  await send('Show')
  const head = replies(page).locator('.code-head')
  await head.getByRole('button', { name: 'Copy code' }).click()
  await expect(head.getByRole('button', { name: 'Copied' })).toBeVisible()
  await expect(head.getByRole('button', { name: 'Copy code' })).toBeVisible()
})

for (const layout of ['display: grid; grid-template-columns: 1fr 1fr', 'display: flex'])
  test(`a long answer leaves the app beside the chat its width (${layout})`, async ({
    openChat,
    model,
  }) => {
    const word = 'x'.repeat(300)
    model.enqueue(say(`${word} and [a link](https://shop.test/${word})\n\n    ${word}`))
    const { page, send } = await openChat(model)
    await page.setViewportSize({ width: 1000, height: 700 })
    await page.evaluate((style) => {
      const chat = document.querySelector<HTMLElement>('offstage-chat')
      const box = document.createElement('div')
      box.style.cssText = `${style}; block-size: 600px; inline-size: 800px`
      const app = document.createElement('main')
      for (const child of [app, chat]) if (child) child.style.flex = '1'
      chat?.replaceWith(box)
      box.append(app, ...(chat ? [chat] : []))
    }, layout)
    await send('Go')
    await expect(replies(page).getByRole('link')).toBeVisible()
    const width = await page
      .locator('offstage-chat')
      .evaluate((chat) => chat.getBoundingClientRect().width)
    expect(width).toBe(400)
  })
