import type { Page } from '@playwright/test'
import type { Agent, Conversation } from '../../src/index.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

declare global {
  interface Window {
    order: { readonly agent: Agent; readonly talk: Conversation }
  }
}

/** Opens the conversation; what ran outlives the page. `holds`: the step of that name never ends here. */
async function open(page: Page, { holds = '', run = false } = {}): Promise<void> {
  await page.evaluate(
    async (given) => {
      const { createAgent, defineTool } = window.offstage
      const note = (name: string): void => {
        const ran = JSON.parse(localStorage.getItem('ran') ?? '[]') as string[]
        localStorage.setItem('ran', JSON.stringify([...ran, name]))
      }
      const tool = (name: string, needsApproval = false) =>
        defineTool({
          name,
          description: name,
          inputSchema: { type: 'object' },
          needsApproval,
          execute: (input) => {
            note(name)
            return { [name]: input }
          },
        })
      const order = defineTool({
        name: 'order',
        description: 'Orders.',
        run: async (_input, { call, step, random }) => {
          const key = random()
          await call('find', { q: 'mug' })
          await step('count', () => {
            note('count')
            return given.holds === 'count' ? new Promise<never>(() => undefined) : 1
          })
          const [one, other] = await Promise.all([
            call('reserve', { n: 1 }),
            call('reserve', { n: 2 }),
          ])
          const paid = await call('pay', { key })
          return { one, other, paid }
        },
      })
      const agent = createAgent({
        model: {
          provider: 'scripted',
          model: 'scripted',
          script: {
            steps: [{ toolCalls: [{ toolName: 'order', input: {} }] }, { text: 'It is ordered.' }],
          },
        },
        tools: [tool('find'), tool('reserve'), tool('pay', true), order],
      })
      const talk = agent.conversation('shop')
      talk.subscribe(() => undefined)
      window.order = { agent, talk }
      if (given.run) agent.run('A mug, please', { conversationId: 'shop' })
      else await agent.resume('shop')
    },
    { holds, run },
  )
}

const ran = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('ran') ?? '[]') as string[])

const pending = (page: Page) =>
  page.evaluate(() => window.order.talk.getSnapshot().pending.map(({ toolName }) => toolName))

const calls = (page: Page) =>
  page.evaluate(() =>
    window.order.talk
      .getSnapshot()
      .messages.flatMap((message) => message.calls ?? [])
      .map(({ toolName, status }) => `${toolName} ${status}`),
  )

const approve = (page: Page) =>
  page.evaluate(() => {
    const { talk } = window.order
    const [call] = talk.getSnapshot().pending
    return call ? talk.approve(call) : false
  })

const DONE = [
  'order succeeded',
  'find succeeded',
  'reserve succeeded',
  'reserve succeeded',
  'pay succeeded',
]

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
}

test(
  'a composite tool resumes after reloads during a step and during an approval',
  MORE,
  async ({ openPage }) => {
    const page = await openPage()
    await open(page, { holds: 'count', run: true })
    await expect.poll(() => ran(page)).toEqual(['find', 'count'])
    await reload(page)
    await open(page)
    await expect.poll(() => pending(page)).toEqual(['pay'])
    // The step had no outcome yet; the call before it had.
    expect(await ran(page)).toEqual(['find', 'count', 'count', 'reserve', 'reserve'])
    await reload(page)
    await open(page)
    await expect.poll(() => pending(page)).toEqual(['pay'])
    expect(await calls(page)).toEqual([
      'order suspended',
      'find succeeded',
      'reserve succeeded',
      'reserve succeeded',
      'pay awaiting-approval',
    ])
    expect(await approve(page)).toBe(true)
    await expect.poll(() => calls(page)).toEqual(DONE)
    expect(await ran(page)).toEqual(['find', 'count', 'count', 'reserve', 'reserve', 'pay'])
  },
)

test("any tab answers a composite tool's question, and only one of two answers counts", async ({
  openPage,
}) => {
  const one = await openPage()
  await open(one, { run: true })
  await expect.poll(() => pending(one)).toEqual(['pay'])
  const other = await openPage()
  await open(other)
  await expect.poll(() => pending(other)).toEqual(['pay'])
  const answers = await Promise.all([approve(one), approve(other)])
  expect(answers.toSorted()).toEqual([false, true])
  await expect.poll(() => calls(one)).toEqual(DONE)
  await expect.poll(() => calls(other)).toEqual(DONE)
  expect(await ran(one)).toEqual(['find', 'count', 'reserve', 'reserve', 'pay'])
})
