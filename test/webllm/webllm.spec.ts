import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium, expect, test } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../../scripts/lib/browser.mjs'
import { inProject } from '../../scripts/lib/project.mjs'
import type * as offstage from '../../src/index.ts'
import type * as webllmEntry from '../../src/engines/webllm/index.ts'
import { serveSite } from '../browser/support/site.ts'

const { OFFSTAGE_WEBLLM_MODEL: folder, OFFSTAGE_WEBLLM_LIBRARY: library = '' } = process.env
const { OFFSTAGE_WEBLLM_PACKAGE: webllmPackage = '' } = process.env

/** A GPU in software, which `--disable-gpu` would turn off. */
const args = [
  ...CHROMIUM_ARGS.filter((arg) => arg !== '--disable-gpu'),
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]

const WORKER = `
import { serveWebLLM } from '/dist/webllm-worker.js'
serveWebLLM({ webllm: () => import('/webllm/index.js') })
`
/** WebLLM asks below this path, as on the hub it was made for. */
const MODEL = '/model/resolve/main/'

test('a compiled model streams a call through offstage/webllm', async () => {
  if (folder === undefined) throw new Error('Run this with: npm run test:webllm')
  const site = await serveSite({
    folders: { '/dist/': inProject('dist'), '/webllm/': webllmPackage, [MODEL]: folder },
  })
  site.add('/index.html', { body: '<!doctype html><title>Test</title><h1>Before</h1>' })
  site.add('/worker.js', { body: WORKER })
  const profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-webllm-'))
  const executablePath = await findChromium()
  const context = await chromium.launchPersistentContext(profile, {
    args,
    ...(executablePath && { executablePath }),
  })
  try {
    const page = await context.newPage()
    page.on('console', (message) => console.log(message.text()))
    await page.goto(`${site.url}/index.html`)
    const adapter = await page.evaluate(async () => {
      const { gpu } = navigator as { gpu?: { requestAdapter(): Promise<unknown> } }
      return Boolean(await gpu?.requestAdapter())
    })
    expect(adapter, 'This Chromium has no WebGPU adapter.').toBe(true)

    const outcome = await page.evaluate(
      async ({ name, model, modelLib }) => {
        const { createAgent, defineTool } = (await import(
          '/dist/index.js' as string
        )) as typeof offstage
        const { webllm } = (await import('/dist/webllm.js' as string)) as typeof webllmEntry
        const agent = createAgent({
          model: {
            provider: 'webllm',
            model: name,
            temperature: 0,
            maxOutputTokens: 100,
            contextWindow: 2048,
            // Any model can be held to this, however small or badly trained: the test is of the engine, not of its wits.
            extraBody: {
              response_format: {
                type: 'grammar',
                grammar: String.raw`root ::= "On it.\n<ACTION>\n<paint><color>" ("red" | "blue") "</color></paint>\n</ACTION>"`,
              },
            },
          },
          engines: [
            webllm({
              worker: () => new Worker('/worker.js', { type: 'module' }),
              appConfig: { model_list: [{ model, model_id: name, model_lib: modelLib }] },
            }),
          ],
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
              },
              execute: ({ color }) => {
                const heading = document.querySelector('h1')
                if (heading) heading.textContent = `now ${color as string}`
                return 'painted'
              },
            }),
          ],
        })
        let loaded = 0
        agent.on('engine-progress', ({ loaded: share = 0, text }) => {
          loaded = share
          console.log(text)
        })
        await agent.prepare()
        const run = agent.run('Paint the heading red.')
        let deltas = 0
        for await (const event of run) if (event.type === 'text-delta') deltas += 1
        const result = await run.result
        await agent.dispose()
        return { loaded, deltas, result, heading: document.querySelector('h1')?.textContent }
      },
      {
        name: path.basename(folder),
        model: site.url + MODEL,
        modelLib: site.url + MODEL + library,
      },
    )
    expect(outcome.heading).toMatch(/^now (red|blue)$/)
    expect(outcome.loaded).toBe(1)
    expect(outcome.deltas).toBeGreaterThan(0)
    expect(outcome.result.usage.outputTokens).toBeGreaterThan(0)
  } finally {
    await context.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 3 })
    await site.close()
  }
})
