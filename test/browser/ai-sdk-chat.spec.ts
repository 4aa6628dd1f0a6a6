import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { inProject } from '../../scripts/lib/project.mjs'
import type { Agent } from '../../src/index.ts'
import { bundle } from './support/bundle.ts'
import { MORE } from './support/more.ts'
import { expect, test as base } from './support/test.ts'

// The chat of docs/ai-sdk.md in strict mode: React, `useChat` of @ai-sdk/react, and the built transport on an agent.

const guide = readFileSync(inProject('docs/ai-sdk.md'), 'utf8')
const [, chat = ''] = /```jsx\n(\/\/ chat\.jsx\n[^]*?)```/.exec(guide) ?? []

const PAGE = `
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createAgent, defineTool } from 'offstage'
import { loadUIMessages } from 'offstage/ai-sdk'
${chat}
const agent = createAgent({
  model: {
    provider: 'scripted',
    model: 'script',
    script: {
      paceMs: 25,
      pieceLength: 2,
      scenes: [
        { match: ['order'], steps: [
          { text: 'I order it.', toolCalls: [{ toolName: 'order', input: { sku: 'mug' } }] },
          { text: 'It is done.' },
        ] },
        { match: ['count'], steps: [{ text: Array.from({ length: 60 }, (_, at) => at + 1).join(' ') }] },
        { match: ['talk'], steps: [{ text: 'on and '.repeat(3000) }] },
      ],
      fallback: [{ text: 'Hello there.' }],
    },
  },
  tools: [defineTool({
    name: 'order',
    title: 'Place the order',
    description: 'Orders.',
    inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    needsApproval: true,
    execute: ({ sku }) => {
      localStorage.setItem('orders', (localStorage.getItem('orders') ?? '') + sku + ' ')
      return 'ordered'
    },
  })],
})
window.agent = agent
const stored = await loadUIMessages(agent, 'c')
const root = document.body.appendChild(document.createElement('div'))
createRoot(root).render(<StrictMode><Chat agent={agent} conversationId="c" stored={stored} /></StrictMode>)
`

// Tests run one after another: bundling takes longest, and parallel workers would each repeat it.
base.describe.configure({ mode: 'default', timeout: 600_000 })

let code: Promise<string> | undefined

const test = base.extend<{ chat: Page }>({
  chat: async ({ context, site }, use, testInfo) => {
    const address = `/${testInfo.testId}`
    site.add(`${address}.js`, { body: await (code ??= bundle(PAGE)) })
    site.add(`${address}.html`, {
      body: `<!doctype html><title>Chat</title><body><script type="module" src="${address}.js"></script>`,
    })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(`${site.url}${address}.html`)
    await use(page)
    expect(errors).toEqual([])
  },
})

const answers = (page: Page): ReturnType<Page['locator']> =>
  page.getByRole('region', { name: 'assistant' })

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

const ended = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    const { agent } = window as unknown as { agent: Agent }
    return agent.conversation('c').getSnapshot().ended
  })

const persons = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { agent } = window as unknown as { agent: Agent }
    const { messages } = agent.conversation('c').getSnapshot()
    return messages.filter(({ role }) => role === 'user').length
  })

const orders = (page: Page): Promise<string | null> =>
  page.evaluate(() => localStorage.getItem('orders'))

const ALL = Array.from({ length: 60 }, (_, at) => at + 1).join(' ')

test('text streams, and another message can follow', MORE, async ({ chat }) => {
  await say(chat, 'Please count')
  await expect(answers(chat)).toContainText('1 2 3')
  await expect(chat.locator('main')).toHaveAttribute('data-status', 'streaming')
  await expect(answers(chat)).toHaveText(ALL)
  await expect(chat.locator('main')).toHaveAttribute('data-status', 'ready')
  await say(chat, 'Hi')
  await expect(answers(chat).last()).toHaveText('Hello there.')
  expect(await persons(chat)).toBe(2)
})

test(
  'when the page reloads before an approval is answered, the tool runs once',
  MORE,
  async ({ chat }) => {
    await say(chat, 'Please order')
    await expect(chat.locator('fieldset')).toHaveAttribute('data-state', 'approval-requested')
    await expect(chat.locator('main')).toHaveAttribute('data-status', 'ready')
    await chat.reload()
    await expect(chat.locator('fieldset')).toHaveAttribute('data-state', 'approval-requested')
    expect(await orders(chat)).toBe(null)
    await chat.getByRole('button', { name: 'Approve' }).click()
    await expect(answers(chat)).toContainText('It is done.')
    await expect(chat.locator('fieldset')).toHaveAttribute('data-state', 'output-available')
    expect(await orders(chat)).toBe('mug ')
    await expect(answers(chat)).toHaveCount(1)
    expect(await persons(chat)).toBe(1)
    await expect(chat.getByRole('alert')).toHaveCount(0)
  },
)

test('a call can be denied', MORE, async ({ chat }) => {
  await say(chat, 'Please order')
  await chat.getByRole('button', { name: 'Deny' }).click()
  await expect(chat.locator('fieldset')).toHaveAttribute('data-state', 'output-denied')
  await expect(answers(chat)).toContainText('It is done.')
  expect(await orders(chat)).toBe(null)
})

test('an answer resumes after a reload in the middle, and appears once', async ({ chat }) => {
  await say(chat, 'Please count')
  await expect(answers(chat)).toContainText('1 2 3')
  await chat.reload()
  await expect(answers(chat)).toHaveText(ALL)
  await expect(chat.locator('main')).toHaveAttribute('data-status', 'ready')
  await expect(chat.getByRole('region', { name: 'user' })).toHaveText('Please count')
  expect(await ended(chat)).toMatchObject({ outcome: 'completed' })
  await chat.reload()
  await expect(answers(chat)).toHaveText(ALL)
})

test('stop ends the run', MORE, async ({ chat }) => {
  await say(chat, 'Please talk')
  await expect(answers(chat)).toContainText('on and on')
  await chat.getByRole('button', { name: 'Stop' }).click()
  await expect(chat.locator('main')).toHaveAttribute('data-status', 'ready')
  await expect.poll(() => ended(chat)).toMatchObject({ outcome: 'aborted', reason: 'stopped' })
})

test('regenerate creates a branch beside the answer', MORE, async ({ chat }) => {
  await say(chat, 'Hi')
  await expect(answers(chat)).toHaveText('Hello there.')
  await expect(chat.locator('main')).toHaveAttribute('data-status', 'ready')
  await chat.getByRole('button', { name: 'Again' }).click()
  const branches = (): Promise<number[]> =>
    chat.evaluate(() => {
      const { agent } = window as unknown as { agent: Agent }
      const { branches } = agent.conversation('c').getSnapshot()
      return Object.values(branches).map(({ ids }) => ids.length)
    })
  await expect.poll(branches).toEqual([2])
  await expect(answers(chat)).toHaveText('Hello there.')
  await expect(answers(chat)).toHaveCount(1)
  expect(await persons(chat)).toBe(1)
})
