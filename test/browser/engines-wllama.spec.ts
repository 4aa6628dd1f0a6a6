import type { Page } from '@playwright/test'
import type { pageTools as PageTools } from '../../src/page-tools/index.ts'
import { expect, test } from './support/engines.ts'
import { MORE } from './support/more.ts'

// llama.cpp itself, in a worker of its own, on a model of 2.5 MB that babbles. What it says is steered
// by grammars: that of `tool_choice: 'required'` for native calls, one of the test's for ACTION blocks.

declare global {
  interface Window {
    /** All that engine workers sent to the page itself. */
    heardFromEngines: string[]
    /** Newest last. */
    engineWorkers: Worker[]
    lendWllama: (model?: string | Blob) => ReturnType<Window['engines']['wllama']>
    tinyModel: Blob
  }
}

async function prepare(page: Page): Promise<void> {
  await page.evaluate(async (isStored) => {
    const address = '/engines/tiny.gguf'
    window.heardFromEngines = []
    window.engineWorkers = []
    window.tinyModel = await (await fetch(address)).blob()
    window.lendWllama = (tiny = isStored ? address : window.tinyModel) =>
      window.engines.wllama({
        worker: () => {
          const worker = new Worker('/engines/wllama-worker.js', { type: 'module' })
          worker.addEventListener('message', ({ data }) => window.heardFromEngines.push(data.type))
          window.engineWorkers.push(worker)
          return worker
        },
        wasmUrl: '/wasm/wllama.wasm',
        models: { tiny },
        load: { n_gpu_layers: 0 },
      })
  }, isDownloadStored(page))
}

/** In Firefox, wllama was seen to hang while it stores a download: there the model is always a file. */
function isDownloadStored(page: Page): boolean {
  return page.context().browser()?.browserType().name() !== 'firefox'
}

test('llama.cpp streams a native call of a page tool between two workers', async ({ openPage }) => {
  const page = await openPage({ body: '<h1>Before</h1>' })
  await prepare(page)
  const outcome = await page.evaluate(async () => {
    const { createAgent, defineTool } = window.offstage
    const agent = createAgent({
      model: {
        provider: 'wllama',
        model: 'tiny',
        toolChoice: 'required',
        maxOutputTokens: 300,
        seed: 1,
        contextWindow: 2048,
      },
      engines: [window.lendWllama()],
      storage: 'memory',
      maxSteps: 1,
      tools: [
        defineTool({
          name: 'paint',
          description: 'Paints the heading.',
          inputSchema: {
            type: 'object',
            properties: { color: { enum: ['red', 'blue'] } },
            required: ['color'],
            additionalProperties: false,
          },
          execute: ({ color }) => {
            const heading = document.querySelector('h1')
            if (heading) heading.textContent = `now ${color as string}`
            return 'painted'
          },
        }),
      ],
    })
    const progress: string[] = []
    agent.on('engine-progress', ({ provider, model, total }) =>
      progress.push(`${provider} ${model} ${total !== undefined && total > 1_000_000}`),
    )
    await agent.conversations.list()
    const before = window.engineWorkers.length
    await agent.prepare()
    const run = agent.run('Paint it, please')
    const types = new Set<string>()
    for await (const event of run) types.add(event.type)
    return {
      before,
      progress,
      types: [...types],
      result: await run.result,
      heard: window.heardFromEngines,
    }
  })
  expect(outcome.before, 'nothing starts before prepare() or a run').toBe(0)
  expect(outcome.progress.at(-1)).toBe(isDownloadStored(page) ? 'wllama tiny true' : undefined)
  expect(outcome.result).toMatchObject({
    outcome: 'max-steps',
    toolCalls: [{ toolName: 'paint', status: 'succeeded', output: { value: 'painted' } }],
  })
  expect(outcome.result.usage.outputTokens).toBeGreaterThan(5)
  expect(outcome.types).toContain('tool-input-delta')
  await expect(page.locator('h1')).toHaveText(/^now (red|blue)$/)
  expect(outcome.heard, 'tokens pass by the page').toEqual(['offstage-engine-ready'])
})

test(
  'a model given as a file calls the page tool with an ACTION block',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: '<h1>Before</h1>' })
    await prepare(page)
    const result = await page.evaluate(async () => {
      const { createAgent, defineTool } = window.offstage
      const agent = createAgent({
        model: {
          provider: 'wllama',
          model: 'tiny',
          toolMode: 'action',
          seed: 1,
          extraBody: {
            grammar:
              'root ::= "On it. <ACTION><paint><color>" ("red" | "blue") "</color></paint></ACTION>"',
          },
        },
        engines: [window.lendWllama(window.tinyModel)],
        storage: 'memory',
        maxSteps: 1,
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
              return 'painted'
            },
          }),
        ],
      })
      return agent.run('Paint it, please').result
    })
    expect(result).toMatchObject({
      outcome: 'max-steps',
      toolCalls: [{ toolName: 'paint', status: 'succeeded' }],
    })
    await expect(page.locator('h1')).toHaveText(/^now (red|blue)$/)
  },
)

for (const [name, settings] of Object.entries({
  // Braces and quotes are bytes of their own: without quotes, the arguments end as soon as they may.
  'a native call': { toolChoice: 'required', extraBody: { logit_bias: [['"', -50]] } },
  'an ACTION block': {
    toolMode: 'action',
    extraBody: { grammar: 'root ::= "<ACTION><read_page></read_page></ACTION>"' },
  },
} as const)) {
  test(`${name} reads the page, and the model gets the text`, MORE, async ({ openPage }) => {
    const page = await openPage({ body: '<h1>Boats</h1><button>Book</button>' })
    await prepare(page)
    const readings = await page.evaluate(async (model) => {
      const { pageTools } = (await import('/dist/page-tools.js' as string)) as {
        pageTools: typeof PageTools
      }
      const read = async () => {
        const agent = window.offstage.createAgent({
          model: {
            provider: 'wllama',
            model: 'tiny',
            seed: 1,
            contextWindow: 4096,
            maxOutputTokens: 200,
            ...model,
          },
          engines: [window.lendWllama(window.tinyModel)],
          storage: 'memory',
          maxSteps: 2,
          tools: pageTools({ tools: ['read_page'] }),
        })
        const run = agent.run('When does the boat leave?')
        const inputTokens: number[] = []
        for await (const event of run)
          if (event.type === 'step-end') inputTokens.push(event.usage.inputTokens ?? 0)
        const { toolCalls } = await run.result
        await agent.dispose()
        return { inputTokens, toolCalls }
      }
      const before = await read()
      document.querySelector('h1')?.append(' to Zanzibar')
      return { before, after: await read() }
    }, settings)
    const { before, after } = readings
    expect(before.toolCalls[0]).toMatchObject({
      toolName: 'read_page',
      status: 'succeeded',
      output: { value: expect.stringContaining('- heading "Boats" [level=1]') },
    })
    expect(after.toolCalls[0]).toMatchObject({
      status: 'succeeded',
      output: { value: expect.stringContaining('- heading "Boats to Zanzibar" [level=1]') },
    })
    // A token of this model is a byte: what was added to the page is what the second step is longer by.
    expect(after.inputTokens[0]).toBe(before.inputTokens[0])
    expect(after.inputTokens[1]).toBe((before.inputTokens[1] ?? 0) + ' to Zanzibar'.length)
  })
}

test(
  'text streams; an abort ends it, and the engine is free for the next turn',
  MORE,
  async ({ openPage }) => {
    const page = await openPage()
    await prepare(page)
    const outcome = await page.evaluate(async () => {
      const model = { provider: 'wllama', model: 'tiny', seed: 1 }
      const agent = window.offstage.createAgent({
        model: { ...model, maxOutputTokens: 3500, extraBody: { ignore_eos: true } },
        engines: [window.lendWllama()],
        storage: 'memory',
      })
      const endless = agent.run('Talk')
      let deltas = 0
      for await (const event of endless) if (event.type === 'text-delta' && ++deltas === 2) break
      endless.abort('enough')
      const aborted = await endless.result
      agent.configure({ model: { ...model, extraBody: { grammar: 'root ::= "It is free."' } } })
      return { aborted, next: await agent.run('Talk').result }
    })
    expect(outcome.aborted).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    expect(outcome.aborted.text.length).toBeGreaterThan(0)
    expect(outcome.next).toMatchObject({ outcome: 'completed', text: 'It is free.' })
  },
)

test('a conversation that does not fit gives context-overflow', MORE, async ({ openPage }) => {
  const page = await openPage()
  await prepare(page)
  const result = await page.evaluate(() => {
    const agent = window.offstage.createAgent({
      model: { provider: 'wllama', model: 'tiny', contextWindow: 512 },
      engines: [window.lendWllama()],
      storage: 'memory',
    })
    return agent.run('word '.repeat(500)).result
  })
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'context-overflow' } })
})

test(
  'an engine worker that dies is replaced, and the step is requested again',
  MORE,
  async ({ openPage }) => {
    // Firefox may report an error without words for the worker that is terminated.
    const page = await openPage({ errorsAllowed: true })
    await prepare(page)
    const outcome = await page.evaluate(async () => {
      const agent = window.offstage.createAgent({
        model: {
          provider: 'wllama',
          model: 'tiny',
          seed: 1,
          maxOutputTokens: 400,
          extraBody: { ignore_eos: true },
          retry: { baseDelayMs: 1 },
        },
        engines: [window.lendWllama(window.tinyModel)],
        storage: 'memory',
      })
      const run = agent.run('Talk')
      const types: string[] = []
      for await (const { type } of run) {
        types.push(type)
        if (type === 'text-delta' && window.engineWorkers.length === 1) {
          window.engineWorkers[0]?.terminate()
        }
      }
      return { types, result: await run.result, workers: window.engineWorkers.length }
    })
    expect(outcome.result).toMatchObject({ outcome: 'completed', finishReason: 'length' })
    expect(outcome.types).toContain('step-reset')
    expect(outcome.workers).toBe(2)
  },
)

test('an unknown model and an invalid file give typed errors', MORE, async ({ openPage }) => {
  const page = await openPage()
  await prepare(page)
  const codes = await page.evaluate(async () => {
    const codeOf = async (model: string): Promise<unknown> => {
      const agent = window.offstage.createAgent({
        model: { provider: 'wllama', model, retry: { maxRetries: 0 } },
        engines: [window.lendWllama()],
        storage: 'memory',
      })
      const result = await agent.run('hi').result
      return result.outcome === 'failed' ? result.error : result.outcome
    }
    return [await codeOf('huge'), await codeOf(`${location.origin}/missing.gguf`)]
  })
  expect(codes[0]).toMatchObject({
    code: 'model-not-found',
    message: expect.stringContaining('tiny'),
  })
  expect(codes[1]).toHaveProperty('code')
  expect(codes[1]).not.toMatchObject({ code: 'internal' })
})

test('without wasm-unsafe-eval, the run fails with the words of the browser', async ({
  openPage,
}) => {
  const page = await openPage()
  await page.context().route('**/engines/wllama-worker.js', async (route) => {
    const response = await route.fetch()
    const headers = { ...response.headers(), 'content-security-policy': "script-src 'self'" }
    await route.fulfill({ response, headers })
  })
  await prepare(page)
  const outcome = await page.evaluate(async () => {
    const agent = window.offstage.createAgent({
      model: { provider: 'wllama', model: 'tiny', contextWindow: 2048 },
      engines: [window.lendWllama()],
    })
    return agent.run('Hello').result
  })
  expect(outcome).toMatchObject({
    outcome: 'failed',
    error: { message: expect.stringMatching(/WebAssembly.*(content security policy|CSP)/is) },
  })
})
