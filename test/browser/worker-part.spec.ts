import type { Page } from '@playwright/test'
import type { Agent, RunResult } from '../../src/index.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'

// dist/worker.js loads worker-action.js when a model's text may be a call, or tools are described as text.

interface Shop extends Window {
  agent: Agent
  result: Promise<RunResult>
  paid: number
}

const PART = '**/dist/worker-action.js*'
const CALL = '<tool_call>\n{"name":"pay","arguments":{}}\n</tool_call>'

async function open(page: Page, baseURL: string, provider = 'openai-compatible'): Promise<void> {
  await page.evaluate(
    ({ baseURL, provider }) => {
      const shop = window as unknown as Shop
      shop.paid = 0
      shop.agent = window.offstage.createAgent({
        model: { provider: provider as 'openai', api: 'chat', model: 'test', baseURL, apiKey: 'x' },
        tools: [
          window.offstage.defineTool({
            name: 'pay',
            description: 'Pays.',
            execute: () => `Paid ${(shop.paid += 1)}.`,
          }),
        ],
      })
    },
    { baseURL, provider },
  )
}

async function begin(page: Page): Promise<void> {
  await page.evaluate(() => {
    const shop = window as unknown as Shop
    shop.result = shop.agent.conversation('c').send('Pay').result
  })
}

const state = (page: Page) =>
  page.evaluate(() => {
    const shop = window as unknown as Shop
    const { paused, status, messages } = shop.agent.conversation('c').getSnapshot()
    const texts = messages.map(({ parts }) =>
      parts.map((part) => ('text' in part ? part.text : part.type)),
    )
    return { paused, status, texts: texts.flat().filter(Boolean), paid: shop.paid }
  })

const result = (page: Page): Promise<RunResult> =>
  page.evaluate(() => (window as unknown as Shop).result)

test('a call in text whose part cannot be loaded pauses the run: nothing runs or is stored, and a reload resumes it', async ({
  openPage,
  model,
  context,
}) => {
  let asked = 0
  await context.route(PART, (route) => {
    asked += 1
    return route.abort()
  })
  model.respond = ({ body }) =>
    JSON.stringify(body.messages).includes('Paid 1.') ? say('Done.') : say(`I pay.\n${CALL}`)
  const page = await openPage()
  await open(page, model.baseURL)
  await begin(page)
  await expect.poll(async () => (await state(page)).paused).toBe('part-unavailable')
  expect(await state(page)).toMatchObject({ status: 'waiting', texts: ['Pay'], paid: 0 })
  expect(model.requests).toHaveLength(1)
  expect(asked).toBeGreaterThanOrEqual(2)

  await context.unroute(PART)
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await open(page, model.baseURL)
  const resumed = await page.evaluate(async () => {
    const shop = window as unknown as Shop
    const run = await shop.agent.resume('c')
    if (!run) throw new Error('There is no open run.')
    const { outcome, text } = await run.result
    return { outcome, text, paid: shop.paid }
  })
  expect(resumed).toEqual({ outcome: 'completed', text: 'Done.', paid: 1 })
})

test('a paused run goes on by itself once the part can be loaded, and can be stopped before', async ({
  openPage,
  model,
  context,
}) => {
  await context.route(PART, (route) => route.abort())
  const page = await openPage()
  await open(page, model.baseURL)
  model.enqueue(say(CALL))
  await begin(page)
  await expect.poll(async () => (await state(page)).paused).toBe('part-unavailable')
  await page.evaluate(() => (window as unknown as Shop).agent.conversation('c').abort())
  expect(await result(page)).toMatchObject({ outcome: 'aborted' })

  model.enqueue(say(CALL), say(CALL), say('Done.'))
  await begin(page)
  await expect.poll(async () => (await state(page)).paused).toBe('part-unavailable')
  await context.unroute(PART)
  expect(await result(page)).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect((await state(page)).paid).toBe(1)
})

test('the part is loaded early where text may hold calls, and never for native calls of dependable vendors', async ({
  openPage,
  model,
}) => {
  for (const [provider, files] of [
    ['openai', 0],
    ['openai-compatible', 1],
  ] as const) {
    const page = await openPage()
    const loaded: string[] = []
    page.context().on('request', (request) => {
      if (request.url().includes('worker-action')) loaded.push(request.url())
    })
    await open(page, model.baseURL, provider)
    model.enqueue(callTools([{ name: 'pay', input: {} }]), say('It is **paid**: 3 < 4.'))
    await begin(page)
    expect(await result(page)).toMatchObject({ outcome: 'completed' })
    await expect.poll(() => loaded.length).toBe(files)
    await page.close()
  }
})
