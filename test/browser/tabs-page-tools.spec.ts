import type { Page } from '@playwright/test'
import type { Agent } from '../../src/index.ts'
import { expect, test } from './support/test.ts'

// A page action is approved in the tab whose page it touches; other tabs show it.

interface Tab {
  agent: Agent
}

const CLICK = {
  steps: [
    { toolCalls: [{ toolName: 'click', input: { ref: 'Delete' } }] },
    { text: 'It is deleted.' },
  ],
}

function mount(page: Page): Promise<void> {
  return page.evaluate(async (script) => {
    const { pageTools } = (await import('/dist/page-tools.js' as string)) as {
      pageTools: () => never[]
    }
    const agent = window.offstage.createAgent({
      model: { provider: 'scripted', model: 'x', script: JSON.parse(script) as never },
      storage: { name: 'two-tabs' },
      toolApproval: 'writes',
      tools: pageTools(),
    })
    const conversation = agent.conversation('talk')
    conversation.subscribe(() => undefined)
    Object.assign(window, { tab: { agent } })
  }, JSON.stringify(CLICK))
}

const about = (page: Page) =>
  page.evaluate(() => {
    const { agent } = (window as unknown as { tab: Tab }).tab
    return agent.conversation('talk').getSnapshot().pending[0]?.about
  })

/** What became of it: taken or not, else the code of the error. */
const approve = (page: Page) =>
  page.evaluate(async () => {
    const conversation = (window as unknown as { tab: Tab }).tab.agent.conversation('talk')
    const [call] = conversation.getSnapshot().pending
    if (!call) return 'nothing waits'
    return conversation.approve(call).catch((error: { code: string }) => error.code)
  })

test('another tab shows a page action, and it is approved in its own', async ({
  openPage,
  context,
}) => {
  const body = `<button onclick="document.documentElement.dataset.deleted = ''">Delete</button>`
  const own = await openPage({ context, body })
  const other = await openPage({ context, body })
  await mount(own)
  await mount(other)
  await own.evaluate(() => {
    void (window as unknown as { tab: Tab }).tab.agent.run('Go', { conversationId: 'talk' })
  })
  for (const page of [own, other])
    await expect
      .poll(() => about(page))
      .toMatchObject({ text: 'button "Delete", deletes ("delete")', onPage: true })
  expect(await approve(other)).toBe('other-tab')
  expect(await about(other)).toMatchObject({ onPage: true })
  await own.mouse.click(1, 1)
  expect(await approve(own)).toBe(true)
  await expect(own.locator('html[data-deleted]')).toHaveCount(1)
  await expect(other.locator('html[data-deleted]')).toHaveCount(0)
})
