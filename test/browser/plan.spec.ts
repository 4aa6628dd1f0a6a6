import type { Page } from '@playwright/test'
import type { Agent, RunResult } from '../../src/index.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'

declare global {
  interface Window {
    planned: {
      readonly agent: Agent
      readonly workers: Worker[]
      result?: RunResult | undefined
    }
  }
}

function mount(page: Page, baseURL: string): Promise<void> {
  return page.evaluate((url) => {
    const { createAgent, defineTool } = window.offstage
    const workers: Worker[] = []
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL: url },
      controlTools: ['plan'],
      worker: () => {
        const worker = new Worker('/dist/worker.js', { type: 'module' })
        workers.push(worker)
        return worker
      },
      tools: [
        defineTool({
          name: 'lay',
          description: 'Lays a brick.',
          execute: () => 'laid',
        }),
      ],
    })
    window.planned = { agent, workers }
    agent.conversation('house').subscribe(() => undefined)
  }, baseURL)
}

const begin = (page: Page, prompt: string) =>
  page.evaluate((text) => {
    const { planned } = window
    planned.result = undefined
    const run = planned.agent.run(text, { conversationId: 'house' })
    void run.result.then((ended) => (planned.result = ended))
  }, prompt)

const plan = (page: Page) =>
  page.evaluate(() => window.planned.agent.conversation('house').getSnapshot().plan ?? null)

const result = (page: Page) => page.evaluate(() => window.planned.result ?? null)

const items = (wall: string, roof: string) => ({
  items: [
    { content: 'Build the wall', status: wall },
    { content: 'Build the roof', status: roof },
  ],
})

for (const loss of ['a reload', "the worker's death"] as const)
  test(`a plan outlives ${loss}: the model goes on with it, and is told of open items once`, async ({
    openPage,
    model,
  }) => {
    model.enqueue(
      callTools([{ id: 'p1', name: 'plan', input: items('in-progress', 'pending') }]),
      { ...say('Never heard.'), end: 'hang' },
      callTools([{ id: 'l1', name: 'lay', input: {} }]),
      say('I am done.'),
      callTools([{ id: 'p2', name: 'plan', input: items('done', 'pending') }]),
      say('The wall stands, the roof has to wait.'),
      say('Something else.'),
    )
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page, 'Build a house')
    await expect.poll(() => model.requests.length).toBe(2)
    const before = items('in-progress', 'pending').items
    await expect.poll(() => plan(page)).toEqual(before)

    if (loss === 'a reload') {
      await page.reload()
      await page.locator('html[data-ready]').waitFor({ state: 'attached' })
      await mount(page, model.baseURL)
      await page.evaluate(async () => {
        const { planned } = window
        const run = await planned.agent.resume('house')
        void run?.result.then((ended) => (planned.result = ended))
      })
    } else await page.evaluate(() => window.planned.workers.at(-1)?.terminate())

    await expect
      .poll(() => result(page))
      .toMatchObject({
        outcome: 'completed',
        text: 'The wall stands, the roof has to wait.',
      })
    await expect.poll(() => plan(page)).toEqual(items('done', 'pending').items)
    const asked = model.requests.map(({ body }) => JSON.stringify(body.messages))
    expect(asked.map((text) => text.includes('I am done.'))).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ])
    // What it is told after 'I am done.' names what is open, and comes once.
    const told = model.requests.at(-2)?.body.messages?.at(-1)
    expect(told).toMatchObject({ role: 'user' })
    expect(JSON.stringify(told)).toContain('Build the roof')
    expect(model.requests).toHaveLength(6)

    await begin(page, 'Something else')
    await expect.poll(() => result(page)).toMatchObject({ text: 'Something else.' })
    expect(await plan(page)).toBeNull()
  })
