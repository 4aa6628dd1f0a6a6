import type { Agent, Conversation } from '../../src/index.ts'
import { expect, property, test } from './support/driven.ts'
import { MORE } from './support/more.ts'
import { pressOn } from './support/person.ts'

// An approval that was requested before a reload is requested again after it. The new page needs a user gesture, too.

const HOST = `
import { createAgent } from '/dist/index.js'
const script = { steps: [{ toolCalls: [{ toolName: 'destroy', input: {} }] }, { text: 'Gone.' }] }
const agent = createAgent({
  model: { provider: 'scripted', model: 'x', script },
  storage: { name: 'consent-reload' }, consent: 'person',
  tools: [{
    name: 'destroy', description: 'Destroys everything.', annotations: { destructive: true },
    execute: () => { document.documentElement.dataset.destroyed = ''; return 'gone' },
  }],
})
window.agent = agent
window.talk = agent.conversation('talk')
window.talk.subscribe(() => undefined)
window.approve = () => window.talk.approve(window.talk.getSnapshot().pending[0]).then(String, ({ code }) => code)
if (await agent.resume() === null) agent.run('Go', { conversationId: 'talk' })
document.documentElement.dataset.host = ''
`

interface Host {
  readonly agent: Agent
  readonly talk: Conversation
  readonly approve: () => Promise<string>
}

test(
  "an approval requested before a reload needs a person's press after it",
  MORE,
  async ({ driven: page, site }) => {
    site.add('/consent-reload.js', { body: HOST })
    site.add('/consent-reload.html', {
      body: '<!doctype html><title>Test</title><body><button id="yes" onclick="approve().then((answer) => (document.title = answer))">Yes</button><script type="module" src="/consent-reload.js"></script>',
    })
    const open = async (): Promise<void> => {
      await page.goto(`${site.url}/consent-reload.html`)
      await expect.poll(() => property(page, 'html[data-host]', 'tagName')).toBe('HTML')
      await expect
        .poll(() =>
          page.evaluate(() => (window as unknown as Host).talk.getSnapshot().pending.length),
        )
        .toBe(1)
    }
    const isDestroyed = () => page.evaluate(() => 'destroyed' in document.documentElement.dataset)
    await open()
    await page.person.click(300, 300)
    await open()
    expect(await page.evaluate(() => (window as unknown as Host).approve())).toBe('consent-refused')
    expect(await isDestroyed()).toBe(false)
    await pressOn(page, '#yes')
    await expect.poll(() => page.evaluate(() => document.title)).toBe('true')
    await expect.poll(isDestroyed).toBe(true)
  },
)
