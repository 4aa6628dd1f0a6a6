import { expect, test } from './support/engines.ts'
import { MORE } from './support/more.ts'

// Stubs take the place of models that need a GPU, weights or a browser that has one. All else is
// real: the page, the agent's worker, the engine's worker and the line between them.

test(
  'WebLLM’s adapter in a worker reports loading, runs an ACTION block and a page tool',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: '<h1>Before</h1>' })
    const outcome = await page.evaluate(async () => {
      const { createAgent, defineTool } = window.offstage
      const heard: string[] = []
      const agent = createAgent({
        model: { provider: 'webllm', model: 'Tiny-q4f16_1-MLC' },
        engines: [
          window.engines.webllm({
            worker: () => {
              const worker = new Worker('/fixtures/webllm-worker.js', { type: 'module' })
              worker.addEventListener('message', ({ data }) => heard.push(data.type))
              return worker
            },
          }),
        ],
        storage: 'memory',
        tools: [
          defineTool({
            name: 'paint',
            description: 'Paints the heading.',
            inputSchema: {
              type: 'object',
              properties: { color: { type: 'string' } },
              required: ['color'],
            },
            execute: ({ color }) => {
              const heading = document.querySelector('h1')
              if (heading) heading.textContent = `now ${color}`
            },
          }),
        ],
      })
      const progress: unknown[] = []
      agent.on('engine-progress', ({ loaded, total, text }) => progress.push([loaded, total, text]))
      await agent.prepare()
      const result = await agent.run('Paint it red').result
      await agent.dispose()
      return { heard, progress, result }
    })
    expect(outcome.progress.at(-1)).toEqual([1, 1, 'Loading: 1'])
    expect(outcome.result).toMatchObject({
      outcome: 'completed',
      text: 'It is red now.',
      toolCalls: [{ toolName: 'paint', status: 'succeeded' }],
    })
    await expect(page.locator('h1')).toHaveText('now red')
    expect(outcome.heard, 'tokens pass by the page').toEqual(['offstage-engine-ready'])
  },
)

test('the browser’s own model downloads, runs an ACTION block and aborts', async ({ openPage }) => {
  const page = await openPage({ body: '<h1>Before</h1>' })
  const outcome = await page.evaluate(async () => {
    const stub = '/fixtures/language-model-stub.js'
    const { LanguageModel } = await import(stub)
    Object.assign(window, { LanguageModel })
    LanguageModel.contextWindow = 100_000
    const { createAgent, defineTool } = window.offstage
    const agent = createAgent({
      model: { provider: 'prompt-api', model: 'default' },
      engines: [window.engines.promptApi()],
      storage: 'memory',
      tools: [
        defineTool({
          name: 'paint',
          description: 'Paints the heading.',
          inputSchema: {
            type: 'object',
            properties: { color: { type: 'string' } },
            required: ['color'],
          },
          execute: ({ color }) => {
            const heading = document.querySelector('h1')
            if (heading) heading.textContent = `now ${color}`
          },
        }),
      ],
    })
    const progress: unknown[] = []
    agent.on('engine-progress', ({ loaded }) => progress.push(loaded))
    const before = await window.engines.promptApiAvailability()
    await agent.prepare()
    const result = await agent.run('Paint it red').result
    const endless = agent.run('go on forever')
    for await (const event of endless) if (event.type === 'text-delta') break
    endless.abort('enough')
    const aborted = await endless.result
    await agent.dispose()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const sessions = LanguageModel.sessions as { destroyed: boolean }[]
    return { before, progress, result, aborted, open: sessions.filter((s) => !s.destroyed).length }
  })
  expect(outcome.before).toBe('downloadable')
  expect(outcome.progress).toEqual([0, 0.5, 1])
  expect(outcome.result).toMatchObject({
    outcome: 'completed',
    text: 'It is red now.',
    toolCalls: [{ toolName: 'paint', status: 'succeeded' }],
  })
  await expect(page.locator('h1')).toHaveText('now red')
  expect(outcome.aborted).toMatchObject({ outcome: 'aborted', reason: 'enough' })
  expect(outcome.open, 'every session was destroyed').toBe(0)
})

test('an engine worker with a missing file gives a typed error', MORE, async ({ openPage }) => {
  const page = await openPage({ errorsAllowed: true })
  const result = await page.evaluate(() => {
    const agent = window.offstage.createAgent({
      model: { provider: 'webllm', model: 'Tiny-MLC' },
      engines: [
        window.engines.webllm({ worker: () => new Worker('/missing.js', { type: 'module' }) }),
      ],
      storage: 'memory',
    })
    return agent.run('hi').result
  })
  expect(result).toMatchObject({
    outcome: 'failed',
    error: { code: 'worker-load-failed', message: expect.stringContaining('engine') },
  })
})
