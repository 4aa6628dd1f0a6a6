import { MORE, inSlice } from './support/more.ts'
import type { Page } from '@playwright/test'
import type { Agent, Run } from '../../src/index.ts'
import { say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'

/** State that these tests keep on the page between two evaluations. */
interface Kept {
  agent: Agent
  run: Run
  worker: Worker
}

/** An agent whose worker the test can reach. */
async function makeAgent(page: Page, model: object): Promise<void> {
  await page.evaluate((given) => {
    const kept = window as unknown as Kept
    kept.agent = window.offstage.createAgent({
      model: { provider: 'openai-compatible', model: 'mock', ...given },
      storage: 'memory',
      worker: () => (kept.worker = new Worker('/dist/worker.js', { type: 'module' })),
    })
  }, model)
}

const start = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const kept = window as unknown as Kept
    kept.run = kept.agent.run('Hello?')
  })

const result = (page: Page): Promise<{ outcome: string; text: string; code: string | null }> =>
  page.evaluate(async () => {
    const ended = await (window as unknown as Kept).run.result
    const { outcome, text } = ended
    return { outcome, text, code: ended.outcome === 'failed' ? ended.error.code : null }
  })

test.afterEach(({ site }) => site.setHeaders('/dist/worker.js', null))

test(
  'when a worker may not reach the network, the page sends its requests',
  MORE,
  async ({ openPage, model, site }) => {
    const { baseURL } = model
    const page = await openPage()
    site.setHeaders('/dist/worker.js', { 'content-security-policy': "connect-src 'none'" })
    await makeAgent(page, { baseURL, retry: { maxRetries: 0 } })
    await start(page)
    expect(await result(page)).toMatchObject({ outcome: 'failed', code: 'blocked-by-csp' })
    expect(model.requests).toEqual([])

    await page.evaluate((url) => {
      const { agent } = window as unknown as Kept
      const more = { baseURL: url, transport: 'page' } as const
      agent.configure({ model: { provider: 'openai-compatible', model: 'mock', ...more } })
    }, baseURL)
    model.enqueue(say('Hello!'), say('{"answer": 42}'))
    await start(page)
    expect(await result(page)).toMatchObject({ outcome: 'completed', text: 'Hello!' })
    const extracted = await page.evaluate(() =>
      (window as unknown as Kept).agent.extract({
        input: 'What is the answer?',
        schema: { type: 'object', properties: { answer: { type: 'integer' } } },
      }),
    )
    expect(extracted).toMatchObject({ answer: 42 })
  },
)

test(
  'the page ends its requests together with the worker that sent them',
  MORE,
  async ({ openPage, model }) => {
    const page = await openPage()
    await makeAgent(page, { baseURL: model.baseURL, transport: 'page' })
    model.enqueue({ ...say('Hel'), end: 'hang' }, say('Hello!'))
    await start(page)
    await page.evaluate(async () => {
      const kept = window as unknown as Kept
      for await (const event of kept.run) if (event.type === 'text-delta') break
      kept.worker.terminate()
    })
    expect(await result(page)).toMatchObject({ code: 'worker-lost' })
    await expect.poll(() => model.requests[0]?.abortedAt).toBeGreaterThan(0)
  },
)

for (const transport of ['worker', 'page'] as const) {
  test(
    `F8 a run retries while offline and completes online; fetched by the ${transport}`,
    inSlice(transport === 'page'),
    async ({ openPage, model, context }) => {
      const page = await openPage()
      const retry = { maxRetries: 8, baseDelayMs: 200, maxDelayMs: 200 }
      await makeAgent(page, { baseURL: model.baseURL, transport, retry })
      await page.evaluate(() => (window as unknown as Kept).agent.prepare())
      model.enqueue(say('Hello!'))
      await context.setOffline(true)
      await start(page)
      const retried = await page.evaluate(async () => {
        for await (const event of (window as unknown as Kept).run)
          if (event.type === 'retry') return event.error.code
        return null
      })
      expect(retried).toBe('network')
      await context.setOffline(false)
      expect(await result(page)).toMatchObject({ outcome: 'completed', text: 'Hello!' })
    },
  )
}
