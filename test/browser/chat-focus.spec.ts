import type { Page } from '@playwright/test'
import type { Agent } from '../../src/index.ts'
import type { OffstageChat } from '../../src/ui/chat/index.ts'
import { expect, order, own, press, replies, test } from './support/chat-page.ts'
import { say } from './support/mock-answers.ts'
import { settle } from './support/press-settled.ts'

/** Text of the message with the focus. */
const focusedMessage = (page: Page) =>
  page.evaluate(
    () =>
      document.querySelector('offstage-chat')?.shadowRoot?.activeElement?.closest('article')
        ?.textContent,
  )

test('Rename focuses the field of the title, whose button saves it', async ({
  openChat,
  model,
}) => {
  model.enqueue(say('One.'))
  const { page, send } = await openChat(model)
  await send('About mugs')
  await expect(replies(page)).toContainText('One.')
  await press(page, 'Conversations')
  const list = page.getByRole('region', { name: 'Conversations' })
  await list.getByRole('button', { name: 'Rename: About mugs' }).click()
  const field = list.getByRole('textbox', { name: 'Rename' })
  await expect(field).toBeFocused()
  await field.fill('Mugs')
  await list
    .getByRole('button', { name: /^Rename/ })
    .last()
    .click()
  await expect(list.getByRole('button', { name: 'Mugs', exact: true })).toBeVisible()
})

test('the focus stays at the version buttons of a message', async ({ openChat, model }) => {
  model.enqueue(say('One.'), say('Two.'), say('Three.'))
  const { page, send } = await openChat(model)
  await send('First')
  await expect(replies(page)).toContainText('One.')
  for (const [text, reply] of [
    ['Second', 'Two.'],
    ['Third', 'Three.'],
  ] as const) {
    await press(page, 'Edit')
    await page.locator('.editor').getByRole('textbox').fill(text)
    await page.locator('.editor').getByRole('button', { name: 'Send' }).click()
    await expect(replies(page)).toContainText(reply)
  }
  const previous = own(page).getByRole('button', { name: 'Previous version' })
  await expect(previous).toBeEnabled()
  await previous.press('Enter')
  await expect(own(page)).toContainText('Second')
  await expect(previous).toBeFocused()
  await previous.press('Enter')
  await expect(own(page)).toContainText('First')
  expect(await focusedMessage(page)).toContain('First')
})

test('the focus on a message stays out of another conversation that is shown instead', async ({
  openChat,
  model,
}) => {
  model.enqueue(say('One.'), say('Two.'), say('Three.'))
  const { page, send } = await openChat(model)
  await send('First')
  await expect(replies(page)).toContainText('One.')
  const show = (id?: string) =>
    page.evaluate((next) => {
      const { agent } = window as unknown as { agent: Agent }
      const chat = document.querySelector<OffstageChat>('offstage-chat')
      const before = chat?.conversationId ?? ''
      // Also shown elsewhere on the page, so it is there at once.
      agent.conversation(before).subscribe(() => undefined)
      if (chat) chat.conversationId = next ?? agent.newConversationId()
      return before
    }, id)
  const first = await show()
  await send('Second')
  await expect(replies(page)).toContainText('Two.')
  await press(page, 'Regenerate')
  await expect(replies(page)).toContainText('Three.')
  for (const button of ['Copy', 'Previous version']) {
    await replies(page).getByRole('button', { name: button }).focus()
    const second = await show(first)
    await expect(replies(page)).toContainText('One.')
    expect(await focusedMessage(page)).toBeUndefined()
    await show(second)
    await expect(replies(page)).toContainText('Three.')
  }
})

test('a picture that a key loads gets the focus', async ({ openChat, model }) => {
  model.enqueue(say('![a mug](https://mugs.test/mug.svg)'))
  const { page, send } = await openChat(model)
  await page.route('https://mugs.test/**', (route) =>
    route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" />',
    }),
  )
  await send('Show')
  await replies(page)
    .getByRole('button', { name: /Load image/ })
    .press('Enter')
  await expect(replies(page).getByRole('img', { name: 'a mug' })).toBeAttached()
  await expect.poll(() => focusedMessage(page)).toBeDefined()
})

test('a bubble that was closed over its list opens with the focus in the field', async ({
  openChat,
  model,
}) => {
  const { page } = await openChat(model, { attributes: 'placement=bubble' })
  await page.getByRole('button', { name: 'Open the assistant' }).click()
  await press(page, 'Conversations')
  await press(page, 'Close')
  await page.getByRole('button', { name: 'Open the assistant' }).press('Enter')
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()
})

test('a host’s card that draws itself anew once answered leaves the focus in the chat', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'), say('Ordered it.'))
  const { page, send } = await openChat(model)
  await page.evaluate(() => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')
    if (!chat) return
    // Like the example in docs/chat.md.
    chat.renderers = {
      order: (call, { container, respond }) => {
        const draw = ({ status }: typeof call): void => {
          container.textContent = status
          if (status !== 'awaiting-approval') return
          const button = document.createElement('button')
          button.textContent = 'Book it'
          button.addEventListener('click', () => void respond(true))
          container.append(button)
        }
        draw(call)
        return { update: draw, answers: true }
      },
    }
  })
  await send('A mug')
  const book = page.getByRole('button', { name: 'Book it' })
  await settle(book)
  await book.press('Enter')
  await expect(replies(page).last()).toContainText('Ordered it.')
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('offstage-chat')
})

/** Safari ends the composition before the key's event, which then has code 229 alone. */
const pressEscapeLikeSafari = (field: Element): boolean =>
  field.dispatchEvent(
    Object.defineProperty(
      new KeyboardEvent('keydown', {
        key: 'Escape',
        bubbles: true,
        composed: true,
        cancelable: true,
      }),
      'keyCode',
      { value: 229 },
    ),
  )

test('in Safari, Escape that ends a composition keeps an edited message and an open bubble', async ({
  openChat,
  model,
}) => {
  model.enqueue(say('One.'))
  const { page, send } = await openChat(model, { attributes: 'placement=bubble' })
  await page.getByRole('button', { name: 'Open the assistant' }).click()
  const prompt = page.getByRole('textbox', { name: 'Message' })
  await prompt.evaluate(pressEscapeLikeSafari)
  await expect(prompt).toBeVisible()
  await send('First')
  await expect(replies(page)).toContainText('One.')
  await press(page, 'Edit')
  const field = page.locator('.editor').getByRole('textbox')
  await field.fill('First, edited')
  await field.evaluate(pressEscapeLikeSafari)
  await expect(field).toHaveValue('First, edited')
})

test('Escape cancels the edit of an input, and leaves the bubble open', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'))
  const { page, send } = await openChat(model, { attributes: 'placement=bubble' })
  await page.getByRole('button', { name: 'Open the assistant' }).click()
  await send('A mug')
  await press(page, 'Edit')
  await page.getByRole('textbox', { name: 'Sku' }).press('Escape')
  await expect(page.getByRole('textbox', { name: 'Sku' })).toHaveCount(0)
  await expect(page.getByRole('dialog')).toBeVisible()
})

test('the field that imports shows that it has the focus', async ({ openChat, model }) => {
  const { page } = await openChat(model)
  await press(page, 'Conversations')
  await page.getByRole('button', { name: 'Export' }).focus()
  await page.keyboard.press('Tab')
  const label = page.locator('.list label.button')
  await expect(label.locator('input')).toBeFocused()
  expect(await label.evaluate((each) => getComputedStyle(each).outlineStyle)).toBe('solid')
})
