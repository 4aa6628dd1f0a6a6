import type { Agent } from '../../src/index.ts'
import { begin, expect, order, own, press, replies, test, unfinished } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'

// Messages of the chat, and text that it keeps, when a user's action is refused.

test(
  'an edit refused because of another tab stays open with its text and the reason',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('One.'), unfinished('Two and more'))
    const { page, send } = await openChat(model)
    await send('First')
    await expect(replies(page)).toContainText('One.')
    await press(page, 'Edit')
    const editor = page.locator('.editor')
    await editor.getByRole('textbox').fill('First, edited at length')

    const id = await page.evaluate(
      () => document.querySelector('offstage-chat')?.conversationId ?? '',
    )
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.locator('html[data-ready]').waitFor({ state: 'attached' })
    await other.evaluate((conversationId) => {
      document.querySelector('offstage-chat')?.setAttribute('conversation-id', conversationId)
    }, id)
    await begin(other, model)
    await expect(replies(other)).toContainText('One.')
    await other.getByRole('textbox', { name: 'Message' }).fill('Second')
    await other.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(replies(other).last()).toContainText('Two')

    await page.locator('.editor').getByRole('button', { name: 'Send' }).click()
    await expect(editor.getByRole('alert')).toContainText('Your message wasn’t sent.')
    await expect(editor.getByRole('textbox')).toHaveValue('First, edited at length')
    await other.getByRole('button', { name: 'Stop' }).click()
    await expect(replies(page).last()).toContainText('Stopped')
    await expect(editor.getByRole('textbox')).toHaveValue('First, edited at length')
    model.enqueue(say('Three.'))
    await page.locator('.editor').getByRole('button', { name: 'Send' }).click()
    await expect(replies(page).last()).toContainText('Three.')
    await expect(own(page)).toContainText('First, edited at length')
  },
)

test('take over asks for the outcome of a call that the other tab was running', async ({
  openChat,
  model,
}) => {
  model.enqueue(callTools([{ name: 'slow', input: {} }]), say('So it is.'))
  const { page, send } = await openChat(model)
  const slow = `window.agent.registerTool(window.offstage.defineTool({
    name: 'slow', title: 'Work slowly', description: 'Works.', execute: () => new Promise(() => {}),
  }))`
  await page.evaluate(slow)
  await send('Go')
  await expect(page.getByRole('group', { name: 'Work slowly' })).toContainText('Running')
  const id = await page.evaluate(
    () => document.querySelector('offstage-chat')?.conversationId ?? '',
  )
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.locator('html[data-ready]').waitFor({ state: 'attached' })
  await other.evaluate((conversationId) => {
    document.querySelector('offstage-chat')?.setAttribute('conversation-id', conversationId)
  }, id)
  await begin(other, model)
  await other.evaluate(slow)
  await other.getByRole('button', { name: 'Take over' }).click()
  const card = other.getByRole('group', { name: 'Work slowly' })
  await expect(card).toContainText('It may or may not have taken effect')
  await press(other, 'It happened')
  await expect(replies(other).last()).toContainText('So it is.')
})

test(
  'a message sent after the agent was disposed of stays in the input, without "Stopped"',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(unfinished('One and more'))
    const { page, send } = await openChat(model)
    await send('First')
    await expect(replies(page)).toContainText('One')
    await page.evaluate(() => (window as unknown as { agent: Agent }).agent.dispose())
    await expect(page.getByRole('log')).toHaveAttribute('aria-busy', 'false')
    await send('Second')
    await expect(page.locator('.composer').getByRole('alert')).toContainText(
      'The assistant was closed',
    )
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Second')
    expect(await page.locator('.announcements').allInnerTexts()).not.toContain('Stopped')
  },
)

test("a disposed agent's open calls stay in view, and cannot be answered", async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'), say('It is ordered.'), unfinished('Half of an **answer**'))
  const { page, send, again } = await openChat(model)
  const letGo = () => page.evaluate(() => (window as unknown as { agent: Agent }).agent.dispose())
  await send('A mug')
  const card = page.getByRole('group', { name: 'Place the order' })
  await expect(card).toContainText('Waiting for you')
  await letGo()
  await expect(card).toContainText('Unfinished')
  await expect(card).not.toContainText('Waiting for you')
  await expect(card.getByRole('button')).toHaveCount(0)
  await expect(page.getByRole('status')).toContainText('This chat was closed by the page')
  await again()
  await press(page, 'Approve')
  await expect(replies(page).last()).toContainText('It is ordered.')
  await expect(page.locator('.notices').getByText('This chat was closed by the page')).toHaveCount(
    0,
  )

  await send('Tell me')
  await expect(replies(page).last().locator('strong')).toHaveText('answer')
  await letGo()
  await expect(page.locator('.notices').getByText('This chat was closed by the page')).toBeVisible()
  await expect(page.getByRole('log')).toHaveAttribute('aria-busy', 'false')
  await expect(replies(page).last().locator('strong')).toHaveText('answer')
  await expect(page.getByRole('log')).not.toContainText('Stopped')
})

test(
  'a message edit survives a reload, and can then be sent',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('One.'), say('Two.'))
    const { page, send, again } = await openChat(model)
    await send('First')
    await expect(replies(page)).toContainText('One.')
    await press(page, 'Edit')
    const editor = page.locator('.editor').getByRole('textbox')
    await expect(editor).toBeFocused()
    await editor.fill('First, edited at')
    await again()
    await expect(editor).toHaveValue('First, edited at')
    // Nobody has asked for it: who writes elsewhere is not taken away.
    await expect(editor).not.toBeFocused()
    await editor.fill('First, edited at length')
    await page.locator('.editor').getByRole('button', { name: 'Send' }).click()
    await expect(replies(page)).toContainText('Two.')
    await expect(own(page)).toContainText('First, edited at length')
    await again()
    await expect(own(page)).toContainText('First, edited at length')
    await expect(editor).toHaveCount(0)
  },
)

test(
  'after a reload, answers are not announced again, and waiting runs are not called interrupted',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('One.'), order('mug'), say('It is ordered.'))
    const { page, send, again } = await openChat(model)
    await send('First')
    await expect(replies(page)).toContainText('One.')
    await send('A mug')
    await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible()
    await again()
    await press(page, 'Approve')
    await expect(replies(page).last()).toContainText('It is ordered.')
    await expect(page.locator('.announcements p').last()).toHaveText('Done')
    const texts = await page.locator('.announcements p').allTextContents()
    expect(texts.filter((text) => text !== 'Thinking…')).toEqual(['It is ordered.', 'Done'])
    await expect(page.locator('.notices').getByText('Interrupted – resuming…')).toHaveCount(0)
  },
)

test(
  'when another page deletes the conversation, the chat reports it and starts a new one',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('One.'), say('Two.'))
    const { page, send } = await openChat(model)
    await send('First')
    await expect(replies(page)).toContainText('One.')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.locator('html[data-ready]').waitFor({ state: 'attached' })
    await begin(other, model)
    await other.evaluate(() => (window as unknown as { agent: Agent }).agent.conversations.wipe())
    await expect(page.getByRole('status')).toContainText(
      'This conversation was deleted in another tab',
    )
    await send('Second')
    await expect(replies(page)).toContainText('Two.')
    await expect(
      page.locator('.notices').getByText('This conversation was deleted in another tab'),
    ).toHaveCount(0)
  },
)

test(
  'a file is attached to its own conversation, and a message waits until it is read',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('Read.'))
    const { page, send } = await openChat(model)
    await page.evaluate(() => {
      const read = FileReader.prototype.readAsDataURL
      const held: (() => void)[] = []
      FileReader.prototype.readAsDataURL = function (file) {
        held.push(() => read.call(this, file))
      }
      Object.assign(window, { release: () => held.splice(0).forEach((go) => go()) })
    })
    const first = await page.evaluate(() => document.querySelector('offstage-chat')?.conversationId)
    await page.locator('offstage-chat input[type=file]').setInputFiles({
      name: 'list.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('mugs'),
    })
    const prompt = page.getByRole('textbox', { name: 'Message' })
    await prompt.fill('Read this')
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
    await prompt.press('Enter')
    await expect(prompt).toHaveValue('Read this')
    await press(page, 'New conversation')
    await page.evaluate(() => (window as unknown as { release: () => void }).release())
    await prompt.fill('Nothing is attached')
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
    await expect(page.getByRole('button', { name: 'Remove list.txt' })).toHaveCount(0)
    await page.evaluate((conversationId) => {
      const chat = document.querySelector('offstage-chat')
      if (chat && conversationId) chat.conversationId = conversationId
    }, first)
    await expect(page.getByRole('button', { name: 'Remove list.txt' })).toBeVisible()
    await send('Read this')
    await expect(replies(page)).toContainText('Read.')
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain('list.txt')
  },
)
