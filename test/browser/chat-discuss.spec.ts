import type { Locator, Page } from '@playwright/test'
import type { ShownCall } from '../../src/index.ts'
import type { OffstageChat } from '../../src/ui/chat/index.ts'
import { checkChat } from './support/axe.ts'
import { expect, replies, test, write } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { MockOpenAI, MockRequest, MockResponse } from './support/mock-openai.ts'
import { pressSettled } from './support/press-settled.ts'
import { approveIn, seeAll } from './support/see-all.ts'

// A person asks about a call that waits for approval, with the real worker and IndexedDB. A server plays the model.

const BODY = '<offstage-chat style="height: 90vh"></offstage-chat>'
const FILES = ['plan.pdf', 'notes.txt', 'invoice.pdf']
const TWO = FILES.slice(0, 2)
const SUGGESTION = { to: 'anna@example.org', attachments: TWO }

const isAsked = ({ body }: MockRequest): boolean =>
  JSON.stringify(body.messages?.[0]).includes('waits for a person')
const lastText = ({ body }: MockRequest): string => JSON.stringify(body.messages?.at(-1)?.content)

/** Answers as the model: it sends the mail, says why, suggests what it is asked for, and ends. */
function answer(request: MockRequest): MockResponse {
  const last = request.body.messages?.at(-1)
  if (!isAsked(request))
    return last?.role === 'tool'
      ? say('The mail is sent.')
      : callTools([
          { id: 'call_mail', name: 'send_mail', input: { ...SUGGESTION, attachments: FILES } },
        ])
  if (last?.role === 'tool') return say('Two attachments, then.')
  if (lastText(request).includes('Leave out'))
    return callTools([{ name: 'suggest_change', input: SUGGESTION }])
  return say('Anna asked for **all three**.')
}

/** Shows the chat of an agent that sends mails. To be called again after a reload. */
async function openDesk(page: Page, { baseURL }: MockOpenAI): Promise<void> {
  await page.evaluate(
    async ({ baseURL }) => {
      await import('/dist/chat.js' as string)
      const { createAgent, defineTool } = window.offstage
      const agent = createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
        tools: [
          defineTool({
            name: 'send_mail',
            title: 'Send a mail',
            description: 'Sends a mail.',
            needsApproval: true,
            inputSchema: {
              type: 'object',
              properties: {
                to: { type: 'string', title: 'To' },
                attachments: { type: 'array', items: { type: 'string' }, title: 'Attachments' },
              },
              required: ['to', 'attachments'],
            },
            execute: (input) => {
              localStorage['sent'] = JSON.stringify([
                ...(JSON.parse(localStorage['sent'] ?? '[]') as unknown[]),
                input,
              ])
              return 'Sent.'
            },
          }),
        ],
      })
      const chat = document.querySelector<OffstageChat>('offstage-chat')!
      chat.agent = agent
      await agent.resume()
    },
    { baseURL },
  )
}

const sent = (page: Page): Promise<unknown> =>
  page.evaluate(() => JSON.parse(localStorage['sent'] ?? '[]') as unknown)
const card = (page: Page): Locator => page.getByRole('group', { name: 'Send a mail' })
const discussion = (page: Page): Locator =>
  page.getByRole('group', { name: 'Questions about this action' })
const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' })
const use = (page: Page): Locator => page.getByRole('button', { name: 'Use it' })

/** Scrolls to the end as a person does, so that the chat stays there while the card grows, and uses the suggestion. */
async function useSuggestion(page: Page): Promise<void> {
  await expect(async () => {
    await page.getByRole('log').hover({ position: { x: 20, y: 20 } })
    await page.mouse.wheel(0, 5000)
    await expect(use(page)).toBeInViewport({ ratio: 1, timeout: 1000 })
  }).toPass()
  await pressSettled(use(page))
}

async function reload(page: Page, model: MockOpenAI): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await openDesk(page, model)
  await expect(card(page)).toBeVisible()
}

/** Opens a page with the desk, whose model answers as above. */
async function startDesk(
  openPage: (options: { readonly body: string }) => Promise<Page>,
  model: MockOpenAI,
): Promise<Page> {
  model.respond = answer
  const page = await openPage({ body: BODY })
  await openDesk(page, model)
  return page
}

test('a person asks about a waiting call, uses a suggested change, and approves it, with a reload after each step', async ({
  openPage,
  model,
}) => {
  const page = await startDesk(openPage, model)
  await write(page, 'Mail the plan to Anna')
  await expect(card(page)).toBeVisible()
  await reload(page, model)

  await expect(composer(page)).toHaveAttribute('placeholder', 'Ask about “Send a mail”…')
  await write(page, 'Why three attachments?')
  await expect(discussion(page)).toContainText('Anna asked for all three.')
  await expect(discussion(page).locator('strong')).toHaveText('all three')
  await expect(card(page)).toContainText('invoice.pdf')
  await expect(approveIn(card(page))).toBeVisible()
  expect(await sent(page)).toEqual([])
  await reload(page, model)

  await expect(discussion(page)).toContainText('Why three attachments?')
  await write(page, 'Leave out the invoice')
  await expect(discussion(page)).toContainText('Two attachments, then.')
  await expect(discussion(page).locator('del')).toHaveText('invoice.pdf')
  await expect(card(page).locator('.asked')).toContainText('invoice.pdf')
  await checkChat(page)
  await reload(page, model)

  await expect(discussion(page).locator('del')).toHaveText('invoice.pdf')
  await useSuggestion(page)
  await expect(card(page).locator('.asked')).not.toContainText('invoice.pdf')
  await expect(discussion(page)).toContainText('In use')
  expect(await sent(page)).toEqual([])
  await reload(page, model)

  await expect(discussion(page)).toContainText('In use')
  await expect(card(page).locator('.asked')).not.toContainText('invoice.pdf')
  await seeAll(card(page))
  await pressSettled(approveIn(card(page)))
  await expect(replies(page).last()).toContainText('The mail is sent.')
  expect(await sent(page)).toEqual([SUGGESTION])
  // The model that goes on has the discussion, in the result of its call.
  const result = lastText(model.requests.at(-1)!)
  expect(result).toContain('Why three attachments?')
  expect(result).toContain('Leave out the invoice')
  expect(result).toContain('changed the input')
})

test('a script can neither use a suggestion nor be the person who approves it', async ({
  openPage,
  model,
}) => {
  const page = await startDesk(openPage, model)
  await write(page, 'Mail the plan to Anna')
  await expect(card(page)).toBeVisible()
  await write(page, 'Leave out the invoice')
  await expect(use(page)).toBeVisible()
  await page.evaluate(() => {
    const root = document.querySelector('offstage-chat')?.shadowRoot
    for (const button of root?.querySelectorAll<HTMLButtonElement>('.suggested button') ?? [])
      button.click()
  })
  await expect(discussion(page)).toContainText('Two attachments, then.')
  await expect(use(page)).toBeVisible()
  await expect(card(page).locator('.asked')).toContainText('invoice.pdf')
})

test('another tab shows the discussion, and a call that is approved there ends it here', async ({
  openPage,
  model,
  context,
}) => {
  const page = await startDesk(openPage, model)
  await write(page, 'Mail the plan to Anna')
  await expect(card(page)).toBeVisible()
  await write(page, 'Why three attachments?')
  await expect(discussion(page)).toContainText('Anna asked for all three.')
  const other = await context.newPage()
  await other.goto(page.url())
  await other.locator('html[data-ready]').waitFor({ state: 'attached' })
  await openDesk(other, model)
  await other.evaluate(async () => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')!
    const [newest] = (await chat.agent?.conversations.list()) ?? []
    chat.setAttribute('conversation-id', newest?.conversationId ?? '')
  })
  await expect(discussion(other)).toContainText('Why three attachments?')
  await seeAll(card(other))
  await pressSettled(approveIn(card(other)))
  await expect(replies(page).last()).toContainText('The mail is sent.')
  await expect(discussion(page)).toHaveCount(0)
  expect(await sent(page)).toHaveLength(1)
})

test('a suggestion reaches a card of the page by its own controls, whose approval sends it', async ({
  openPage,
  model,
}) => {
  const page = await startDesk(openPage, model)
  await page.evaluate(() => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')!
    chat.renderers = {
      send_mail: (call, { container }) => {
        container.innerHTML = '<input aria-label="Attachments"><button>Send it</button>'
        const [field] = container.getElementsByTagName('input')
        const suggest = (input: unknown): void => {
          field!.value = (input as { attachments: string[] }).attachments.join(' ')
        }
        const update = ({ input }: ShownCall): void => void (input && suggest(input))
        update(call)
        container.querySelector('button')!.addEventListener('click', () => {
          const attachments = field!.value.split(' ')
          void chat.agent!.approve(call, { input: { to: 'anna@example.org', attachments } })
        })
        return { answers: true, update, suggest }
      },
    }
  })
  await write(page, 'Mail the plan to Anna')
  const field = page.getByLabel('Attachments')
  await expect(field).toHaveValue(FILES.join(' '))
  await write(page, 'Leave out the invoice')
  await expect(discussion(page)).toContainText('Two attachments, then.')
  await expect(approveIn(card(page))).toHaveCount(0)
  await useSuggestion(page)
  await expect(field).toHaveValue(TWO.join(' '))
  expect(await sent(page)).toEqual([])
  await pressSettled(page.getByRole('button', { name: 'Send it' }))
  await expect(replies(page).last()).toContainText('The mail is sent.')
  expect(await sent(page)).toEqual([SUGGESTION])
})
