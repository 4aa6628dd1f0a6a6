import { readFileSync } from 'node:fs'
import { inProject } from '../../scripts/lib/project.mjs'
import { bundle } from './support/bundle.ts'
import { callTools, say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// The worker file of docs/ai-sdk.md, bundled as an app's is, with the vendor's own package in it.

test(
  "an agent on an AI SDK model runs a tool with the page's key, across a reload",
  MORE,
  async ({ openPage, model, site }) => {
    const guide = readFileSync(inProject('docs/ai-sdk.md'), 'utf8')
    const [, code = ''] = /```js\n(\/\/ my-worker\.js\n[^]*?)```/.exec(guide) ?? []
    site.add('/ai-sdk-worker.js', { body: await bundle(code) })
    const page = await openPage()
    model.enqueue(callTools([{ name: 'order', input: { sku: 'mug' } }]), say('Ordered.'))
    const begin = `
    const { createAgent, defineTool } = window.offstage
    window.orders = []
    window.agent = createAgent({
      model: { provider: 'ai-sdk', model: 'small', baseURL: '${model.baseURL}', apiKey: () => 'dummy-key' },
      worker: () => new Worker('/ai-sdk-worker.js', { type: 'module' }),
      tools: [defineTool({
        name: 'order',
        description: 'Orders.',
        inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
        needsApproval: true,
        execute: ({ sku }) => { window.orders.push(sku); return 'ordered' },
      })],
    })`
    await page.evaluate(`{${begin}
    const view = window.agent.conversation('c')
    window.agent.run('A mug', { conversationId: 'c' })
    new Promise((resolve) => view.subscribe(() => view.getSnapshot().pending.length && resolve()))
  }`)
    await page.reload()
    const after = await page.evaluate(`(async () => {${begin}
    const run = await window.agent.resume('c')
    const view = window.agent.conversation('c')
    view.subscribe(() => {
      const [call] = view.getSnapshot().pending
      if (call) void window.agent.approve(call)
    })
    const { outcome, text } = await run.result
    return { outcome, text, orders: window.orders }
  })()`)
    expect(after).toEqual({ outcome: 'completed', text: 'Ordered.', orders: ['mug'] })
    expect(model.requests).toHaveLength(2)
    expect(model.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer dummy-key',
      'Bearer dummy-key',
    ])
  },
)
