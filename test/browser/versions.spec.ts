import { readFileSync, readdirSync } from 'node:fs'
import { inProject } from '../../scripts/lib/project.mjs'
import { PROTOCOL_VERSION } from '../../src/protocol/worker-calls.ts'
import { TAB_FORMAT } from '../../src/worker/ownership/tab-channel.ts'
import type { Agent, RunResult } from '../../src/index.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, test } from './support/driven.ts'
import type { Site } from './support/site.ts'
import { MORE } from './support/more.ts'

// Tabs opened before and after a deploy: two versions of the package share one database.

/** Text that streams long enough to leave the page meanwhile. */
const LONG = 'Word by word. '.repeat(100)
/** Text for runs that are taken from their page. Long enough that no run ends before that, even on a slow machine. */
const ENDLESS = LONG.repeat(40)

interface Own {
  agent: Agent
  result?: RunResult
}

type Change = (code: string) => string

const otherProtocol: Change = (code) =>
  code.replaceAll(
    new RegExp(`(protocolVersion:|!==)${PROTOCOL_VERSION}\\b`, 'g'),
    (_all, before: string) => `${before}${PROTOCOL_VERSION + 1}`,
  )

const otherTabFormat: Change = (code) =>
  code
    .replaceAll(`{offstage:${TAB_FORMAT},`, `{offstage:${TAB_FORMAT + 1},`)
    .replaceAll(
      new RegExp(`(\\{offstage:(\\w+)\\}=\\w+;if\\(\\2!==)${TAB_FORMAT}\\)`, 'g'),
      (_all, before: string) => `${before}${TAB_FORMAT + 1})`,
    )

/** Serves the package as it is at one address, and changed at another. */
function serveBoth(site: Site, change: Change): void {
  const changed = readdirSync(inProject('dist')).filter((name) => {
    if (!name.endsWith('.js')) return false
    const code = readFileSync(inProject('dist', name), 'utf8')
    const isPart = /^(lazy-runtime|worker|start-worker)\b/.test(name)
    site.add(`/newer/${name}`, { body: isPart ? change(code) : code })
    return isPart && change(code) !== code
  })
  expect(changed, 'the worker is another one').toContain('worker.js')
  for (const folder of ['dist', 'newer'])
    site.add(`/${folder}.html`, {
      body: `<!doctype html><title>${folder}</title><body><script type="module">
        window.offstage = await import('/${folder}/index.js')
        document.documentElement.dataset.ready = ''
      </script>`,
      type: 'text/html',
    })
}

async function open(
  page: DrivenPage,
  site: Site,
  folder: 'dist' | 'newer',
  answer = LONG,
): Promise<void> {
  await page.goto(`${site.url}/${folder}.html`)
  await expect
    .poll(() => page.evaluate(() => 'ready' in document.documentElement.dataset))
    .toBe(true)
  await page.evaluate((text) => {
    const agent = window.offstage.createAgent({
      model: {
        provider: 'scripted',
        model: 'scripted',
        script: {
          paceMs: 20,
          steps: [{ text: 'I pay.', toolCalls: [{ toolName: 'pay', input: {} }] }, { text }],
        },
      },
      tools: [
        {
          name: 'pay',
          description: 'Pays.',
          needsApproval: true,
          execute: () => {
            localStorage.setItem('paid', `${localStorage.getItem('paid') ?? ''} ${document.title}`)
            return 'paid'
          },
        },
      ],
    })
    agent.conversation('c').subscribe(() => undefined)
    Object.assign(window, { agent })
  }, answer)
}

const begin = (page: DrivenPage): Promise<void> =>
  page.evaluate(() => {
    const own = window as unknown as Own
    const run = own.agent.run('Pay', { conversationId: 'c' })
    void run.result.then((result) => (own.result = result))
  })

const shown = (page: DrivenPage) =>
  page.evaluate(() => {
    const { agent } = window as unknown as Own
    const { status, ownership, ended, pending, messages } = agent.conversation('c').getSnapshot()
    return {
      status,
      ownership,
      outcome: ended?.outcome,
      pending: pending.length,
      words: JSON.stringify(messages),
    }
  })

const approve = (page: DrivenPage): Promise<boolean> =>
  page.evaluate(async () => {
    const { agent } = window as unknown as Own
    const [call] = agent.conversation('c').getSnapshot().pending
    return agent.approve({ conversationId: 'c', toolCallId: call?.toolCallId ?? '' })
  })

for (const [first, second] of [
  ['dist', 'newer'],
  ['newer', 'dist'],
] as const)
  test(
    `F16 F22 the page of ${first} begins a run; that of ${second} with another protocol follows, answers and resumes it`,
    MORE,
    async ({ driven, site }) => {
      serveBoth(site, otherProtocol)
      const other = await driven.openTab()
      await open(driven, site, first, ENDLESS)
      await open(other, site, second)
      await begin(driven)
      await expect.poll(() => shown(other)).toMatchObject({ status: 'waiting', pending: 1 })
      expect(await approve(other)).toBe(true)
      await expect.poll(async () => (await shown(other)).words).toContain('Word by word. Word')
      expect(await shown(other)).toMatchObject({ status: 'running', ownership: 'other-tab' })
      await driven.goto(`${site.url}/missing.html`)
      await expect.poll(() => shown(other)).toMatchObject({ outcome: 'completed' })
      expect((await shown(other)).words).toContain(`"${LONG}"`)
      expect(await other.evaluate(() => localStorage.getItem('paid'))).toBe(` ${first}`)
      await other.close()
    },
  )

test(
  'F16 a page does not use the worker file of another version',
  MORE,
  async ({ driven, site }) => {
    serveBoth(site, otherProtocol)
    await open(driven, site, 'dist')
    const code = await driven.evaluate(async () => {
      const { agent } = window as unknown as Own
      await agent.dispose()
      const next = window.offstage.createAgent({
        model: { provider: 'scripted', model: 'scripted', script: { steps: [] } },
        worker: () => new Worker('/newer/worker.js', { type: 'module' }),
      })
      return next.prepare().then(
        () => 'taken',
        (error: { code: string }) => error.code,
      )
    })
    expect(code).toBe('protocol-mismatch')
  },
)

test('F22 F23 among incompatible tabs, one owns the run, and its tool runs once', async ({
  driven,
  site,
}) => {
  serveBoth(site, otherTabFormat)
  const other = await driven.openTab()
  await open(driven, site, 'dist')
  await begin(driven)
  await expect.poll(() => shown(driven)).toMatchObject({ status: 'waiting', pending: 1 })
  await open(other, site, 'newer')
  // Asked while the other one drives it: it may take the run over, or be refused, and never goes on beside it.
  await other.evaluate(() => {
    const own = window as unknown as Own
    void own.agent.resume('c').catch(() => undefined)
  })
  await approve(driven).catch(() => false)
  await driven.goto(`${site.url}/missing.html`)
  const outcome = await other.evaluate(async () => {
    const { agent } = window as unknown as Own
    const talk = agent.conversation('c')
    for (;;) {
      const { ended, pending } = talk.getSnapshot()
      if (ended !== undefined) return ended.outcome
      const [call] = pending
      if (call) await agent.approve({ conversationId: 'c', toolCallId: call.toolCallId })
      await agent.resume('c').catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })
  expect(outcome).toBe('completed')
  expect(await other.evaluate(() => localStorage.getItem('paid'))).toMatch(/^ (dist|newer)$/)
  await other.close()
})
