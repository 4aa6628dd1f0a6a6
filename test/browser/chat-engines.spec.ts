import type { DrivenPage } from './support/driven-page.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// The chat by role and name, as far as every browser's driver goes: chat*.spec.ts need Playwright, which drives no WebKitGTK.

const HOST = `
import { createAgent, defineTool } from '/dist/index.js'
import '/dist/chat.js'
const call = (toolName, input = {}) => ({ toolCalls: [{ toolName, input }] })
const script = { steps: [
  call('ask_user', { question: 'Which colour?', options: ['Blue', 'Red'] }),
  call('order', { sku: 'mug' }),
  { text: '# Ordered\\n\\nA **red** one.\\n\\n| a | b |\\n| - | - |\\n| 1 | 2 |\\n\\n- [x] done' },
] }
window.orders = []
const agent = createAgent({
  model: { provider: 'scripted', model: 'x', script },
  storage: 'memory', consent: 'person', controlTools: ['ask_user'],
  tools: [defineTool({
    name: 'order', title: 'Place the order', description: 'Orders.', needsApproval: true,
    inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
    execute: (input) => { window.orders.push(input); return 'Ordered.' },
  })],
})
document.querySelector('offstage-chat').agent = agent
`

interface Wanted {
  readonly role: 'article' | 'button' | 'group' | 'log' | 'region' | 'textbox'
  readonly name: string
}

interface Found {
  readonly text: string
  /** Centre of the text, in pixels of the viewport. */
  readonly x: number
  readonly y: number
  /** Whether the element itself is at that point and receives the click. */
  readonly isOnTop: boolean
}

/** The newest element of the chat with a role and a name; null without one. */
function find(page: DrivenPage, wanted: Wanted): Promise<Found | null> {
  return page.evaluate(async ({ role, name }: Wanted): Promise<Found | null> => {
    const TAGS = {
      article: 'article',
      button: 'button',
      group: '[role=group], fieldset',
      log: '[role=log]',
      region: 'section, [role=region]',
      textbox: 'textarea, input:not([type]), input[type=text]',
    }
    const root = document.querySelector('offstage-chat')?.shadowRoot
    const nameOf = (element: Element): string => {
      const label = root?.getElementById(element.getAttribute('aria-labelledby') ?? '')
      const named = (label ?? element).cloneNode(true) as Element
      for (const hidden of named.querySelectorAll('[aria-hidden=true]')) hidden.remove()
      return element.getAttribute('aria-label') ?? named.textContent.replace(/\s+/g, ' ').trim()
    }
    const element = [...(root?.querySelectorAll(TAGS[role]) ?? [])].findLast(
      (each) => nameOf(each) === name && !each.matches(':disabled'),
    )
    if (!root || !element) return null
    element.scrollIntoView({ block: 'nearest' })
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const { left, top, width, height } = element.getBoundingClientRect()
    const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)]
    const isOnTop = element.contains(root.elementFromPoint(x, y))
    return { text: element.textContent, x, y, isOnTop }
  }, wanted)
}

async function press(page: DrivenPage, name: string): Promise<void> {
  await expect
    .poll(async () => (await find(page, { role: 'button', name }))?.isOnTop, { message: name })
    .toBe(true)
  const found = await find(page, { role: 'button', name })
  if (found) await page.person.click(found.x, found.y)
}

const textOf = (page: DrivenPage, role: Wanted['role'], name: string): Promise<string> =>
  find(page, { role, name }).then((found) => found?.text ?? '')

async function send(page: DrivenPage, text: string): Promise<void> {
  await page.evaluate((text: string) => {
    const prompt = document.querySelector('offstage-chat')?.shadowRoot?.querySelector('textarea')
    if (!prompt) throw new Error('No place to write.')
    prompt.value = text
    prompt.dispatchEvent(new Event('input', { bubbles: true }))
  }, text)
  await press(page, 'Send')
}

test(
  'the chat shows a question, an approval by press, a Markdown answer, and the list',
  MORE,
  async ({ driven: page, site }) => {
    site.add('/chat-engines.js', { body: HOST })
    site.add('/chat-engines.html', {
      body: '<!doctype html><title>Test</title><body style="margin:0"><offstage-chat style="height:100vh"></offstage-chat><script type="module" src="/chat-engines.js"></script>',
    })
    await page.goto(`${site.url}/chat-engines.html`)
    await expect.poll(() => find(page, { role: 'textbox', name: 'Message' })).not.toBeNull()
    expect(await find(page, { role: 'log', name: 'Messages' })).not.toBeNull()

    await send(page, 'I want a mug')
    // A card that has just appeared takes no press.
    await page.evaluate(() => new Promise<void>((resolve) => setTimeout(resolve, 1000)))
    await press(page, 'Red')
    await expect.poll(() => textOf(page, 'group', 'Place the order')).toMatch(/Sku\s*mug/)
    await press(page, 'Approve')
    await expect.poll(() => textOf(page, 'article', 'Assistant')).toContain('A red one.')
    expect(await textOf(page, 'group', 'Place the order')).toContain('Ordered.')
    expect(await page.evaluate(() => (window as unknown as { orders: unknown[] }).orders)).toEqual([
      { sku: 'mug' },
    ])
    const tags = await page.evaluate(() => {
      const root = document.querySelector('offstage-chat')?.shadowRoot
      return ['h3', 'strong', 'table td', 'li input[type=checkbox]'].filter(
        (each) => root?.querySelector(`.markdown ${each}`) != null,
      )
    })
    expect(tags).toHaveLength(4)

    await press(page, 'Conversations')
    await expect.poll(() => textOf(page, 'region', 'Conversations')).toContain('I want a mug')
    expect(await page.errors()).toEqual([])
  },
)
