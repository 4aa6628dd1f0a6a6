import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { inProject } from '../../scripts/lib/project.mjs'
import { bundle } from './support/bundle.ts'
import { MORE } from './support/more.ts'
import { expect, test as base } from './support/test.ts'

// assistant-ui's own components on an agent: by the runtime of docs/integrations.md, and by theirs for the AI SDK.

const guide = readFileSync(inProject('docs/integrations.md'), 'utf8')
const [, adapter = ''] = /```jsx\n(\/\/ offstage-runtime\.jsx\n[^]*?)```/.exec(guide) ?? []

const RUNTIMES = {
  ours: { code: adapter, hook: "useOffstageRuntime(agent, 'c')" },
  'ai-sdk': {
    code: `
import { useChatRuntime } from '@assistant-ui/react-ai-sdk'
import { lastAssistantMessageIsCompleteWithApprovalResponses as isAnswered } from 'ai'
import { createChatTransport } from 'offstage/ai-sdk'`,
    hook: 'useChatRuntime({ transport, sendAutomaticallyWhen: isAnswered })',
  },
}

const page = ({ code, hook }: { code: string; hook: string }) => `
${code}
import {
  AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive,
} from '@assistant-ui/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createAgent, defineTool } from 'offstage'

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
        { match: ['talk'], steps: [{ text: 'on and '.repeat(3000) }] },
      ],
    },
  },
  tools: [defineTool({
    name: 'order',
    description: 'Orders.',
    inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    needsApproval: true,
    execute: ({ sku }) => {
      localStorage.setItem('orders', (localStorage.getItem('orders') ?? '') + sku + ' ')
      return 'ordered'
    },
  })],
})
${hook.includes('transport') ? 'const transport = createChatTransport(agent)' : ''}

const Tool = ({ toolName, args, result, respondToApproval, approval }) => (
  <fieldset>
    <legend>{toolName}</legend>
    <code>{JSON.stringify(args)} {JSON.stringify(result)}</code>
    {approval && approval.approved === undefined && result === undefined && (
      <button onClick={() => respondToApproval({ approved: true })}>Approve</button>
    )}
  </fieldset>
)
const Message = () => (
  <MessagePrimitive.Root role="article">
    <MessagePrimitive.Parts components={{ tools: { Fallback: Tool } }} />
  </MessagePrimitive.Root>
)

function Chat() {
  const runtime = ${hook}
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ Message }} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}
createRoot(document.body.appendChild(document.createElement('div'))).render(<StrictMode><Chat /></StrictMode>)
`

const test = base.extend<{ show: (runtime: keyof typeof RUNTIMES) => Promise<Page> }>({
  show: async ({ context, site }, use, { testId }) => {
    const errors: string[] = []
    await use(async (runtime) => {
      site.add(`/${testId}.js`, { body: await bundle(page(RUNTIMES[runtime])) })
      site.add(`/${testId}.html`, {
        body: `<!doctype html><title>Chat</title><body><script type="module" src="/${testId}.js"></script>`,
      })
      const opened = await context.newPage()
      opened.on('pageerror', (error) => errors.push(error.message))
      await opened.goto(`${site.url}/${testId}.html`)
      return opened
    })
    expect(errors).toEqual([])
  },
})
test.describe.configure({ timeout: 600_000 })

const say = async (shown: Page, text: string): Promise<void> => {
  await shown.getByLabel('Message').fill(text)
  await shown.getByRole('button', { name: 'Send' }).click()
}

const orders = (shown: Page): Promise<string | null> =>
  shown.evaluate(() => localStorage.getItem('orders'))

test(
  "the guide's runtime runs a tool, approved after a reload, and stops",
  MORE,
  async ({ show }) => {
    expect(adapter.split('\n').length - 1).toBeLessThanOrEqual(60)
    const shown = await show('ours')
    const messages = shown.getByRole('article')
    await say(shown, 'Please order')
    await expect(messages).toHaveText(['Please order', /I order it\..*"sku":"mug"/s])
    await expect(shown.getByRole('button', { name: 'Approve' })).toBeVisible()
    await shown.reload()
    expect(await orders(shown)).toBe(null)
    await shown.getByRole('button', { name: 'Approve' }).click()
    await expect(messages).toHaveText(['Please order', /"ordered"/, 'It is done.'])
    expect(await orders(shown)).toBe('mug ')

    await say(shown, 'Please talk')
    await expect(messages.last()).toContainText('on and on')
    await shown.getByRole('button', { name: 'Stop' }).click()
    await expect(shown.getByRole('button', { name: 'Stop' })).toBeDisabled()
  },
)

test("assistant-ui's runtime for the AI SDK works with the transport", MORE, async ({ show }) => {
  const shown = await show('ai-sdk')
  await say(shown, 'Please order')
  await shown.getByRole('button', { name: 'Approve' }).click()
  await expect(shown.getByRole('article').last()).toContainText('It is done.')
  expect(await orders(shown)).toBe('mug ')
})
