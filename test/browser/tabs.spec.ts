import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test'
import type { Agent, ConversationSnapshot, Script } from '../../src/index.ts'
import { needsDevTools } from './support/only-chromium.ts'
import { processOf } from './support/process-of.ts'
import { expect, test as base } from './support/test.ts'
import { MORE, inSlice } from './support/more.ts'

declare global {
  interface Window {
    tab: {
      readonly agent: Agent
      /** Tools that ran here. */
      readonly ran: string[]
      /** Texts that the tab showed. */
      readonly seen: string[]
      /** Storage modes that the tab reported. */
      readonly modes: string[]
      /** Outcome that the handle of a run started here reported. */
      end?: string
    }
  }
}

interface TabOptions {
  readonly context: BrowserContext
  readonly script?: Script
  /** False: as on a plain HTTP address. */
  readonly locks?: boolean
  /** False: without the tools that the run uses. */
  readonly tools?: boolean
  /** False: the list of the conversations is all that is shown. */
  readonly shows?: boolean
}

interface Fixtures {
  ownBrowser: Browser
  openTab: (options: TabOptions) => Promise<Page>
}

const WORDS = 'Word by word, until it is all there. '
/** Long enough for what happens meanwhile to be seen. */
const LONG = WORDS.repeat(40)
const writes = (text: string): Script => ({
  paceMs: 25,
  steps: [{ text: 'I look.', toolCalls: [{ toolName: 'look', input: {} }] }, { text }],
})
const WRITES = writes(LONG)
/**
 * Text for runs that are moved to another tab, or stopped. Long enough that no run ends before that, even on a slow
 * machine.
 */
const ENDLESS_TEXT = WORDS.repeat(2000)
const ENDLESS = writes(ENDLESS_TEXT)
/** Milliseconds for which other tabs leave a run to its tab after that tab closes. */
const HEIR_WAITS_MS = 2000
const PAYS: Script = {
  steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'It is paid.' }],
}

const test = base.extend<Fixtures>({
  ownBrowser: async ({ launchOptions }, use) => {
    const browser = await chromium.launch(launchOptions)
    await use(browser)
    await browser.close()
  },
  openTab: async ({ openPage, site }, use, testInfo) => {
    const without = `Object.defineProperty(navigator, 'locks', { value: undefined })`
    site.add('/no-locks.js', { body: without })
    site.add('/no-locks-worker.js', {
      body: `import './no-locks.js'\nimport './dist/worker.js'`,
    })
    const opened: Page[] = []
    await use(async ({ context, script = WRITES, locks = true, tools = true, shows = true }) => {
      if (!locks) await context.addInitScript(without)
      const page = await openPage({ context })
      opened.push(page)
      await mountOn(page, { script, locks, tools, shows })
      return page
    })
    if (testInfo.status === testInfo.expectedStatus) return
    for (const page of opened) console.error(await stateOf(page).catch(String))
  },
})

interface Given {
  readonly script: Script
  readonly locks: boolean
  readonly tools: boolean
  readonly shows: boolean
}

/** Passes the options as JSON, because the type of a script is too deep for `page.evaluate`. */
const mountOn = (page: Page, given: Given): Promise<void> =>
  page.evaluate(mount, JSON.stringify(given))

/** Runs in the page. */
function mount(text: string): void {
  const given: Given = JSON.parse(text)
  const { createAgent, defineTool } = window.offstage
  const ran: string[] = []
  const tool = (name: string, more: object) =>
    defineTool({
      name,
      description: name,
      ...more,
      async execute() {
        ran.push(name)
        return 'done'
      },
    })
  const agent = createAgent({
    model: { provider: 'scripted', model: 'scripted', script: given.script },
    controlTools: ['ask_user'],
    tools: given.tools
      ? [tool('look', { annotations: { readOnly: true } }), tool('pay', { needsApproval: true })]
      : [],
    ...(!given.locks && { workerUrl: '/no-locks-worker.js' }),
  })
  const seen: string[] = []
  const modes: string[] = []
  agent.on('storage', ({ mode }) => modes.push(mode))
  const talk = agent.conversation('c')
  if (given.shows) talk.subscribe(() => seen.push(JSON.stringify(talk.getSnapshot().messages)))
  else agent.conversations.subscribe(() => undefined)
  window.tab = { agent, ran, seen, modes }
}

const shown = (page: Page): Promise<ConversationSnapshot> =>
  page.evaluate(() => window.tab.agent.conversation('c').getSnapshot())
const contentOf = async (page: Page): Promise<object> => {
  const { ownership: _ownership, ...content } = await shown(page)
  return content
}
const begin = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const run = window.tab.agent.run('Go', { conversationId: 'c' })
    void run.result.then((result) => {
      window.tab.end = result.outcome === 'aborted' ? result.reason : result.outcome
    })
  })
const endOf = (page: Page) => page.evaluate(() => window.tab.end)
const textOf = async (page: Page): Promise<string> => {
  const { messages } = await shown(page)
  const last = messages.at(-1)
  const parts = last?.role === 'assistant' ? last.parts : []
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
const stateOf = async (page: Page): Promise<string> =>
  JSON.stringify({
    ...(await shown(page)),
    end: await endOf(page),
    modes: await page.evaluate(() => window.tab.modes),
  })
/** If nothing comes, the failure says what each tab shows instead. */
const isWriting = async (page: Page): Promise<void> => {
  const states = async () => (await Promise.all(page.context().pages().map(stateOf))).join('\n')
  await expect.poll(async () => (await textOf(page)) || states()).toMatch(/^Word by word/)
}
const whose = async (page: Page) => (await shown(page)).ownership
const outcome = async (page: Page) => (await shown(page)).ended?.outcome

for (const locks of [true, false]) {
  test.describe(locks ? 'with Web Locks' : 'without Web Locks', () => {
    test(
      'F22 tabs follow a run, even one opened later',
      inSlice(locks),
      async ({ context, openTab }) => {
        const one = await openTab({ context, locks, script: ENDLESS })
        const two = await openTab({ context, locks })
        await begin(one)
        await isWriting(two)
        const late = await openTab({ context, locks })
        await isWriting(late)
        expect(await Promise.all([one, two, late].map(whose))).toEqual([
          'this-tab',
          'other-tab',
          'other-tab',
        ])
        // Batch by batch, though not each of them falls into a frame of both.
        const shared = async (tab: Page) => {
          const seen = new Set(await one.evaluate(() => window.tab.seen))
          return (await tab.evaluate(() => window.tab.seen)).filter((each) => seen.has(each)).length
        }
        for (const tab of [two, late]) await expect.poll(() => shared(tab)).toBeGreaterThan(5)
        expect(await two.evaluate(() => window.tab.agent.conversation('c').abort('enough'))).toBe(
          true,
        )
        await expect.poll(() => endOf(one)).toBe('enough')
        for (const tab of [two, late])
          await expect.poll(() => contentOf(tab)).toEqual(await contentOf(one))
      },
    )

    test(
      'F22 when a tab is closed, its run continues in another tab',
      MORE,
      async ({ context, openTab }) => {
        const one = await openTab({ context, locks, script: ENDLESS })
        const lacking = await openTab({ context, locks, tools: false })
        const two = await openTab({ context, locks })
        await begin(one)
        await isWriting(lacking)
        await isWriting(two)
        await one.close()
        await expect.poll(() => whose(two)).toBe('this-tab')
        await expect.poll(() => whose(lacking)).toBe('other-tab')
        await expect.poll(() => outcome(two)).toBe('completed')
        await expect.poll(() => contentOf(lacking)).toEqual(await contentOf(two))
        expect(await textOf(two)).toBe(LONG)
      },
    )

    test('a tab takes a run over when a person asks for it', MORE, async ({ context, openTab }) => {
      const one = await openTab({ context, locks, script: ENDLESS })
      const two = await openTab({ context, locks })
      await begin(one)
      await isWriting(two)
      const result = two.evaluate(async () => {
        const run = await window.tab.agent.conversation('c').takeOver()
        const ended = await run?.result
        return ended?.outcome === 'aborted' ? ended.reason : ended?.outcome
      })
      await expect.poll(() => endOf(one)).toBe('taken-over')
      await expect.poll(() => whose(one)).toBe('other-tab')
      // A lease by messages may change hands again where a machine is so busy that they come late.
      expect(locks ? ['completed'] : ['completed', 'taken-over']).toContain(await result)
      await expect.poll(() => outcome(two)).toBe('completed')
      await expect.poll(() => contentOf(one)).toEqual(await contentOf(two))
    })
  })
}

test(
  'any tab approves; the tool runs in the tab that owns the run',
  MORE,
  async ({ context, openTab }) => {
    const one = await openTab({ context, script: PAYS })
    const two = await openTab({ context, script: PAYS })
    await begin(one)
    await expect.poll(async () => (await shown(two)).status).toBe('waiting')
    const toolCallId = (await shown(two)).pending[0]?.toolCallId ?? ''
    const approve = (page: Page) =>
      page.evaluate(
        (id) => window.tab.agent.approve({ conversationId: 'c', toolCallId: id }),
        toolCallId,
      )
    expect((await Promise.all([approve(one), approve(two)])).toSorted()).toEqual([false, true])
    await expect.poll(() => endOf(one)).toBe('completed')
    await expect.poll(() => contentOf(two)).toEqual(await contentOf(one))
    expect(await one.evaluate(() => window.tab.ran)).toEqual(['pay'])
    expect(await two.evaluate(() => window.tab.ran)).toEqual([])
  },
)

test('any tab answers a question, and can abort', MORE, async ({ context, openTab }) => {
  const script: Script = {
    paceMs: 25,
    steps: [
      { toolCalls: [{ toolName: 'ask_user', input: { question: 'Which one?' } }] },
      { text: ENDLESS_TEXT },
    ],
  }
  const one = await openTab({ context, script })
  const two = await openTab({ context, script })
  await begin(one)
  await expect.poll(async () => (await shown(two)).pending).toMatchObject([{ kind: 'answer' }])
  const answered = await two.evaluate(() => {
    const [call] = window.tab.agent.conversation('c').getSnapshot().pending
    return window.tab.agent.answer({ conversationId: 'c', toolCallId: call!.toolCallId }, 'This.')
  })
  expect(answered).toBe(true)
  await isWriting(two)
  expect(await two.evaluate(() => window.tab.agent.conversation('c').abort('enough'))).toBe(true)
  await expect.poll(() => endOf(one)).toBe('enough')
  await expect.poll(() => contentOf(two)).toEqual(await contentOf(one))
})

test(
  'a tab that shows only the list follows changes by other tabs',
  MORE,
  async ({ context, openTab }) => {
    const one = await openTab({ context, script: { steps: [{ text: 'Hello.' }] } })
    const list = await openTab({ context, shows: false })
    const listed = (): Promise<unknown> =>
      list.evaluate(() => window.tab.agent.conversations.getSnapshot().map(({ title }) => title))
    await list.evaluate(() => window.tab.agent.conversations.list())
    await begin(one)
    await expect.poll(listed).toEqual(['Go'])
    await expect.poll(() => outcome(one)).toBe('completed')
    for (const [title, shown] of [
      ['Greeting', 'Greeting'],
      ['', 'Go'],
    ] as const) {
      await one.evaluate((to) => window.tab.agent.conversations.rename('c', to), title)
      await expect.poll(listed).toEqual([shown])
    }
  },
)

test(
  'a conversation deleted by another tab is no longer shown or listed',
  MORE,
  async ({ context, openTab }) => {
    const one = await openTab({ context, script: { steps: [{ text: 'Hello.' }] } })
    const two = await openTab({ context })
    await two.evaluate(() => window.tab.agent.conversations.subscribe(() => undefined))
    await begin(one)
    await expect.poll(() => outcome(two)).toBe('completed')
    const listed = (): Promise<unknown> =>
      two.evaluate(() => {
        return JSON.stringify(
          window.tab.agent.conversations.getSnapshot().map(({ title }) => title),
        )
      })
    await expect.poll(listed).toBe('["Go"]')
    await one.evaluate(() => window.tab.agent.conversations.rename('c', 'Greeting'))
    await expect.poll(listed).toBe('["Greeting"]')
    await one.evaluate(() => window.tab.agent.conversations.delete('c'))
    await expect.poll(listed).toBe('[]')
    await expect.poll(async () => (await shown(two)).messages).toEqual([])
  },
)

test('F22 when a tab crashes, its run continues in another tab', async ({
  context,
  openTab,
  browserName,
}) => {
  needsDevTools(browserName)
  const one = await openTab({ context, script: ENDLESS })
  const two = await openTab({ context })
  await begin(one)
  await isWriting(two)
  const session = await context.newCDPSession(one)
  void session.send('Page.crash').catch(() => undefined)
  await expect.poll(() => outcome(two)).toBe('completed')
  expect(await textOf(two)).toBe(LONG)
})

test(
  'when a tab is frozen, its run continues in another, and it follows when thawed',
  MORE,
  async ({ ownBrowser, openTab, browserName }) => {
    needsDevTools(browserName)
    const context = await ownBrowser.newContext()
    const one = await openTab({ context, script: ENDLESS })
    const pid = await processOf(one, ownBrowser)
    const two = await openTab({ context })
    await begin(one)
    await isWriting(two)
    process.kill(pid, 'SIGSTOP')
    try {
      await expect.poll(() => whose(two)).toBe('this-tab')
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await expect.poll(() => endOf(one)).toBe('taken-over')
    await expect.poll(() => outcome(two)).toBe('completed')
    await expect.poll(() => contentOf(one)).toEqual(await contentOf(two))
  },
)

test('a reloaded page keeps its run', MORE, async ({ context, openTab }) => {
  const one = await openTab({ context, script: ENDLESS })
  const two = await openTab({ context })
  await begin(one)
  await isWriting(two)
  const leftAt = Date.now()
  await one.reload()
  await one.locator('html[data-ready]').waitFor({ state: 'attached' })
  await mountOn(one, { script: WRITES, locks: true, tools: true, shows: true })
  const result = one.evaluate(async () => {
    const resumed = await window.tab.agent.resume('c')
    const run = resumed ?? (await window.tab.agent.conversation('c').takeOver())
    return [resumed !== null, (await run?.result)?.outcome]
  })
  await expect.poll(() => whose(one)).toBe('this-tab')
  const wasAway = Date.now() - leftAt
  // The other tab is notified a little later.
  await expect.poll(() => whose(two)).toBe('other-tab')
  const [isResumed, outcomeOfIt] = await result
  expect(outcomeOfIt).toBe('completed')
  // If the page was away for longer, the other tab may have taken over the run.
  if (wasAway < HEIR_WAITS_MS) expect(isResumed).toBe(true)
})
