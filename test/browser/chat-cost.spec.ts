import type { Page } from '@playwright/test'
import type { Agent } from '../../src/index.ts'
import { expect, replies, test, unfinished } from './support/chat-page.ts'
import { say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'

// Counts how often the chat draws, and how much. Drawing causes most of its cost; `npm run bench` measures the time.

/** Starts a conversation with a history and shows it. Resolves once the model has answered. */
function begin(page: Page, history: readonly string[]): Promise<string> {
  return page.evaluate(async (texts) => {
    const { agent } = window as unknown as { agent: Agent }
    const conversationId = agent.newConversationId()
    const chat = document.querySelector('offstage-chat')
    if (chat) chat.conversationId = conversationId
    const history = texts.map((content, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content,
    }))
    await agent.run('The newest question', { conversationId, history }).result
    return conversationId
  }, history)
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `Message number ${at + 1}.`)

const show = (page: Page, conversationId: string): Promise<void> =>
  page.locator('offstage-chat').evaluate((chat, id) => {
    chat.setAttribute('conversation-id', id)
  }, conversationId)

test(
  'earlier messages are drawn only once each while scrolling to them',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('The newest answer.'))
    const { page } = await openChat(model)
    await begin(page, numbered(300))
    await expect(replies(page).last()).toContainText('The newest answer.')
    const log = page.getByRole('log')
    await expect(log).toHaveAttribute('aria-busy', 'false')
    const articles = page.getByRole('article')
    await expect.poll(() => articles.count()).toBeGreaterThanOrEqual(49)
    // A message writes its time as often as it is drawn.
    await page.evaluate(() => {
      const { toISOString } = Date.prototype
      const drawn = { count: 0 }
      Date.prototype.toISOString = function counted(this: Date) {
        drawn.count += 1
        return toISOString.call(this)
      }
      Object.assign(window, { drawn })
    })
    const before = await articles.count()
    await expect(async () => {
      await log.evaluate((element) => {
        element.scrollTop = 0
      })
      expect(await page.getByRole('button', { name: /Show earlier/ }).count()).toBe(0)
    }).toPass()
    const drawn = await page.evaluate(
      () => (window as unknown as { drawn: { count: number } }).drawn.count,
    )
    expect(drawn).toBe(302 - before)
    expect(await articles.count()).toBeLessThan(200)

    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await expect(replies(page).last()).toContainText('The newest answer.')
    await expect(replies(page).last()).toBeInViewport()
  },
)

test('a long complete answer is drawn in slices, without losing a character', async ({
  openChat,
  model,
}) => {
  model.enqueue(say('Read.'))
  const { page } = await openChat(model)
  await page.locator('offstage-chat').evaluate((chat) => {
    const grown: number[] = []
    Object.assign(window, { grown })
    let length = 0
    new MutationObserver(() => {
      const now = chat.shadowRoot?.querySelector('.log')?.textContent.length ?? 0
      grown.push(now - length)
      length = now
    }).observe(chat.shadowRoot ?? chat, { subtree: true, childList: true, characterData: true })
  })
  const paragraph = 'A paragraph with **words** in it, and a few more of them behind those.\n\n'
  await begin(page, ['Tell me all', `${paragraph.repeat(2500)}The end of it.`])
  await expect(replies(page).first()).toContainText('The end of it.')
  await expect(replies(page).first().locator('strong')).toHaveCount(2500)
  const grown = await page.evaluate(() => (window as unknown as { grown: number[] }).grown)
  expect(Math.max(...grown)).toBeLessThan(20_000)
})

test(
  'elements and listeners of previously viewed conversations are removed',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(...Array.from({ length: 30 }, () => say('The newest answer.')))
    const { page } = await openChat(model)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable')
    const counts = async (): Promise<{ nodes: number; listeners: number }> => {
      await cdp.send('HeapProfiler.collectGarbage')
      const { metrics } = await cdp.send('Performance.getMetrics')
      const of = (which: string): number => metrics.find(({ name }) => name === which)?.value ?? 0
      return { nodes: of('Nodes'), listeners: of('JSEventListeners') }
    }
    const ids: string[] = []
    for (let at = 0; at < 30; at += 1) ids.push(await begin(page, numbered(20)))
    const visit = async (some: readonly string[]): Promise<void> => {
      for (const id of some) {
        await show(page, id)
        await expect(page.getByRole('article')).toHaveCount(22)
      }
    }
    await visit(ids.slice(0, 10))
    const early = await counts()
    await visit(ids.slice(10))
    const late = await counts()
    // 20 conversations of 22 rows: less than one node for each row.
    expect(late.nodes - early.nodes).toBeLessThan(200)
    expect(late.listeners).toBeLessThan(early.listeners * 1.2)
  },
)

/** Texts of what is coloured, by kind. */
const colored = (page: Page): Promise<Record<string, string[]>> =>
  page.evaluate(() =>
    Object.fromEntries(
      [...CSS.highlights].map(([name, ranges]) => [
        name.replace('offstage-', ''),
        [...ranges].map(({ startContainer, startOffset, endContainer, endOffset }) => {
          const range = document.createRange()
          range.setStart(startContainer, startOffset)
          range.setEnd(endContainer, endOffset)
          return range.toString()
        }),
      ]),
    ),
  )

test(
  'code in view is coloured by a lazily loaded module, and its text stays unchanged',
  MORE,
  async ({ openChat, model }) => {
    const line = 'const total = sum("a", 12) // "all" of it\n'
    const code = line.repeat(1400)
    model.enqueue(
      say('No code in this answer.'),
      say('```ts\n// Short\nreturn 1\n```'),
      unfinished(`\`\`\`ts\n${code}/* half`),
      say('Then this.'),
    )
    const { page, send } = await openChat(model)
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    const parts = (): string[] => loaded.filter((url) => url.includes('code-colors'))
    await send('None')
    await expect(replies(page).last()).toContainText('No code')
    expect(parts()).toEqual([])
    await send('Some')
    await expect(replies(page).last()).toContainText('return 1')
    await expect
      .poll(() => colored(page))
      .toEqual({ comment: ['// Short'], keyword: ['return'], number: ['1'] })
    expect(parts()).toHaveLength(1)

    await send('More')
    const block = replies(page).last().locator('pre')
    await expect(block).toContainText('/* half')
    await expect.poll(async () => (await colored(page))['name']?.length ?? 0).toBeGreaterThan(10)
    expect(await block.evaluate(({ textContent }) => textContent)).toBe(`${code}/* half`)
    expect(await block.evaluate((pre) => pre.querySelectorAll('code *:not(.lines)').length)).toBe(0)
    // A selection has no more line breaks than the code.
    const selected = await block.evaluate((pre) => {
      getSelection()?.selectAllChildren(pre)
      return String(getSelection())
    })
    expect(selected.trim().split('\n')).toHaveLength(1401)
    const lines = async (): Promise<number> => (await colored(page))['name']?.length ?? 0
    expect(await lines()).toBeLessThan(60)
    await block.evaluate((pre) => {
      pre.scrollTop = pre.scrollHeight
    })
    await expect.poll(lines).toBeGreaterThan(10)
    // The line that is being written has no colours yet.
    expect((await colored(page))['comment']).not.toContain('/* half')
    expect(await lines()).toBeLessThan(60)

    await page.locator('offstage-chat').evaluate((chat) => chat.remove())
    await expect.poll(async () => Object.values(await colored(page)).flat()).toEqual([])
  },
)
