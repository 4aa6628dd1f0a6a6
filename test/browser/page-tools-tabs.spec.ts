import type { Agent, Conversation } from '../../src/index.ts'
import { expect, property, test } from './support/driven.ts'
import type { DrivenPage } from './support/driven-page.ts'

// A page action is approved in the tab whose page it touches, by a press there; other tabs show it.

const HOST = `
import { createAgent } from '/dist/index.js'
import { pageTools } from '/dist/page-tools.js'
const script = {
  steps: [
    { toolCalls: [{ toolName: 'click', input: { ref: 'Delete' } }] },
    { text: 'It is deleted.' },
  ],
}
window.agent = createAgent({
  model: { provider: 'scripted', model: 'x', script },
  storage: { name: 'two-tabs' }, toolApproval: 'writes', tools: pageTools(), consent: 'person',
})
window.talk = window.agent.conversation('talk')
window.talk.subscribe(() => undefined)
document.documentElement.dataset.host = ''
`

interface Host {
  readonly agent: Agent
  readonly talk: Conversation
}

const about = (page: DrivenPage) =>
  page.evaluate(() => (window as unknown as Host).talk.getSnapshot().pending[0]?.about)

/** Approves the call. Returns whether the answer was accepted, or the error's code. */
const approve = (page: DrivenPage) =>
  page.evaluate(async () => {
    const { talk } = window as unknown as Host
    const [call] = talk.getSnapshot().pending
    if (!call) return 'nothing waits'
    return talk.approve(call).catch((error: { code: string }) => error.code)
  })

const isDeleted = (page: DrivenPage) =>
  page.evaluate(() => 'deleted' in document.documentElement.dataset)

test('another tab shows a page action, which is approved in its own tab', async ({
  driven,
  site,
}) => {
  site.add('/two-tabs.js', { body: HOST })
  site.add('/two-tabs.html', {
    body: `<!doctype html><title>Test</title><body><button onclick="document.documentElement.dataset.deleted = ''">Delete</button><script type="module" src="/two-tabs.js"></script>`,
  })
  const own = driven
  const other = await own.openTab()
  for (const page of [own, other]) {
    await page.goto(`${site.url}/two-tabs.html`)
    await expect.poll(() => property(page, 'html[data-host]', 'tagName')).toBe('HTML')
  }
  await own.evaluate(() => {
    void (window as unknown as Host).agent.run('Go', { conversationId: 'talk' })
  })
  for (const page of [own, other])
    await expect
      .poll(() => about(page))
      .toMatchObject({ text: 'button "Delete", has an effect ("delete")', onPage: true })
  await other.person.click(200, 200)
  expect(await approve(own)).toBe('consent-refused')
  expect(await approve(other)).toBe('other-tab')
  expect(await about(other)).toMatchObject({ onPage: true })
  await own.person.click(200, 200)
  expect(await approve(own)).toBe(true)
  await expect.poll(() => isDeleted(own)).toBe(true)
  expect(await isDeleted(other)).toBe(false)
  await other.close()
})
