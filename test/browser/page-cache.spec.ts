import type { Browser, Page } from '@playwright/test'
import { findChromium } from '../../scripts/lib/browser.mjs'
import { callTools, say } from './support/mock-answers.ts'
import { readDraft } from './support/read-draft.ts'
import { MORE } from './support/more.ts'
import { expect, test as base } from './support/test.ts'

// Real back navigations, in a browser that keeps pages for them. Playwright's default switches that off, and the headless
// shell can't do it.

const test = base.extend<{ keeper: Browser }>({
  keeper: async ({ playwright, browserName }, use) => {
    const executablePath = await findChromium()
    const keeps = {
      ...(executablePath && { executablePath }),
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    }
    const browser = await playwright[browserName].launch(browserName === 'chromium' ? keeps : {})
    await use(browser)
    await browser.close()
  },
})

/** A page that may not be stored is not kept. */
const headers = { 'cache-control': 'no-cache' }

/** An answer that doesn't come to its end. */
const begun = { pieces: (say('Begun').pieces ?? []).slice(0, -1), end: 'hang' } as const

/** Goes to another page of the same site, which has Offstage, too. */
async function leave(page: Page, to = `${page.url()}?next`): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { kept: false })
    addEventListener('pageshow', ({ persisted }) => Object.assign(window, { kept: persisted }))
  })
  await page.goto(new URL(to, page.url()).href)
  await ready(page)
}

/** Not a locator's `waitFor`: it runs scripts in the page that was left, which throws that out of the cache. */
async function ready(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => 'offstage' in window)).toBe(true)
}

async function goBack(page: Page, to?: string): Promise<void> {
  await page.evaluate(() => void setTimeout(() => history.back()))
  // Not `goBack()`: a page that comes out of the cache doesn't load.
  await page.waitForURL(({ search, pathname }) => search === '' && pathname === (to ?? pathname), {
    waitUntil: 'commit',
  })
  await ready(page)
}

/** The page that was left, and not a new one; else why it wasn't kept. */
async function expectKept(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation') as (PerformanceEntry & {
      readonly notRestoredReasons?: { toJSON(): unknown }
    })[]
    const { kept } = window as { kept?: boolean }
    return { kept: kept === true, why: kept ? null : entry?.notRestoredReasons?.toJSON() }
  })
  expect(seen).toEqual({ kept: true, why: null })
}

test(
  'a page with an idle agent is cached; on return it works, and shows what happened',
  MORE,
  async ({ keeper, openPage, model }) => {
    model.enqueue(say('First.'), say('Second.'), say('Third.'))
    const page = await openPage({ context: await keeper.newContext(), headers })
    await page.evaluate(async (baseURL) => {
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
      })
      const view = agent.conversation('c1')
      view.subscribe(() => undefined)
      await agent.run('one', { conversationId: 'c1' }).result
      Object.assign(window, { agent, view })
    }, model.baseURL)
    await leave(page)
    await page.evaluate(async (baseURL) => {
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
      })
      await agent.run('two', { conversationId: 'c1' }).result
    }, model.baseURL)
    await goBack(page)
    await expectKept(page)
    const shown = () =>
      page.evaluate(() => {
        const { view } = window as never as { view: ReturnType<Agent['conversation']> }
        return JSON.stringify(view.getSnapshot().messages)
      })
    await expect.poll(shown).toContain('Second.')
    const outcome = await page.evaluate(async () => {
      const { agent } = window as never as { agent: Agent }
      const resumed = await agent.resume('c1')
      const result = await agent.run('three', { conversationId: 'c1' }).result
      const stored = await agent.conversations.get('c1')
      return { resumed, result, count: stored?.messages.length }
    })
    expect(outcome).toMatchObject({
      resumed: null,
      result: { outcome: 'completed', text: 'Third.' },
      count: 6,
    })
    await expect.poll(shown).toContain('Third.')
  },
)

test(
  'an idle agent without storage keeps its conversation after going back',
  MORE,
  async ({ keeper, openPage, model }) => {
    model.enqueue(say('First.'))
    const page = await openPage({ context: await keeper.newContext(), headers })
    await page.evaluate(async (baseURL) => {
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
        storage: 'memory',
      })
      await agent.run('one', { conversationId: 'c1' }).result
      Object.assign(window, { agent })
    }, model.baseURL)
    await leave(page)
    await goBack(page)
    await expectKept(page)
    const stored = await page.evaluate(() =>
      (window as never as { agent: Agent }).agent.conversations.get('c1'),
    )
    expect(stored?.messages.length).toBe(2)
  },
)

for (const transport of ['worker', 'page'] as const) {
  test(
    `a page left during a server's unfinished answer is cached; requested by the ${transport}`,
    MORE,
    async ({ keeper, openPage, model }) => {
      const { pieces = [] } = say('First.')
      model.enqueue(
        { pieces: [...pieces, { raw: 'data: [DONE]\n\n' }], end: 'hang' },
        say('Second.'),
      )
      const page = await openPage({ context: await keeper.newContext(), headers })
      await page.evaluate(
        async (given) => {
          const agent = window.offstage.createAgent({
            model: { provider: 'openai-compatible', model: 'mock', ...given },
            storage: 'memory',
          })
          Object.assign(window, { agent })
          await agent.run('one', { conversationId: 'c1' }).result
        },
        { baseURL: model.baseURL, transport },
      )
      await leave(page)
      await goBack(page)
      await expectKept(page)
      const next = await page.evaluate(
        () =>
          (window as never as { agent: Agent }).agent.run('two', { conversationId: 'c1' }).result,
      )
      expect(next).toMatchObject({ outcome: 'completed', text: 'Second.' })
      await expect.poll(() => model.requests[0]?.abortedAt).toBeGreaterThan(0)
    },
  )
}

test('F21 an open run continues after going back, and its tool runs once', async ({
  keeper,
  openPage,
  model,
}) => {
  model.enqueue(callTools([{ name: 'pay', input: {} }]), begun, say('Paid.'))
  const page = await openPage({ context: await keeper.newContext(), headers })
  await page.evaluate(async (baseURL) => {
    const agent = window.offstage.createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      tools: [
        {
          name: 'pay',
          description: 'Pays.',
          execute: () => {
            localStorage.setItem('paid', `${localStorage.getItem('paid') ?? ''}1`)
          },
        },
      ],
    })
    const run = agent.run('one', { conversationId: 'c1' })
    for await (const event of run) if (event.type === 'text-delta') break
    Object.assign(window, { agent, run })
  }, model.baseURL)
  await leave(page)
  await goBack(page)
  await expectKept(page)
  const outcome = await page.evaluate(async () => {
    const { run } = window as never as { run: ReturnType<Agent['run']> }
    return { result: await run.result, paid: localStorage.getItem('paid') }
  })
  expect(outcome).toMatchObject({ result: { outcome: 'completed', text: 'Paid.' }, paid: '1' })
  expect(model.requests.length).toBe(3)
})

/** Stops the worker's periodic work. From now on it acts only on messages from the page. */
async function stopLongTimers(page: Page): Promise<void> {
  await page.workers()[0]?.evaluate(() => {
    const { setTimeout } = globalThis
    const timeout = (call: () => void, ms = 0): unknown => (ms < 1000 ? setTimeout(call, ms) : 0)
    Object.assign(globalThis, { setTimeout: timeout })
  })
}

test(
  "F21 the model's latest text is kept when its page enters the cache",
  MORE,
  async ({ keeper, openPage, model, site }) => {
    let goOn = (): void => {}
    const until = new Promise<void>((resolve) => (goOn = resolve))
    const [first = [], last = []] = [say('First words.'), say(' Last words.')].map(
      ({ pieces = [] }) => pieces.slice(0, -1),
    )
    model.enqueue({ pieces: [...first, { until }, ...last], end: 'hang' })
    const context = await keeper.newContext()
    const page = await openPage({ context, headers })
    const watcher = await openPage({ context })
    const show = (on: Page): Promise<void> =>
      on.evaluate((baseURL) => {
        const agent = window.offstage.createAgent({
          model: { provider: 'openai-compatible', model: 'mock', baseURL },
        })
        const view = agent.conversation('c')
        view.subscribe(() => undefined)
        Object.assign(window, { agent, view })
      }, model.baseURL)
    const shownText = (on: Page): Promise<string> =>
      on.evaluate(() => {
        const { view } = window as never as { view: ReturnType<Agent['conversation']> }
        const last = view.getSnapshot().messages.at(-1)
        const [part] = last?.role === 'assistant' ? last.parts : []
        return part?.type === 'text' ? part.text : ''
      })
    const kept = async (): Promise<string | undefined> =>
      (await watcher.evaluate(readDraft))?.parts[0]?.text
    await show(page)
    await page.evaluate(() => {
      const { agent } = window as never as { agent: Agent }
      Object.assign(window, { run: agent.run('Tell me', { conversationId: 'c' }) })
    })
    await expect.poll(() => model.requests.length).toBe(1)
    await expect.poll(kept).toBe('First words.')
    await stopLongTimers(page)
    goOn()
    await expect.poll(() => shownText(page)).toBe('First words. Last words.')
    expect(await kept()).toBe('First words.')

    let answer = (): void => {}
    const { pathname } = new URL(page.url())
    site.add('/next.html', {
      body: '<!doctype html><script type="module" src="/expose.js"></script>',
      headers,
      until: new Promise<void>((resolve) => (answer = resolve)),
    })
    const leaving = leave(page, '/next.html')
    await expect.poll(kept).toBe('First words. Last words.')
    answer()
    await leaving
    await show(page)
    await expect.poll(() => shownText(page)).toBe('First words. Last words.')
    await goBack(page, pathname)
    await expectKept(page)
  },
)

test(
  'the next page takes over an open run at once; going back shows its end',
  MORE,
  async ({ keeper, openPage, model }) => {
    model.enqueue(begun, say('Done elsewhere.'))
    const page = await openPage({ context: await keeper.newContext(), headers })
    await page.evaluate(async (baseURL) => {
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
      })
      const run = agent.run('one', { conversationId: 'c1' })
      for await (const event of run) if (event.type === 'text-delta') break
      Object.assign(window, { agent, run })
    }, model.baseURL)
    await leave(page)
    const elsewhere = await page.evaluate(async (baseURL) => {
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
      })
      return (await agent.resume('c1'))?.result
    }, model.baseURL)
    expect(elsewhere).toMatchObject({ outcome: 'completed', text: 'Done elsewhere.' })
    await goBack(page)
    await expectKept(page)
    const result = await page.evaluate(
      () => (window as never as { run: ReturnType<Agent['run']> }).run.result,
    )
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done elsewhere.' })
    expect(model.requests.length).toBe(2)
  },
)

test(
  'a page that returns to a run owned by another tab follows it at once',
  MORE,
  async ({ keeper, openPage, model }) => {
    const elsewhere = (say('Written elsewhere.').pieces ?? []).slice(0, -1)
    model.enqueue(begun, { pieces: elsewhere, end: 'hang' })
    const context = await keeper.newContext()
    const [page, other] = [
      await openPage({ context, headers }),
      await openPage({ context, headers }),
    ] as const
    const shown = (of: Page) =>
      of.evaluate(() => {
        const { view } = window as never as { view: ReturnType<Agent['conversation']> }
        const { status, ownership, runId, ended, messages } = view.getSnapshot()
        return { status, ownership, runId, ended, written: JSON.stringify(messages.at(-1)) }
      })
    for (const each of [page, other])
      await each.evaluate((baseURL) => {
        const agent = window.offstage.createAgent({
          model: { provider: 'openai-compatible', model: 'mock', baseURL },
        })
        const view = agent.conversation('c1')
        view.subscribe(() => undefined)
        Object.assign(window, { agent, view })
      }, model.baseURL)
    const runId = await page.evaluate(async () => {
      const run = (window as never as { agent: Agent }).agent.run('one', { conversationId: 'c1' })
      for await (const event of run) if (event.type === 'text-delta') break
      Object.assign(window, { run })
      return run.runId
    })
    await expect.poll(async () => (await shown(other)).ownership).toBe('other-tab')
    await leave(page)
    await expect.poll(async () => (await shown(other)).written).toContain('Written elsewhere.')
    await goBack(page)
    await expectKept(page)
    const result = await page.evaluate(
      () => (window as never as { run: ReturnType<Agent['run']> }).run.result,
    )
    expect(result).toMatchObject({ outcome: 'aborted', reason: 'taken-over' })
    await expect.poll(async () => (await shown(page)).written).toContain('Written elsewhere.')
    const { ended, ...there } = await shown(page)
    expect(there).toMatchObject({ status: 'running', ownership: 'other-tab', runId })
    expect(ended).toBe(undefined)
  },
)

type Agent = ReturnType<typeof window.offstage.createAgent>
