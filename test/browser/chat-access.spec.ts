import type { OffstageChat } from '../../src/ui/chat/index.ts'
import type { Agent } from '../../src/index.ts'
import { checkChat } from './support/axe.ts'
import { begin, expect, order, own, press, replies, test, unfinished } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'

// Runs axe-core on each state of the element, in light, dark and forced colours. Also does a whole task with the
// keyboard alone.

test('axe-core finds nothing: empty, streaming, stopped, done, in the list, failed', async ({
  openChat,
  model,
}) => {
  const text =
    '# Mugs\n\nA **red** one, [here](https://mugs.test/).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- [x] one\n\n```js\nlet a\n```\n\n![a mug](https://mugs.test/mug.png)\n\n'
  model.enqueue(unfinished(text), say('Done.'), {
    status: 404,
    body: { error: { message: 'No such model' } },
  })
  const { page, send } = await openChat(model)
  await page.evaluate(() => {
    const chat = document.querySelector('offstage-chat')
    if (chat) chat.suggestions = ['Show me mugs', 'Compare two']
  })
  await expect(page.getByRole('button', { name: 'Show me mugs' })).toBeVisible()
  await checkChat(page)
  await send('Tell me')
  await expect(replies(page).locator('table')).toBeVisible()
  await checkChat(page)
  await press(page, 'Stop')
  await expect(replies(page)).toContainText('Stopped')
  await checkChat(page)
  await send('Again')
  await expect(replies(page).last()).toContainText('Done.')
  await checkChat(page)
  await send('Once more')
  await expect(page.locator('.failure')).toContainText('The model was not found.')
  await checkChat(page)
  await press(page, 'Conversations')
  await expect(page.getByRole('region', { name: 'Conversations' })).toBeVisible()
  await checkChat(page)
})

test(
  'axe-core finds nothing: approval, edited, denied, question, form, untrusted content, offline',
  MORE,
  async ({ openChat, model }) => {
    const ask = (input: object) => callTools([{ name: 'ask_user', input }])
    model.enqueue(
      order('mug'),
      ask({ question: 'Which colour?', options: ['Blue', 'Red'] }),
      ask({
        question: 'Where to?',
        fields: {
          type: 'object',
          properties: {
            town: { type: 'string', title: 'Town' },
            how: { type: 'string', enum: ['Bike', 'Van'], title: 'How' },
            wrap: { type: 'boolean', title: 'Wrapped' },
          },
          required: ['town'],
        },
      }),
      callTools([{ name: 'read_reviews', input: {} }]),
      say('Thank you.'),
    )
    const { page, send } = await openChat(model)
    await send('A mug')
    await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeEnabled()
    await checkChat(page)
    await press(page, 'Edit')
    await page.getByRole('textbox', { name: 'Sku' }).fill('cup')
    await checkChat(page)
    await press(page, 'Done')
    await press(page, 'Deny')
    await expect(page.getByRole('textbox', { name: 'Reason' })).toBeVisible()
    await checkChat(page)
    await press(page, 'Deny')
    await expect(page.getByRole('button', { name: 'Red', exact: true })).toBeVisible()
    await checkChat(page)
    await press(page, 'Red')
    await expect(page.getByRole('textbox', { name: 'Town' })).toBeVisible()
    await checkChat(page)
    await page.getByRole('textbox', { name: 'Town' }).fill('Delft')
    await press(page, 'Answer')
    await expect(replies(page).last()).toContainText('Thank you.')
    await checkChat(page)
    await page.context().setOffline(true)
    await expect(page.locator('.notices').getByText('You’re offline')).toBeVisible()
    await checkChat(page)
    await page.context().setOffline(false)
  },
)

test(
  'axe-core finds nothing: a panel, an open bubble, a long history, another tab',
  MORE,
  async ({ openChat, openPage, model }) => {
    model.enqueue(say('The newest answer.'), unfinished('Half an answer'))
    const { page } = await openChat(model, { attributes: 'placement=panel' })
    const conversationId = await page.evaluate(async () => {
      const { agent } = window as unknown as { agent: Agent }
      const history = Array.from({ length: 120 }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: `Message number ${index + 1}.`,
      }))
      const id = agent.newConversationId()
      const chat = document.querySelector('offstage-chat')
      if (chat) chat.conversationId = id
      await agent.run('The newest question', { conversationId: id, history }).result
      return id
    })
    await expect(replies(page).last()).toContainText('The newest answer.')
    await checkChat(page)
    await page.locator('offstage-chat').evaluate((element) => {
      element.setAttribute('placement', 'bubble')
    })
    await checkChat(page)
    await press(page, 'Open the assistant')
    await expect(page.getByRole('dialog', { name: 'Assistant' })).toBeVisible()
    await checkChat(page)

    await page.evaluate(
      (id) => void (window as unknown as { agent: Agent }).agent.conversation(id).send('One more'),
      conversationId,
    )
    await expect(replies(page).last()).toContainText('Half an')
    const other = await openPage({
      body: `<offstage-chat conversation-id="${conversationId}" style="height: 90vh"></offstage-chat>`,
    })
    await begin(other, model)
    await expect(other.locator('.notices').getByText('Running in another tab')).toBeVisible()
    await checkChat(other)
  },
)

test(
  'a whole task works by keyboard alone: sent, approved, edited, continued',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(order('mug'), say('It is ordered.'), say('A bowl, then.'), say('In blue it is.'))
    const { page } = await openChat(model)
    await page.evaluate(() => {
      const chat = document.querySelector<OffstageChat>('offstage-chat')
      if (chat) chat.answers = { followUps: () => ['In blue'] }
    })
    const focused = () =>
      page.evaluate(() => {
        const active = document.activeElement?.shadowRoot?.activeElement
        return active?.getAttribute('aria-label') ?? active?.textContent?.trim() ?? ''
      })
    const tabTo = async (name: string, key = 'Tab'): Promise<void> => {
      for (let presses = 0; presses < 40; presses += 1) {
        if ((await focused()) === name) return
        await page.keyboard.press(key)
      }
      throw new Error(`No way by ${key} to ${name}; the focus is on ${await focused()}.`)
    }
    await tabTo('Message')
    await page.keyboard.type('A mug')
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeEnabled()
    // A card's buttons rest for a moment after it has come.
    await expect(page.locator('.approval .buttons')).not.toHaveAttribute('inert')
    await page.keyboard.press('Alt+ArrowUp')
    expect(await focused()).toBe('Place the order')
    await tabTo('Approve')
    await page.keyboard.press('Enter')
    await expect(replies(page).last()).toContainText('It is ordered.')
    // The card's buttons are gone: the focus is in the chat still.
    expect(await focused()).not.toBe('')

    // The message is edited where it stands, by way of giving up first.
    await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeVisible()
    await tabTo('Message')
    await tabTo('Edit', 'Shift+Tab')
    await page.keyboard.press('Enter')
    const editor = page.locator('.editor').getByRole('textbox')
    await expect(editor).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(own(page)).toBeFocused()
    await tabTo('Edit')
    await page.keyboard.press('Enter')
    await expect(editor).toBeFocused()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('A bowl')
    await tabTo('Send')
    await page.keyboard.press('Enter')
    await expect(replies(page)).toContainText('A bowl, then.')
    await expect(own(page)).toBeFocused()

    await tabTo('In blue')
    await page.keyboard.press('Enter')
    await expect(replies(page).last()).toContainText('In blue it is.')
    expect(await focused()).not.toBe('')
    await tabTo('Message')
  },
)
