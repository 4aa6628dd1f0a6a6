import { callTools, say } from './support/mock-answers.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, reload, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

/** Registers the counting tool, and resumes; the counts live in localStorage, which outlives the page. */
async function openShop(
  page: DrivenPage,
  options: {
    readonly baseURL: string
    readonly idempotent: boolean
    readonly hang: boolean
    readonly act: 'run' | 'resume'
    readonly registerAfterMs?: number | null
    readonly waitForToolsMs?: number
  },
): Promise<unknown> {
  return page.evaluate(async (given) => {
    const { createAgent, defineTool } = window.offstage
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL: given.baseURL },
    })
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { idempotent: given.idempotent },
      execute: (_input, { idempotencyKey }) => {
        localStorage.setItem('paid', String(Number(localStorage.getItem('paid') ?? 0) + 1))
        localStorage.setItem(`key${localStorage.getItem('paid')}`, idempotencyKey)
        return given.hang ? new Promise<never>(() => undefined) : 'paid'
      },
    })
    const { registerAfterMs = 0 } = given
    if (registerAfterMs === 0) agent.registerTool(pay)
    else if (registerAfterMs !== null) setTimeout(() => agent.registerTool(pay), registerAfterMs)
    if (given.act === 'run') {
      const run = agent.run('Pay, please', { conversationId: 'shop' })
      for await (const event of run) if (event.type === 'tool-execution-start') break
      return null
    }
    const run = await agent.resume('shop', { waitForToolsMs: given.waitForToolsMs ?? 10_000 })
    const types: string[] = []
    if (run) for await (const event of run) types.push(event.type)
    return { result: await run?.result, types }
  }, options)
}

const paid = (page: DrivenPage) => page.evaluate(() => Number(localStorage.getItem('paid') ?? 0))

/** A page that was reloaded while its tool had taken effect and not returned. */
async function reloadedWhilePaying(
  openPage: (page: { hasPackage: true }) => Promise<DrivenPage>,
  shop: { readonly baseURL: string; readonly idempotent: boolean },
): Promise<DrivenPage> {
  const page = await openPage({ hasPackage: true })
  await openShop(page, { ...shop, hang: true, act: 'run' })
  await expect.poll(() => paid(page)).toBe(1)
  await reload(page)
  return page
}

test.describe('a reload while a tool is executing', () => {
  test.beforeEach(({ model }) => {
    model.enqueue(callTools([{ name: 'pay', input: {} }]), say('All settled.'))
  })

  test('F18 never runs a writing tool again; the model gets an unknown outcome', async ({
    openPage,
    model,
  }) => {
    const { baseURL } = model
    const page = await reloadedWhilePaying(openPage, { baseURL, idempotent: false })
    const resumed = await openShop(page, { baseURL, idempotent: false, hang: false, act: 'resume' })
    expect(resumed).toMatchObject({
      result: {
        outcome: 'completed',
        text: 'All settled.',
        toolCalls: [{ status: 'interrupted' }],
      },
    })
    expect(await paid(page)).toBe(1)
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('may or may not have')
    const again = await openShop(page, { baseURL, idempotent: false, hang: false, act: 'resume' })
    expect(again).toEqual({ result: undefined, types: [] })
  })

  test('runs an idempotent tool again under the same key', async ({ openPage, model }) => {
    const { baseURL } = model
    const page = await reloadedWhilePaying(openPage, { baseURL, idempotent: true })
    const resumed = await openShop(page, { baseURL, idempotent: true, hang: false, act: 'resume' })
    expect(resumed).toMatchObject({
      result: { outcome: 'completed', toolCalls: [{ status: 'succeeded' }] },
    })
    expect(await paid(page)).toBe(2)
    const keys = await page.evaluate(() => [localStorage['key1'], localStorage['key2']])
    expect(keys[0]).toBe(keys[1])
  })

  test('waits for a tool that is registered 3 s after resume', async ({ openPage, model }) => {
    const { baseURL } = model
    const page = await reloadedWhilePaying(openPage, { baseURL, idempotent: true })
    const resumed = (await openShop(page, {
      baseURL,
      idempotent: true,
      hang: false,
      act: 'resume',
      registerAfterMs: 3000,
    })) as { types: string[] }
    expect(resumed).toMatchObject({
      result: { outcome: 'completed', toolCalls: [{ status: 'succeeded' }] },
    })
    expect(resumed.types).toContain('tool-unavailable')
    expect(await paid(page)).toBe(2)
  })

  test(
    'gives up on a tool that is never registered, and the run continues',
    MORE,
    async ({ openPage, model }) => {
      const { baseURL } = model
      const page = await reloadedWhilePaying(openPage, { baseURL, idempotent: true })
      const resumed = await openShop(page, {
        baseURL,
        idempotent: true,
        hang: false,
        act: 'resume',
        registerAfterMs: null,
        waitForToolsMs: 500,
      })
      expect(resumed).toMatchObject({
        result: { outcome: 'completed', toolCalls: [{ status: 'interrupted' }] },
      })
      expect(await paid(page)).toBe(1)
    },
  )
})

test(
  'F18 after a reload during streaming, the step is requested again, with one answer',
  MORE,
  async ({ openPage, model }) => {
    // Without the server's word that it is whole.
    const half = (say('Half an ans').pieces ?? []).slice(0, -1)
    model.enqueue({ pieces: half, end: 'hang' }, say('The whole answer.'))
    const page = await openPage({ hasPackage: true })
    await page.evaluate(async (baseURL) => {
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
      })
      for await (const event of agent.run('Tell me', { conversationId: 'tale' }))
        if (event.type === 'text-delta') break
    }, model.baseURL)
    await reload(page)
    const { result, messages } = await page.evaluate(async (baseURL) => {
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
      })
      const run = await agent.resume()
      const result = await run?.result
      return { result, messages: (await agent.conversations.get('tale'))?.messages }
    }, model.baseURL)
    expect(result).toMatchObject({ outcome: 'completed', text: 'The whole answer.' })
    expect(messages?.map((message) => message.role)).toEqual(['user', 'assistant'])
  },
)

test('F18 an approval survives a reload', async ({ openPage, model }) => {
  model.enqueue(callTools([{ name: 'drop', input: { n: 1 } }]), say('Gone.'))
  const page = await openPage({ hasPackage: true })
  const open = (act: 'run' | 'resume') =>
    page.evaluate(
      async ({ act, baseURL }) => {
        const { createAgent, defineTool } = window.offstage
        const agent = createAgent({
          model: { provider: 'openai-compatible', model: 'mock', baseURL },
          tools: [
            defineTool({
              name: 'drop',
              description: 'Deletes everything.',
              inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
              annotations: { destructive: true },
              execute: (input) => {
                document.body.dataset['dropped'] = String(input.n)
              },
            }),
          ],
        })
        if (act === 'run') {
          for await (const event of agent.run('Drop it', { conversationId: 'd' }))
            if (event.type === 'tool-approval-request') break
          return null
        }
        const run = await agent.resume()
        const view = agent.conversation('d')
        const off = view.subscribe(() => undefined)
        while (view.getSnapshot().pending.length === 0) await new Promise((r) => setTimeout(r, 10))
        const [pending] = view.getSnapshot().pending
        off()
        const taken = await agent.approve(pending?.toolCallId ?? '')
        const twice = await agent.approve(pending?.toolCallId ?? '')
        return { result: await run?.result, taken, twice }
      },
      { act, baseURL: model.baseURL },
    )
  await open('run')
  expect(await page.evaluate(() => document.body.dataset['dropped'])).toBeUndefined()
  await reload(page)
  expect(await open('resume')).toMatchObject({
    result: { outcome: 'completed', text: 'Gone.' },
    taken: true,
    twice: false,
  })
  expect(await page.evaluate(() => document.body.dataset['dropped'])).toBe('1')
})
