import type { Page } from '@playwright/test'
import type { Agent, QuestionAnswer } from '../../src/index.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'

declare global {
  interface Window {
    asking: Agent
  }
}

const fields = {
  type: 'object',
  properties: {
    email: { type: 'string', title: '<img src=x onerror="document.title=1">', format: 'email' },
    password: { type: 'string' },
    menu: { type: 'array', items: { type: 'string', enum: ['fish', 'vegan'] } },
  },
  required: ['email'],
}

/** An agent that shows the conversation, and nothing that goes on with its run. */
const show = (page: Page, baseURL: string): Promise<void> =>
  page.evaluate((url) => {
    const { createAgent } = window.offstage
    window.asking = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL: url },
      controlTools: ['ask_user'],
      questionFields: true,
    })
    window.asking.conversation('c').subscribe(() => undefined)
  }, baseURL)

const shown = (page: Page) =>
  page.evaluate(() => {
    const { status, pending, ended } = window.asking.conversation('c').getSnapshot()
    return { status, pending, ended: ended?.outcome }
  })

/** What became of an answer to the question that waits. */
const answer = (page: Page, said: QuestionAnswer | string) =>
  page.evaluate(async (given) => {
    const chat = window.asking.conversation('c')
    const [call] = chat.getSnapshot().pending
    try {
      return await chat.answer(call?.toolCallId ?? '', given)
    } catch (error) {
      const { code, details } = error as { code: string; details?: object }
      return { code, details }
    }
  }, said)

test('a question with fields waits over a reload, is answered in another tab, and checked there', async ({
  context,
  openPage,
  model,
}) => {
  model.enqueue(
    callTools([{ name: 'ask_user', input: { question: 'Who are you?', fields } }]),
    say('Booked.'),
  )
  const page = await openPage()
  await show(page, model.baseURL)
  await page.evaluate(() => void window.asking.run('A table', { conversationId: 'c' }))
  const question = { question: 'Who are you?', fields, sensitive: ['password'] }
  const waits = { status: 'waiting', pending: [{ kind: 'answer', question }] }
  await expect.poll(() => shown(page)).toMatchObject(waits)

  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await show(page, model.baseURL)
  await expect.poll(() => shown(page)).toMatchObject({ pending: waits.pending })
  const other = await context.newPage()
  await other.goto(page.url())
  await other.locator('html[data-ready]').waitFor({ state: 'attached' })
  await show(other, model.baseURL)
  await expect.poll(() => shown(other)).toMatchObject({ pending: waits.pending })

  expect(await answer(other, 'ann@example.org')).toMatchObject({ code: 'invalid-input' })
  expect(
    await answer(page, { action: 'accept', content: { email: 'ann', menu: ['meat'] } }),
  ).toEqual({
    code: 'invalid-input',
    details: {
      fields: [
        { field: 'email', problem: 'must be an e-mail address' },
        { field: 'menu', problem: 'must be one of the values that are offered' },
      ],
    },
  })
  const content = { email: 'ann@example.org', menu: ['vegan'] }
  const both = await Promise.all([
    answer(other, { action: 'accept', content }),
    answer(page, { action: 'accept', content }),
  ])
  expect(both.filter((taken) => taken === true)).toHaveLength(1)
  for (const tab of [page, other])
    await expect.poll(() => shown(tab)).toMatchObject({ pending: [], ended: 'completed' })
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('ann@example.org')
  expect(model.requests).toHaveLength(2)
})
