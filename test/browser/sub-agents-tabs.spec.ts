import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test'
import type { Agent } from '../../src/index.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { MockOpenAI, MockRequest, MockResponse } from './support/mock-openai.ts'
import { processOf } from './support/process-of.ts'
import { MORE } from './support/more.ts'
import { expect, test as base } from './support/test.ts'

declare global {
  interface Window {
    pair: { readonly boss: Agent; readonly expert: Agent; end?: string }
    /** Counted where no page can take it away. Resolves when the test says so. */
    charge(): Promise<void>
  }
}

/** Answers the agents' models, and provides the side effects outside the pages. */
class Office {
  /** Number of payments that were started. */
  charges = 0
  /** Functions that end the waits of the expert's model, its tool or the extraction, by name. */
  readonly held = new Map<'answer' | 'charge' | 'data', () => void>()
  holds: 'answer' | 'charge' | 'data' | null = null
  readonly asked: string[] = []

  async wait(what: 'answer' | 'charge' | 'data'): Promise<void> {
    if (this.holds !== what) return
    await new Promise<void>((resolve) => this.held.set(what, resolve))
  }

  goOn(): void {
    this.holds = null
    for (const resolve of this.held.values()) resolve()
  }

  readonly respond = async ({ body }: MockRequest): Promise<MockResponse> => {
    const text = JSON.stringify(body.messages)
    const isAnswered = body.messages?.some(({ role }) => role === 'tool') === true
    if (text.includes('outcome of this work')) {
      this.asked.push('data')
      await this.wait('data')
      return say('{"paid": true}')
    }
    if (text.includes('You are the expert.')) {
      this.asked.push('expert')
      if (!isAnswered) return callTools([{ name: 'pay', input: {}, id: 'pay_1' }])
      await this.wait('answer')
      return say('It is paid.')
    }
    this.asked.push('boss')
    return isAnswered
      ? say('The bill is paid.')
      : callTools([{ name: 'ask_expert', input: { prompt: 'Pay it.' }, id: 'ask_1' }])
  }
}

interface Fixtures {
  ownBrowser: Browser
  office: Office
  openTab: (options?: TabOptions) => Promise<Page>
}

interface TabOptions {
  readonly context?: BrowserContext
  readonly asks?: boolean
  readonly hasOutput?: boolean
  readonly isAlone?: boolean
}

/** A tab is known to be gone after ten seconds at most, on an idle machine. */
const LONG = { timeout: 90_000 }

const test = base.extend<Fixtures>({
  ownBrowser: async ({ launchOptions }, use) => {
    const browser = await chromium.launch(launchOptions)
    await use(browser)
    await browser.close()
  },
  office: async ({ model }, use) => {
    const office = new Office()
    model.respond = office.respond
    await use(office)
    office.goOn()
  },
  openTab: async ({ openPage, model, office, context: own }, use) => {
    const counting = new Set<BrowserContext>()
    await use(async ({ context = own, ...how } = {}) => {
      if (!counting.has(context)) {
        counting.add(context)
        await context.exposeFunction('charge', async () => {
          office.charges++
          await office.wait('charge')
        })
      }
      const page = await openPage({ context })
      await mount(page, model, how)
      return page
    })
  },
})

const mount = (
  page: Page,
  model: MockOpenAI,
  { asks = false, hasOutput = false, isAlone = false }: TabOptions = {},
): Promise<void> =>
  page.evaluate(
    (given) => {
      const { createAgent, defineTool } = window.offstage
      const modelOf = { provider: 'openai-compatible', model: 'mock', baseURL: given.url } as const
      const expert = createAgent({
        model: modelOf,
        instructions: 'You are the expert.',
        tools: [
          defineTool({
            name: 'pay',
            description: 'Pays.',
            needsApproval: given.asks,
            timeoutMs: 300_000,
            execute: async () => {
              await window.charge()
              return 'paid'
            },
          }),
        ],
      })
      const output = { type: 'object', properties: { paid: { type: 'boolean' } } } as const
      const tool = { name: 'ask_expert', description: 'Pays.', ...(given.hasOutput && { output }) }
      const boss = createAgent({
        model: modelOf,
        instructions: 'You are the boss.',
        tools: given.isAlone ? [] : [expert.asTool(tool)],
      })
      window.pair = { boss, expert }
      boss.conversation('talk').subscribe(() => undefined)
    },
    { url: model.baseURL, asks, hasOutput, isAlone },
  )

const begin = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const run = window.pair.boss.run('Pay the bill', { conversationId: 'talk' })
    void run.result.then((result) => {
      window.pair.end = result.outcome === 'aborted' ? result.reason : result.outcome
    })
  })

const shown = (page: Page) =>
  page.evaluate(() => {
    const snapshot = window.pair.boss.conversation('talk').getSnapshot()
    const { messages, ended, status, ownership, pending } = snapshot
    return { text: JSON.stringify(messages.at(-1)), ended, status, ownership, pending }
  })

const outcome = async (page: Page) => (await shown(page)).ended?.outcome

const approve = (page: Page) =>
  page.evaluate(() => {
    const [call] = window.pair.boss.conversation('talk').getSnapshot().pending
    return call !== undefined && window.pair.boss.approve(call)
  })

/** All conversations of the store that have an open run. */
const unfinished = (page: Page) =>
  page.evaluate(async () => {
    const all = await window.pair.boss.conversations.list({ unfinished: true, children: true })
    return all.map(({ conversationId }) => conversationId)
  })

const crash = async (page: Page): Promise<void> => {
  const session = await page.context().newCDPSession(page)
  void session.send('Page.crash').catch(() => undefined)
}

for (const how of ['closed', 'crashed'] as const) {
  const kill = (page: Page): Promise<void> => (how === 'closed' ? page.close() : crash(page))

  test(
    `when a tab is ${how} while its sub-agent works, another resumes both`,
    MORE,
    async ({ office, openTab }) => {
      office.holds = 'answer'
      const one = await openTab()
      const two = await openTab()
      await begin(one)
      await expect.poll(() => office.held.has('answer')).toBe(true)
      await expect.poll(async () => (await shown(two)).ownership).toBe('other-tab')
      await kill(one)
      office.holds = null
      await expect.poll(() => outcome(two), LONG).toBe('completed')
      expect((await shown(two)).text).toContain('The bill is paid.')
      expect(office.charges).toBe(1)
      // The step that was cut off is asked again, as of any run.
      expect(office.asked).toEqual(['boss', 'expert', 'expert', 'expert', 'boss'])
      expect(await unfinished(two)).toEqual([])
    },
  )

  test(
    `when a tab is ${how} during a sub-agent's tool call, the tool is not run again`,
    MORE,
    async ({ office, openTab }) => {
      office.holds = 'charge'
      const one = await openTab()
      const two = await openTab()
      await begin(one)
      await expect.poll(() => office.charges).toBe(1)
      await expect.poll(async () => (await shown(two)).ownership).toBe('other-tab')
      await kill(one)
      await expect.poll(() => outcome(two), LONG).toBe('completed')
      expect(office.charges).toBe(1)
      expect(await unfinished(two)).toEqual([])
    },
  )

  test(
    `when a tab is ${how} while its sub-agent awaits approval, the next one requests it`,
    MORE,
    async ({ office, openTab }) => {
      const one = await openTab({ asks: true })
      const two = await openTab({ asks: true })
      await begin(one)
      await expect.poll(async () => (await shown(two)).pending, LONG).toHaveLength(1)
      await kill(one)
      expect(await approve(two)).toBe(true)
      await expect.poll(() => outcome(two), LONG).toBe('completed')
      expect(office.charges).toBe(1)
      expect(office.asked).toEqual(['boss', 'expert', 'expert', 'boss'])
    },
  )

  test(
    `when a tab is ${how} while a sub-agent's answer is extracted, another answers the call`,
    MORE,
    async ({ office, openTab }) => {
      office.holds = 'data'
      const one = await openTab({ hasOutput: true })
      const two = await openTab({ hasOutput: true })
      await begin(one)
      await expect.poll(() => office.held.has('data')).toBe(true)
      await expect.poll(async () => (await shown(two)).text).toContain('suspended')
      await kill(one)
      office.holds = null
      await expect.poll(() => outcome(two), LONG).toBe('completed')
      expect(office.asked).toEqual(['boss', 'expert', 'expert', 'data', 'data', 'boss'])
      expect(office.charges).toBe(1)
    },
  )
}

test('a tab without the agent is skipped', MORE, async ({ office, openTab }) => {
  office.holds = 'answer'
  const one = await openTab()
  const two = await openTab({ isAlone: true })
  await begin(one)
  await expect.poll(() => office.held.has('answer')).toBe(true)
  await expect.poll(async () => (await shown(two)).ownership).toBe('other-tab')
  const three = await openTab()
  await expect.poll(async () => (await shown(three)).ownership).toBe('other-tab')
  await one.close()
  office.holds = null
  await expect.poll(() => outcome(three), LONG).toBe('completed')
  await expect.poll(() => outcome(two), LONG).toBe('completed')
  expect(office.charges).toBe(1)
})

test(
  'a tab frozen while its sub-agent works follows when it thaws',
  MORE,
  async ({ ownBrowser, office, openTab }) => {
    const context = await ownBrowser.newContext()
    office.holds = 'answer'
    const one = await openTab({ context })
    const pid = await processOf(one, ownBrowser)
    const two = await openTab({ context })
    await begin(one)
    await expect.poll(() => office.held.has('answer')).toBe(true)
    await expect.poll(async () => (await shown(two)).ownership).toBe('other-tab')
    process.kill(pid, 'SIGSTOP')
    try {
      office.goOn()
      await expect.poll(() => outcome(two), LONG).toBe('completed')
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect((await shown(two)).text).toContain('The bill is paid.')
    await expect.poll(() => outcome(one)).toBe('completed')
    // The handle ended with the run, or when the run moved to the other tab, whichever it noticed first.
    await expect.poll(() => one.evaluate(() => window.pair.end)).toMatch(/taken-over|completed/)
    expect(office.charges).toBe(1)
    expect(await unfinished(two)).toEqual([])
  },
)

test(
  'a reloaded page keeps its run and its sub-agent',
  MORE,
  async ({ office, openTab, model }) => {
    office.holds = 'answer'
    const one = await openTab()
    const two = await openTab()
    await begin(one)
    await expect.poll(() => office.held.has('answer')).toBe(true)
    await one.reload()
    await one.locator('html[data-ready]').waitFor({ state: 'attached' })
    await mount(one, model)
    await one.evaluate(() => void window.pair.boss.resume('talk'))
    await expect.poll(async () => (await shown(one)).ownership).toBe('this-tab')
    await expect.poll(async () => (await shown(two)).ownership).toBe('other-tab')
    office.goOn()
    await expect.poll(() => outcome(one)).toBe('completed')
    expect(office.charges).toBe(1)
  },
)
