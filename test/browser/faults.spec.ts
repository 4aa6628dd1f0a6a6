import { readFileSync } from 'node:fs'
import { inProject } from '../../scripts/lib/project.mjs'
import { startEffects, type Effects } from './support/effects.ts'
import { serveSite, type Site } from './support/site.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, test as base } from './support/driven.ts'
import { MORE, inSlice } from './support/more.ts'

// Rows of test/README.md that no other file is about.

const test = base.extend<{ effects: Effects }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
  effects: async ({}, use) => {
    const { close, ...effects } = await startEffects()
    await use(effects)
    await close()
  },
})

interface Given {
  readonly baseURL: string
  readonly effects: string
}

/** An agent on `window.agent` whose tool has its effect at once, and hears nothing of it. */
function mount({ baseURL, effects }: Given): void {
  const agent = window.offstage.createAgent({
    model: { provider: 'openai-compatible', model: 'mock', baseURL },
    tools: [
      {
        name: 'pay',
        description: 'Pays.',
        async execute(_input, { idempotencyKey, signal }) {
          signal.addEventListener('abort', () => Object.assign(window, { signalled: Date.now() }))
          await fetch(`${effects}/?key=${encodeURIComponent(idempotencyKey)}`, { mode: 'no-cors' })
        },
      },
    ],
  })
  Object.assign(window, { agent })
}

type Agent = ReturnType<typeof window.offstage.createAgent>

const run = (text: string): Promise<unknown> =>
  (window as never as { agent: Agent }).agent.run(text, { conversationId: 'c' }).result

/** The real worker, to which the page's hello comes with another number. */
function oldWorker(site: Site, worker: string): string {
  site.add('/other-version.js', {
    body: `
      addEventListener('message', ({ data }) => {
        const hello = data?.argumentList?.[0]?.value
        if (hello?.protocolVersion) hello.protocolVersion -= 1
      })`,
  })
  return `import '/other-version.js'\nimport '${worker}'`
}

/** A run by a worker file; with the warnings, and whether anything of it was remembered. */
function runBy(page: DrivenPage, options: { readonly workerUrl?: string }): Promise<unknown> {
  return page.evaluate(async (options) => {
    const warnings: string[] = []
    const agent = window.offstage.createAgent({
      model: { provider: 'scripted', model: 'any', script: { steps: [{ text: 'Hi.' }] } },
      ...options,
    })
    agent.on('warning', ({ code }) => void warnings.push(code))
    const { outcome } = await agent.run('Hello', { conversationId: 'c' }).result
    await agent.dispose()
    return { outcome, warnings }
  }, options)
}

test(
  'F16 an old cached worker file is reloaded after a deploy',
  MORE,
  async ({ openPage, driver, site }) => {
    test.skip(driver === 'webkit', "What WebKitGTK's driver opens keeps no files in a cache.")
    const headers = { 'cache-control': 'max-age=3600' }
    site.add('/agent-worker.js', { body: oldWorker(site, './dist/worker.js'), headers })
    const page = await openPage({ hasPackage: true })
    await page.evaluate(() => fetch('/agent-worker.js').then((answer) => answer.text()))
    site.add('/agent-worker.js', { body: `import './dist/worker.js'`, headers })
    const cached = await page.evaluate(() => fetch('/agent-worker.js').then((each) => each.text()))
    expect(cached).toContain('other-version')
    expect(await runBy(page, { workerUrl: '/agent-worker.js' })).toEqual({
      outcome: 'completed',
      warnings: [],
    })
  },
)

test(
  'F16 the inline worker replaces a worker file that stays old',
  MORE,
  async ({ driven: page }) => {
    // A server of its own: what is added to the shared one stays there.
    const site = await serveSite({ folders: { '/dist/': inProject('dist') } })
    site.add('/dist/worker.js', { body: oldWorker(site, './real-worker.js') })
    site.add('/dist/real-worker.js', { body: readFileSync(inProject('dist/worker.js'), 'utf8') })
    site.add('/', {
      body: '<!doctype html><script type="module">window.offstage = await import("/dist/index.js")</script>',
      type: 'text/html',
    })
    await page.goto(`${site.url}/`)
    await expect.poll(() => page.evaluate(() => 'offstage' in window)).toBe(true)
    expect(await runBy(page, {})).toEqual({ outcome: 'completed', warnings: ['worker-inlined'] })
    await site.close()
  },
)

test('F16 a worker file of another version is refused by name', async ({ openPage, site }) => {
  site.add('/old-worker.js', { body: oldWorker(site, './dist/worker.js') })
  const page = await openPage({ hasPackage: true })
  const result = await page.evaluate(async () => {
    const agent = window.offstage.createAgent({
      model: { provider: 'scripted', model: 'any', script: { steps: [{ text: 'Hi.' }] } },
      worker: () => new Worker('/old-worker.js', { type: 'module' }),
    })
    const ended = await agent.run('Hello', { conversationId: 'c' }).result
    await agent.dispose()
    return ended
  })
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'protocol-mismatch' } })
})

for (const moment of ['asked', 'writing', 'executing'] as const)
  test(
    `F7 after an abort while the run is ${moment}, request and tool stop, the text is kept, and the next turn works`,
    inSlice(moment === 'executing'),
    async ({ openPage, model, effects }) => {
      const begun = { pieces: (say('Begun').pieces ?? []).slice(0, -1), end: 'hang' } as const
      const held = {
        asked: { delayMs: 600_000 },
        writing: begun,
        executing: callTools([{ name: 'pay', input: {} }]),
      }
      model.enqueue(held[moment], say('Next.'))
      const page = await openPage({ hasPackage: true })
      await page.evaluate(mount, { baseURL: model.baseURL, effects: effects.url })
      await page.evaluate(() => {
        const { agent } = window as never as { agent: Agent }
        const first = agent.run('Pay', { conversationId: 'c' })
        void (async () => {
          for await (const { type } of first)
            if (type === 'text-delta') Object.assign(window, { isWriting: true })
        })()
        Object.assign(window, { first })
      })
      await expect.poll(() => model.requests.length).toBe(1)
      if (moment === 'executing') await expect.poll(() => effects.keys.length).toBe(1)
      if (moment === 'writing')
        await expect.poll(() => page.evaluate(() => 'isWriting' in window)).toBe(true)
      const result = await page.evaluate(async () => {
        const { first } = window as never as { first: ReturnType<Agent['run']> }
        first.abort('enough')
        return first.result
      })
      expect(result).toMatchObject({
        outcome: 'aborted',
        reason: 'enough',
        text: moment === 'writing' ? 'Begun' : '',
      })
      if (moment === 'executing')
        await expect.poll(() => page.evaluate(() => 'signalled' in window)).toBe(true)
      else await expect.poll(() => model.requests[0]?.abortedAt).toBeGreaterThan(0)
      expect(await page.evaluate(run, 'Again')).toMatchObject({
        outcome: 'completed',
        text: 'Next.',
      })
      expect(effects.keys).toHaveLength(moment === 'executing' ? 1 : 0)
    },
  )

test(
  'F25 a database deleted under an agent is created again, and the next turn works',
  MORE,
  async ({ openPage, model, effects }) => {
    model.enqueue(say('One.'), say('Two.'))
    const page = await openPage({ hasPackage: true })
    await page.evaluate(mount, { baseURL: model.baseURL, effects: effects.url })
    expect(await page.evaluate(run, 'First')).toMatchObject({ outcome: 'completed' })
    const deleted = await page.evaluate(async () => {
      for (const { name = '' } of await indexedDB.databases())
        await new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name)
          request.addEventListener('success', resolve)
          request.addEventListener('error', reject)
        })
      return (await indexedDB.databases()).length
    })
    expect(deleted).toBe(0)
    expect(await page.evaluate(run, 'Second')).toMatchObject({ outcome: 'completed', text: 'Two.' })
    const stored = await page.evaluate(() =>
      (window as never as { agent: Agent }).agent.conversations.get('c'),
    )
    expect(stored?.messages.at(-1)?.parts).toMatchObject([{ type: 'text', text: 'Two.' }])
  },
)
