import { createServer } from 'node:http'
import type { RunResult } from '../../src/index.ts'
import { expect, test as base } from './support/driven.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { listen } from './support/listen.ts'
import { MORE, inSlice } from './support/more.ts'

interface Payments {
  readonly url: string
  /** Keys of the payments that were made, in order. */
  readonly made: readonly string[]
}

interface Visit {
  readonly url: string
  readonly conversationId: string
  readonly kind: 'plain' | 'idempotent' | 'reconcile'
  readonly act: 'run' | 'resume'
}

const test = base.extend<{ payments: Payments }>({
  // Makes every payment at once, and answers the first of each key never.
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
  payments: async ({}, use) => {
    const made: string[] = []
    const server = createServer((request, response) => {
      const key = new URL(request.url ?? '/', 'http://pay').searchParams.get('key') ?? ''
      response.setHeader('access-control-allow-origin', '*')
      if (request.url?.startsWith('/made')) {
        response.end(String(made.includes(key)))
        return
      }
      made.push(key)
      if (made.filter((each) => each === key).length > 1) response.end('paid')
    })
    const { url, close } = await listen(server)
    await use({ url, made })
    await close()
  },
})

const HTML = `<!doctype html><title>Shop</title><a id="download" href="/file" download>file</a>
<a id="mail" href="mailto:nobody@shop.example">mail</a>
<script type="module">
window.offstage = await import('/dist/index.js')
window.loads = Number(sessionStorage.loads ?? 0) + 1
sessionStorage.loads = window.loads
document.documentElement.dataset.ready = window.loads
</script>`

/** Runs in the page. A run is left at the start of its tool; a resumed one is followed to its end. */
async function visit({ url, conversationId, kind, act }: Visit): Promise<RunResult | null> {
  const { createAgent } = window.offstage
  const script = {
    steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Settled.' }],
  }
  const agent = createAgent({
    model: { provider: 'scripted', model: 'scripted', script },
    tools: [
      {
        name: 'pay',
        description: 'Pays.',
        annotations: { idempotent: kind === 'idempotent' },
        execute: async (_input, { idempotencyKey: key }) =>
          (await fetch(`${url}/pay?key=${encodeURIComponent(key)}`)).text(),
        ...(kind === 'reconcile' && {
          reconcile: async (
            _input: unknown,
            { idempotencyKey: key }: { idempotencyKey: string },
          ) => {
            const answer = await fetch(`${url}/made?key=${encodeURIComponent(key)}`)
            return (await answer.text()) === 'true'
              ? ({ happened: true, result: 'reconciled' } as const)
              : ({ happened: false } as const)
          },
        }),
      },
    ],
  })
  if (act === 'run') {
    agent.run('Pay', { conversationId })
    return null
  }
  const run = await agent.resume(conversationId)
  return (await run?.result) ?? null
}

async function untilReady(page: DrivenPage, load: number): Promise<void> {
  await expect
    .poll(
      () =>
        page.evaluate(() => Number(document.documentElement.dataset['ready'] ?? 0)).catch(() => 0),
      { timeout: 60_000 },
    )
    .toBe(load)
}

/** How a page is left, in the page. */
const ways = {
  reload: () => setTimeout(() => location.reload()),
  navigation: () => setTimeout(() => location.assign('/shop.html?next')),
  'a slow navigation': () => setTimeout(() => location.assign('/slow.html')),
}

test.describe('a page left while a tool waits for its server', () => {
  test.setTimeout(120_000)
  const expected = {
    plain: { status: 'interrupted', paid: 1 },
    idempotent: { status: 'succeeded', paid: 2 },
    reconcile: { status: 'succeeded', paid: 1 },
  } as const

  const SLICE = ['plain by reload', 'reconcile by navigation']
  for (const [way, leave] of Object.entries(ways)) {
    for (const kind of ['plain', 'idempotent', 'reconcile'] as const) {
      const slice = inSlice(SLICE.includes(`${kind} by ${way}`))
      test(
        `F18 by ${way}: a ${kind} call is handled by the crash table, never as failed`,
        slice,
        async ({ driven, site, payments }) => {
          site.add('/shop.html', { body: HTML, type: 'text/html' })
          site.add('/slow.html', { body: HTML, type: 'text/html', afterMs: 1500 })
          await driven.goto(`${site.url}/shop.html`)
          const { url } = payments
          let load = 1
          for (let turn = 0; turn < 3; turn++) {
            await untilReady(driven, load)
            const conversationId = `c${turn}`
            const before = payments.made.length
            await driven.evaluate(visit, { url, conversationId, kind, act: 'run' })
            await expect.poll(() => payments.made.length, { timeout: 30_000 }).toBe(before + 1)
            await driven.evaluate(leave)
            load += 1
            await untilReady(driven, load)
            const result = await driven.evaluate(visit, {
              url,
              conversationId,
              kind,
              act: 'resume',
            })
            expect(result).toMatchObject({
              outcome: 'completed',
              toolCalls: [{ status: expected[kind].status }],
            })
            expect(payments.made.length - before).toBe(expected[kind].paid)
            expect(new Set(payments.made.slice(before)).size).toBe(1)
          }
        },
      )
    }
  }
})

/** Runs in the page: a run whose `context` or `beforeToolCall` waits for the server at first. */
async function visitHook({
  url,
  hook,
  act,
}: {
  readonly url: string
  readonly hook: 'context' | 'beforeToolCall'
  readonly act: 'run' | 'resume'
}): Promise<RunResult | null> {
  const ask = async (): Promise<void> => void (await fetch(`${url}/pay?key=hook`))
  const agent = window.offstage.createAgent({
    model: {
      provider: 'scripted',
      model: 'scripted',
      script: { steps: [{ toolCalls: [{ toolName: 'look', input: {} }] }, { text: 'Seen.' }] },
    },
    [hook]: ask,
    tools: [{ name: 'look', description: 'Looks.', execute: () => 'seen' }],
  })
  if (act === 'run') {
    agent.run('Look', { conversationId: 'hooked' })
    return null
  }
  return (await (await agent.resume('hooked'))?.result) ?? null
}

for (const hook of ['context', 'beforeToolCall'] as const) {
  test(
    `a page left while ${hook} waits for a server resumes the run as if it never started`,
    MORE,
    async ({ driven, site, payments }) => {
      site.add('/shop.html', { body: HTML, type: 'text/html' })
      await driven.goto(`${site.url}/shop.html`)
      await untilReady(driven, 1)
      await driven.evaluate(visitHook, { url: payments.url, hook, act: 'run' })
      await expect.poll(() => payments.made.length).toBe(1)
      await driven.evaluate(ways.reload)
      await untilReady(driven, 2)
      const result = await driven.evaluate(visitHook, { url: payments.url, hook, act: 'resume' })
      expect(result).toMatchObject({
        outcome: 'completed',
        text: 'Seen.',
        toolCalls: [{ status: 'succeeded' }],
      })
    },
  )
}

test.describe('a page that only seems to be left', () => {
  const stays = {
    'a download': () => document.querySelector<HTMLElement>('#download')?.click(),
    'a mailto link': () => document.querySelector<HTMLElement>('#mail')?.click(),
    'a beforeunload that it cancels': () => {
      addEventListener('beforeunload', (event) => event.preventDefault(), { once: true })
      dispatchEvent(new Event('beforeunload', { cancelable: true }))
    },
  }
  for (const [what, stay] of Object.entries(stays)) {
    test(
      `by ${what}: a success is reported, and a failure does not hang`,
      inSlice(what.includes('download')),
      async ({ driven, driver, site }) => {
        const leaves = driver === 'webkit' && what === 'a mailto link'
        test.skip(leaves, 'WebKitGTK leaves the page for an error page: it knows no mail program.')
        site.add('/shop.html', { body: HTML, type: 'text/html' })
        site.add('/file', { body: 'text', type: 'text/plain' })
        await driven.goto(`${site.url}/shop.html`)
        await untilReady(driven, 1)
        const stayed = `(${stay.toString()})()`
        const result = await driven.evaluate(async (code) => {
          const { createAgent } = window.offstage
          const toolCalls = ['succeeds', 'throws'].map((toolName) => ({ toolName, input: {} }))
          const agent = createAgent({
            model: {
              provider: 'scripted',
              model: 'scripted',
              script: { steps: [{ toolCalls }, { text: 'Done.' }] },
            },
            storage: 'memory',
            tools: [
              {
                name: 'succeeds',
                description: 'Leaves the page, as it seems, and returns.',
                async execute() {
                  // oxlint-disable-next-line no-implied-eval -- The way is sent as text.
                  new Function(code)()
                  await new Promise((resolve) => setTimeout(resolve, 100))
                  return 'done'
                },
              },
              {
                name: 'throws',
                description: 'Leaves the page, as it seems, and throws.',
                async execute() {
                  // oxlint-disable-next-line no-implied-eval -- The way is sent as text.
                  new Function(code)()
                  await new Promise((resolve) => setTimeout(resolve, 100))
                  throw new Error('no stock')
                },
              },
            ],
          })
          return agent.run('Go').result
        }, stayed)
        expect(result).toMatchObject({
          outcome: 'completed',
          toolCalls: [{ status: 'succeeded' }, {}],
        })
        // Whether the browser says that it leaves the page is its own affair.
        expect([
          ['failed', expect.stringContaining('no stock')],
          ['interrupted', expect.stringContaining('may or may not')],
        ]).toContainEqual([
          result.toolCalls[1]?.status,
          JSON.stringify(result.toolCalls[1]?.output),
        ])
      },
    )
  }
})
