import { chromium, type Browser, type Page } from '@playwright/test'
import { callTools, say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'
import { readDraft } from './support/read-draft.ts'
import { processOf } from './support/process-of.ts'
import { expect, test as base } from './support/test.ts'

// Runs must survive what browsers do to pages: killing, freezing and throttling them, or changing their clocks.

const test = base.extend<{ ownBrowser: Browser }>({
  ownBrowser: async ({ launchOptions }, use) => {
    const browser = await chromium.launch(launchOptions)
    await use(browser)
    await browser.close()
  },
})

type Agent = ReturnType<typeof window.offstage.createAgent>

interface Shown {
  agent: Agent
  result?: unknown
}

/** An agent at `window.agent` that shows the conversation `c`; its tool answers when the page says so. */
async function mount(page: Page, baseURL: string): Promise<void> {
  await page.evaluate((address) => {
    const agent = window.offstage.createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL: address },
      tools: [
        {
          name: 'pay',
          description: 'Pays.',
          annotations: { destructive: true },
          execute: () => {
            document.body.dataset['paid'] = String(Number(document.body.dataset['paid'] ?? 0) + 1)
            return 'paid'
          },
        },
      ],
    })
    agent.conversation('c').subscribe(() => undefined)
    Object.assign(window, { agent })
  }, baseURL)
}

async function begin(page: Page): Promise<void> {
  await page.evaluate(() => {
    const own = window as unknown as Shown
    const run = own.agent.run('Tell me', { conversationId: 'c' })
    void run.result.then((result) => (own.result = result))
  })
}

const snapshot = (page: Page) =>
  page.evaluate(() => (window as unknown as Shown).agent.conversation('c').getSnapshot())

const resultOf = (page: Page) => page.evaluate(() => (window as unknown as Shown).result)

async function crash(page: Page): Promise<void> {
  const crashed = new Promise((resolve) => page.once('crash', resolve))
  const session = await page.context().newCDPSession(page)
  void session.send('Page.crash').catch(() => undefined)
  await crashed
}

const begun = (text: string) =>
  ({ pieces: (say(text).pieces ?? []).slice(0, -1), end: 'hang' }) as const

test('F19 after a renderer crash during an answer, its text is shown as partial, and never sent', async ({
  openPage,
  context,
  model,
}) => {
  model.enqueue(begun('Once upon a time'), say('The whole tale.'))
  const page = await openPage({ context })
  await mount(page, model.baseURL)
  await begin(page)
  // The step is stored: looking for it makes no database.
  await expect.poll(() => model.requests.length).toBe(1)
  const written = async () => (await page.evaluate(readDraft))?.parts[0]?.text
  await expect.poll(written).toContain('Once')
  const kept = (await written()) ?? ''
  await crash(page)

  const next = await openPage({ context })
  await mount(next, model.baseURL)
  await expect
    .poll(async () => (await snapshot(next)).messages)
    .toMatchObject([
      { role: 'user' },
      { role: 'assistant', partial: true, parts: [{ type: 'text', text: kept }] },
    ])
  expect((await snapshot(next)).status).toBe('idle')

  const result = await next.evaluate(
    async () => (await (window as unknown as Shown).agent.resume('c'))?.result,
  )
  expect(result).toMatchObject({ outcome: 'completed', text: 'The whole tale.' })
  expect(JSON.stringify(model.requests[1]?.body.messages)).not.toContain('Once')
  expect((await snapshot(next)).messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', parts: [{ text: 'The whole tale.' }] },
  ])
  expect(await next.evaluate(readDraft)).toBeUndefined()
})

test(
  'F21 a page frozen during an answer continues when it thaws',
  MORE,
  async ({ openPage, model }) => {
    const { pieces = [] } = say('One two three.')
    model.enqueue({ pieces: [...pieces.slice(0, 1), { waitMs: 4000 }, ...pieces.slice(1)] })
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page)
    await expect.poll(() => model.requests.length).toBe(1)
    const session = await page.context().newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await new Promise((resolve) => setTimeout(resolve, 5000))
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    await expect
      .poll(() => resultOf(page))
      .toMatchObject({
        outcome: 'completed',
        text: 'One two three.',
      })
    expect(model.requests).toHaveLength(1)
  },
)

test(
  'F21 a renderer stopped longer than the worker timeout loses neither worker nor run',
  MORE,
  async ({ ownBrowser, openPage, model }) => {
    const { pieces = [] } = say('One two three.')
    model.enqueue({ pieces: [...pieces.slice(0, 1), { waitMs: 3000 }, ...pieces.slice(1)] })
    const page = await openPage({ context: await ownBrowser.newContext() })
    await mount(page, model.baseURL)
    await page.evaluate(() => {
      const states: string[] = []
      const { agent } = window as unknown as Shown
      agent.on('worker', ({ state }) => states.push(state))
      Object.assign(window, { states })
    })
    await begin(page)
    await expect.poll(() => model.requests.length).toBe(1)
    const pid = await processOf(page, ownBrowser)
    process.kill(pid, 'SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 15_000))
    process.kill(pid, 'SIGCONT')
    await expect
      .poll(() => resultOf(page))
      .toMatchObject({
        outcome: 'completed',
        text: 'One two three.',
      })
    expect(
      await page.evaluate(() => (window as unknown as { states: string[] }).states),
    ).not.toContain('lost')
  },
)

/** Sets the wall clock of a page and its worker: what they read by `Date`. */
async function shiftClock(page: Page, hours: number): Promise<void> {
  const shift = `{
    const { now } = Date
    const ahead = ${hours * 3_600_000}
    Date.now = () => now.call(Date) + ahead
  }`
  await page.evaluate(shift)
  const [worker] = page.workers()
  await worker?.evaluate(shift)
}

for (const hours of [1, -1]) {
  test(
    `F21 the run continues when the clock is set ${hours > 0 ? 'forward' : 'back'} an hour during an approval`,
    MORE,
    async ({ openPage, model }) => {
      model.enqueue(callTools([{ name: 'pay', input: {} }]), say('Paid.'))
      const page = await openPage()
      await mount(page, model.baseURL)
      await begin(page)
      await expect.poll(async () => (await snapshot(page)).pending.length).toBe(1)
      await shiftClock(page, hours)
      const isTaken = await page.evaluate(() => {
        const { agent } = window as unknown as Shown
        const [call] = agent.conversation('c').getSnapshot().pending
        return agent.conversation('c').approve(call?.toolCallId ?? '')
      })
      expect(isTaken).toBe(true)
      await expect.poll(() => resultOf(page)).toMatchObject({ outcome: 'completed', text: 'Paid.' })
      expect(await page.evaluate(() => document.body.dataset['paid'])).toBe('1')
    },
  )
}
