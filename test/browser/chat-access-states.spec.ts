import type { OffstageChat } from '../../src/ui/chat/index.ts'
import { type StateName, STATES } from '../../src/ui/chat/parts/states.ts'
import type { Agent } from '../../src/index.ts'
import { checkChat } from './support/axe.ts'
import { expect, own, press, replies, test, unfinished } from './support/chat-page.ts'
import { play, SCREENSHOTS, takePictures } from './support/chat-scenes.ts'
import { callTools, say } from './support/mock-answers.ts'
import { inSlice, MORE } from './support/more.ts'

// Runs axe-core on the states of the chat that chat-access.spec.ts doesn't cover.

for (const name of Object.keys(STATES) as StateName[])
  test(
    `axe-core finds nothing in the state ${name}`,
    inSlice(name === 'not-kept'),
    async ({ openChat, model, site, browser }) => {
      const ends: (() => Promise<unknown>)[] = []
      const page = await play(name, {
        open: (options) => openChat(model, { attributes: 'placement=panel', ...options }),
        model,
        site,
        browser,
        onEnd: (act) => void ends.push(act),
      })
      if (SCREENSHOTS) await takePictures(page, name)
      else await checkChat(page)
      for (const end of ends) await end()
    },
  )

test(
  'axe-core finds nothing: an edited message with versions, follow-ups, sources, an attachment',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('Mugs are in.'), say('Bowls are in.'))
    const { page, send } = await openChat(model)
    await page.evaluate(() => {
      const chat = document.querySelector<OffstageChat>('offstage-chat')
      if (!chat) return
      chat.answers = {
        followUps: () => ['And bowls?', 'And cups?'],
        sources: () => [{ title: 'Terms', url: 'https://shop.test/terms' }, { title: 'A shelf' }],
        actions: [{ label: 'Pin', act: () => {} }],
      }
    })
    await page.locator('offstage-chat input[type=file]').setInputFiles({
      name: 'list.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('mugs'),
    })
    await expect(page.getByRole('button', { name: 'Remove list.txt' })).toBeVisible()
    await checkChat(page)
    await send('Mugs')
    await expect(page.getByRole('button', { name: 'And bowls?' })).toBeVisible()
    await replies(page).locator('.sources summary').click()
    await checkChat(page)
    await press(page, 'Edit')
    await expect(page.locator('.editor')).toBeVisible()
    await checkChat(page)
    await page.locator('.editor').getByRole('textbox').fill('Bowls')
    await page.locator('.editor').getByRole('button', { name: 'Send' }).click()
    await expect(own(page).getByRole('button', { name: 'Previous version' })).toBeVisible()
    await expect(replies(page)).toContainText('Bowls are in.')
    await checkChat(page)
  },
)

test(
  'axe-core finds nothing: several calls on one card, queued messages, consents, finished calls',
  MORE,
  async ({ openChat, model }) => {
    const plan = [
      { content: 'Look', status: 'done' },
      { content: 'Order', status: 'in-progress' },
    ]
    model.enqueue(
      callTools([{ name: 'plan', input: { items: plan } }]),
      callTools(['mug', 'bowl'].map((sku) => ({ name: 'order', input: { sku } }))),
      callTools([1, 2, 3].map(() => ({ name: 'read_reviews', input: {} }))),
      say('Done.'),
    )
    const { page, send } = await openChat(model)
    await send('A mug and a bowl')
    const card = page.getByRole('group', { name: 'Waiting for you: 2' })
    await expect(card).toBeVisible()
    await send('In blue')
    await expect(page.getByRole('list', { name: 'Queued' })).toContainText('In blue')
    await checkChat(page)
    await press(page, 'Approve all')
    await expect(replies(page).last()).toContainText('Done.')
    await page.locator('.call.done summary').first().click()
    await page.locator('.calls summary').first().click()
    await page.locator('details[part=taint] summary').click()
    await checkChat(page)
    await press(page, 'Conversations')
    await page
      .getByRole('button', { name: /^Rename/ })
      .first()
      .click()
    await checkChat(page)
    await page
      .getByRole('button', { name: /^Delete/ })
      .first()
      .click()
    await expect(page.getByText('Deleted.')).toBeVisible()
    await checkChat(page)
  },
)

test(
  'axe-core finds nothing: a running call, an unknown outcome, a disposed agent',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(callTools([{ name: 'slow', input: { sku: 'mug' } }]), unfinished('One and more'))
    const { page, send, again } = await openChat(model)
    const slow = `window.agent.registerTool(window.offstage.defineTool({
    name: 'slow', title: 'Work slowly', description: 'Works.',
    inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
    execute: (_input, { progress }) => { progress(0.5); return new Promise(() => {}) },
  }))`
    await page.evaluate(slow)
    await send('Go')
    const card = page.getByRole('group', { name: 'Work slowly' })
    await expect(card).toContainText('Running')
    await expect(card.getByRole('progressbar')).toBeVisible()
    await checkChat(page)
    await again()
    await page.evaluate(slow)
    await expect(card).toContainText('It may or may not have taken effect')
    await checkChat(page)
    await press(page, 'It happened')
    await expect(replies(page).last()).toContainText('One')
    await page.evaluate(() => (window as unknown as { agent: Agent }).agent.dispose())
    await expect(
      page.locator('.notices').getByText('This chat was closed by the page'),
    ).toBeVisible()
    await checkChat(page)
  },
)
