import type { Page } from '@playwright/test'
import type { Agent, RunResult } from '../../src/index.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

declare global {
  interface Window {
    family: {
      readonly boss: Agent
      readonly expert: Agent
      result?: RunResult | undefined
      /** Executions of `pay` on this page. */
      paid: number
    }
  }
}

/** Both agents, as the page makes them with each load. */
function mount(page: Page, baseURL: string, { steps = 0, isAlone = false } = {}): Promise<void> {
  const given = { url: baseURL, steps, isAlone }
  return page.evaluate(({ url, steps: limit, isAlone: hasNoExpert }) => {
    const { createAgent, defineTool } = window.offstage
    const model = { provider: 'openai-compatible', model: 'mock', baseURL: url } as const
    const expert = createAgent({
      model,
      instructions: 'You are the expert.',
      tools: [
        defineTool({
          name: 'pay',
          description: 'Pays.',
          needsApproval: true,
          execute: () => `paid ${++window.family.paid}`,
        }),
      ],
    })
    const boss = createAgent({
      model,
      instructions: 'You are the boss.',
      tools: hasNoExpert ? [] : [expert.asTool({ name: 'ask_expert', description: 'Knows all.' })],
      ...(limit > 0 && { limits: { steps: limit } }),
    })
    window.family = { boss, expert, paid: 0 }
    boss.conversation('talk').subscribe(() => undefined)
  }, given)
}

const pending = (page: Page) =>
  page.evaluate(() => window.family.boss.conversation('talk').getSnapshot().pending)

const approve = (page: Page) =>
  page.evaluate(async () => {
    const { boss } = window.family
    const [call] = boss.conversation('talk').getSnapshot().pending
    return call !== undefined && boss.approve(call)
  })

const result = (page: Page) => page.evaluate(() => window.family.result ?? null)

async function begin(page: Page): Promise<void> {
  await page.evaluate(() => {
    const run = window.family.boss.run('Pay the bill', { conversationId: 'talk' })
    void run.result.then((ended) => (window.family.result = ended))
  })
}

test("a sub-agent's approval is answered after a reload, and its answer is returned", async ({
  openPage,
  model,
}) => {
  model.enqueue(
    callTools([{ name: 'ask_expert', input: { prompt: 'Pay it.' } }]),
    callTools([{ name: 'pay', input: {}, id: 'pay_1' }]),
    say('It is paid.'),
    say('The bill is paid.'),
  )
  const page = await openPage()
  await mount(page, model.baseURL)
  await begin(page)
  await expect.poll(() => pending(page)).toMatchObject([{ toolName: 'pay', kind: 'approval' }])

  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await mount(page, model.baseURL)
  await page.evaluate(async () => {
    const run = await window.family.boss.resume('talk')
    void run?.result.then((ended) => (window.family.result = ended))
  })
  await expect.poll(() => pending(page)).toMatchObject([{ toolName: 'pay', kind: 'approval' }])
  await expect.poll(() => approve(page)).toBe(true)
  await expect
    .poll(() => result(page))
    .toMatchObject({
      outcome: 'completed',
      text: 'The bill is paid.',
      toolCalls: [{ toolName: 'ask_expert', status: 'succeeded' }],
    })
  expect(await page.evaluate(() => window.family.paid)).toBe(1)
  expect(model.requests).toHaveLength(4)
  const asked = model.requests.map(({ body }) => JSON.stringify(body))
  expect(asked.map((body) => body.includes('You are the expert.'))).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(asked[3]).toContain('It is paid.')
})

test(
  "a sub-agent's approval is answered in another tab, and runs in the agents' tab",
  MORE,
  async ({ openPage, model }) => {
    model.enqueue(
      callTools([{ name: 'ask_expert', input: { prompt: 'Pay it.' } }]),
      callTools([{ name: 'pay', input: {}, id: 'pay_1' }]),
      say('It is paid.'),
      say('The bill is paid.'),
    )
    const one = await openPage()
    await mount(one, model.baseURL)
    await begin(one)
    await expect.poll(() => pending(one)).toHaveLength(1)
    const other = await openPage()
    await mount(other, model.baseURL)
    await expect.poll(() => pending(other)).toMatchObject([{ toolName: 'pay', kind: 'approval' }])
    await expect.poll(() => approve(other)).toBe(true)
    await expect
      .poll(() => result(one))
      .toMatchObject({
        outcome: 'completed',
        text: 'The bill is paid.',
      })
    expect(await one.evaluate(() => window.family.paid)).toBe(1)
    expect(await other.evaluate(() => window.family.paid)).toBe(0)
  },
)

test(
  "a run's limit applies to its sub-agent across a reload, and its handle is restored",
  MORE,
  async ({ openPage, model }) => {
    const pay = (id: string) => callTools([{ name: 'pay', input: {}, id }])
    model.enqueue(
      callTools([{ name: 'ask_expert', input: { prompt: 'Pay all.' } }]),
      pay('pay_1'),
      pay('pay_2'),
      say('One was paid, and one is left.'),
    )
    const page = await openPage()
    await mount(page, model.baseURL, { steps: 3 })
    await begin(page)
    await expect.poll(() => pending(page)).toHaveLength(1)
    await page.reload()
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    await mount(page, model.baseURL, { steps: 3 })
    const children = page.evaluate(async () => {
      const run = await window.family.boss.resume('talk')
      void run?.result.then((ended) => (window.family.result = ended))
      const ends: unknown[] = []
      if (run) for await (const { result: end } of run.children) ends.push((await end).outcome)
      return ends
    })
    for (const id of ['pay_1', 'pay_2']) {
      await expect.poll(() => pending(page)).toMatchObject([{ toolCallId: id }])
      await expect.poll(() => approve(page)).toBe(true)
    }
    await expect
      .poll(() => result(page))
      .toMatchObject({
        outcome: 'limit',
        limit: 'steps',
        text: 'One was paid, and one is left.',
        usage: { modelCalls: 2 },
        totalUsage: { modelCalls: 4 },
      })
    expect(await children).toEqual(['limit'])
    expect(model.requests).toHaveLength(4)
  },
)

test(
  'a sub-agent ends with its caller while the page is gone, and works no more',
  MORE,
  async ({ openPage, model }) => {
    model.enqueue(
      callTools([{ name: 'ask_expert', input: { prompt: 'Pay it.' } }]),
      callTools([{ name: 'pay', input: {}, id: 'pay_1' }]),
    )
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page)
    await expect.poll(() => pending(page)).toHaveLength(1)
    const [{ conversationId: childId = '' } = {}] = await pending(page)
    const unfinished = () =>
      page.evaluate(async () => {
        const all = await window.family.boss.conversations.list({
          unfinished: true,
          children: true,
        })
        return all.map(({ conversationId }) => conversationId)
      })

    // Nothing on this page knows the expert.
    await page.reload()
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    await mount(page, model.baseURL, { isAlone: true })
    expect(await page.evaluate(() => window.family.boss.conversation('talk').abort('enough'))).toBe(
      true,
    )
    await expect.poll(unfinished).toEqual([])

    await page.reload()
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    await mount(page, model.baseURL)
    expect(await page.evaluate((id) => window.family.expert.resume(id), childId)).toBeNull()
    expect(await page.evaluate(() => window.family.paid)).toBe(0)
    expect(model.requests).toHaveLength(2)
  },
)
