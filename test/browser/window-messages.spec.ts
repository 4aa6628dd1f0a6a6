import type { Agent } from '../../src/index.ts'
import { callTools, say } from './support/mock-answers.ts'
import { serveSite } from './support/site.ts'
import { expect, test } from './support/test.ts'

// Page and worker talk by ports that only they have. A frame can only post to the page's window.

declare global {
  interface Window {
    readonly talk: {
      readonly agent: Agent
      readonly orders: unknown[]
      readonly warnings: string[]
      /** All that page and worker sent to each other, as JSON. */
      readonly sent: string[]
    }
  }
}

/** Posts to the page whatever the page sends it, and then 'posted'. */
const FRAME = `<!doctype html><title>Frame</title><script>
addEventListener('message', ({ data }) => {
  for (const message of data) parent.postMessage(message, '*')
  parent.postMessage('posted', '*')
})
parent.postMessage('ready', '*')
</script>`

const ENTRIES = ['chat', 'inspector', 'mcp', 'page-tools', 'webllm', 'webmcp', 'wllama']

for (const origin of ['the page’s', 'another'] as const)
  test(`S11 messages of the worker’s protocol from a frame of ${origin} origin are ignored`, async ({
    openPage,
    site,
    model,
  }) => {
    const order = (sku: string) => callTools([{ name: 'order', input: { sku } }])
    model.enqueue(order('mug'), say('Ordered.'), order('bowl'), say('Ordered, too.'))
    const foreign = await serveSite({ folders: {} })
    const server = origin === 'another' ? foreign : site
    server.add('/frame.html', { body: FRAME })
    const page = await openPage()
    await page.evaluate(
      async ({ baseURL, entries }) => {
        const sent: string[] = []
        const note = (data: unknown): void => void sent.push(JSON.stringify(data))
        for (const { prototype } of [Worker, MessagePort]) {
          const post = prototype.postMessage as (...all: unknown[]) => void
          prototype.postMessage = function (this: Worker | MessagePort, ...all: unknown[]) {
            note(all[0])
            return post.apply(this, all)
          }
        }
        window.MessageChannel = class extends MessageChannel {
          constructor() {
            super()
            this.port1.addEventListener('message', ({ data }) => note(data))
          }
        }
        await Promise.all(entries.map((entry) => import(`/dist/${entry}.js` as string)))
        const orders: unknown[] = []
        const warnings: string[] = []
        const agent = window.offstage.createAgent({
          model: { provider: 'openai-compatible', model: 'mock', baseURL },
          storage: 'memory',
          consent: 'page',
          tools: [
            window.offstage.defineTool({
              name: 'order',
              description: 'Orders.',
              inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
              needsApproval: true,
              execute: ({ sku }) => {
                orders.push(sku)
                return 'Ordered.'
              },
            }),
          ],
          worker: () => {
            const worker = new Worker('/dist/worker.js', { type: 'module' })
            worker.addEventListener('message', ({ data }) => note(data))
            return worker
          },
        })
        agent.on('warning', ({ code }) => warnings.push(code))
        agent.conversation('talk').subscribe(() => undefined)
        Object.assign(window, { talk: { agent, orders, warnings, sent } })
      },
      { baseURL: model.baseURL, entries: ENTRIES },
    )
    const asked = (text: string) =>
      page.evaluate(async (text) => {
        const { agent } = window.talk
        const run = agent.run(text, { conversationId: 'talk' })
        Object.assign(window, { run })
        for await (const event of run)
          if (event.type === 'tool-approval-request')
            return { runId: run.runId, toolCallId: event.toolCallId }
        throw new Error('No approval was requested.')
      }, text)
    const approve = (toolCallId: string) =>
      page.evaluate(async (toolCallId) => {
        const { run, talk } = window as unknown as Window & { run: ReturnType<Agent['run']> }
        await talk.agent.approve(toolCallId)
        return run.result
      }, toolCallId)
    const seen = () =>
      page.evaluate(() => {
        const { agent, orders, warnings } = window.talk
        const { status, pending, messages } = agent.conversation('talk').getSnapshot()
        return { status, pending: pending.length, messages: messages.length, orders, warnings }
      })

    const first = await asked('A mug')
    expect(await approve(first.toolCallId)).toMatchObject({ text: 'Ordered.' })
    const second = await asked('A bowl')
    await expect.poll(async () => (await seen()).pending).toBe(1)
    const before = await seen()
    expect(before).toMatchObject({ status: 'waiting', orders: ['mug'], warnings: [] })

    await page.evaluate(
      ({ src, ids }) => {
        const { sent } = window.talk
        // Messages about the first call, unchanged, and changed to be about the second, under new ids.
        const forged = sent.map((message, at) =>
          message
            .replaceAll(ids.first.runId, ids.second.runId)
            .replace(/"toolCallId":"[^"]*"/g, `"toolCallId":"${ids.second.toolCallId}"`)
            .replace(/"executionId":"[^"]*"/g, `"executionId":"forged:${at}"`)
            .replace(/^\{"id":"[^"]*"/, `{"id":"forged-${at}"`),
        )
        const messages = [...sent, ...forged].map((message) => JSON.parse(message) as unknown)
        const frame = document.createElement('iframe')
        frame.src = src
        return new Promise<void>((resolve) => {
          window.addEventListener('message', ({ data }) => {
            if (data === 'ready') frame.contentWindow?.postMessage(messages, '*')
            // Messages arrive in order, so all others were here.
            if (data === 'posted') resolve()
          })
          document.body.append(frame)
        })
      },
      { src: `${server.url}/frame.html`, ids: { first, second } },
    )
    const said = await page.evaluate(() => window.talk.sent.join('\n'))
    for (const name of ['answerCall', 'executeTool', 'startRun', 'text-delta'])
      expect(said, `${name} was among them`).toContain(name)
    // The answer to a question comes after all that the messages could have begun.
    await page.evaluate(() => window.talk.agent.conversations.list())
    expect(await seen()).toEqual(before)

    expect(await approve(second.toolCallId)).toMatchObject({
      outcome: 'completed',
      text: 'Ordered, too.',
    })
    expect(await seen()).toMatchObject({ pending: 0, orders: ['mug', 'bowl'], warnings: [] })
    expect(model.requests).toHaveLength(4)
    await foreign.close()
  })
