import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type * as axe from 'axe-core'
import type { Agent } from '../../src/index.ts'
import { begin, expect, order, press, replies, test, unfinished } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'

// What axe-core finds in each state of the element, in light and dark; and a whole task by keys alone.

declare global {
  interface Window {
    axe: typeof axe
  }
}

const script = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The rules that the element breaks, each with the first place. The page around it is the test's own. */
async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(script)
  return page.evaluate(async (tags) => {
    const { violations } = await window.axe.run('offstage-chat', {
      runOnly: { type: 'tag', values: tags },
      resultTypes: ['violations'],
    })
    return violations.map(
      ({ id, nodes }) => `${id}: ${String(nodes[0]?.target)} ${nodes[0]?.failureSummary ?? ''}`,
    )
  }, TAGS)
}

async function check(page: Page): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page
      .locator('offstage-chat')
      .evaluate((element, value) => element.setAttribute('theme', value), theme)
    expect(await findings(page), theme).toEqual([])
  }
}

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
  await check(page)
  await send('Tell me')
  await expect(replies(page).locator('table')).toBeVisible()
  await check(page)
  await press(page, 'Stop')
  await expect(replies(page)).toContainText('Stopped here.')
  await check(page)
  await send('Again')
  await expect(replies(page).last()).toContainText('Done.')
  await check(page)
  await send('Once more')
  await expect(page.getByRole('alert')).toContainText('No such model')
  await check(page)
  await press(page, 'Conversations')
  await expect(page.getByRole('region', { name: 'Conversations' })).toBeVisible()
  await check(page)
})

test('axe-core finds nothing: approval, edited, denied, question, form, words of others, offline', async ({
  openChat,
  model,
}) => {
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
  await check(page)
  await press(page, 'Edit the input')
  await page.getByRole('textbox', { name: 'Input' }).fill('{')
  await check(page)
  await press(page, 'Deny')
  await expect(page.getByRole('textbox', { name: 'Reason' })).toBeVisible()
  await check(page)
  await press(page, 'Deny')
  await expect(page.getByRole('button', { name: 'Red', exact: true })).toBeVisible()
  await check(page)
  await press(page, 'Red')
  await expect(page.getByRole('textbox', { name: 'Town' })).toBeVisible()
  await check(page)
  await page.getByRole('textbox', { name: 'Town' }).fill('Delft')
  await press(page, 'Answer')
  await expect(replies(page).last()).toContainText('Thank you.')
  await check(page)
  await page.context().setOffline(true)
  await expect(page.getByText('You are offline.')).toBeVisible()
  await check(page)
  await page.context().setOffline(false)
})

test('axe-core finds nothing: a panel, an open bubble, a long history, another tab', async ({
  openChat,
  openPage,
  model,
}) => {
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
  await check(page)
  await page.locator('offstage-chat').evaluate((element) => {
    element.setAttribute('placement', 'bubble')
  })
  await check(page)
  await press(page, 'Open the assistant')
  await expect(page.getByRole('dialog', { name: 'Assistant' })).toBeVisible()
  await check(page)

  await page.evaluate(
    (id) => void (window as unknown as { agent: Agent }).agent.conversation(id).send('One more'),
    conversationId,
  )
  await expect(replies(page).last()).toContainText('Half an')
  const other = await openPage({
    body: `<offstage-chat conversation-id="${conversationId}" style="height: 90vh"></offstage-chat>`,
  })
  await begin(other, model)
  await expect(other.getByText('Another tab works on this.')).toBeVisible()
  await check(other)
})

test('a whole task by keys alone', async ({ openChat, model }) => {
  model.enqueue(order('mug'), say('It is ordered.'))
  const { page } = await openChat(model)
  const focused = () =>
    page.evaluate(() => {
      const active = document.activeElement?.shadowRoot?.activeElement
      return active?.getAttribute('aria-label') ?? active?.textContent?.trim() ?? ''
    })
  const tabTo = async (name: string): Promise<void> => {
    for (let presses = 0; presses < 40; presses += 1) {
      if ((await focused()) === name) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`No way by Tab to ${name}; the focus is on ${await focused()}.`)
  }
  await tabTo('Message')
  await page.keyboard.type('A mug')
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeEnabled()
  // Its buttons rest for a moment after the card has come.
  await expect(page.locator('.approval .buttons')).not.toHaveAttribute('inert')
  await page.keyboard.press('Alt+ArrowUp')
  expect(await focused()).toBe('Place the order')
  await tabTo('Approve')
  await page.keyboard.press('Enter')
  await expect(replies(page).last()).toContainText('It is ordered.')
  // The card's buttons are gone: the focus is in the chat still.
  expect(await focused()).not.toBe('')
  await tabTo('Message')
})
