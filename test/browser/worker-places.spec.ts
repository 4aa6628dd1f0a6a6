import { MORE } from './support/more.ts'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from '@playwright/test'
import { build } from 'vite'
import { inProject } from '../../scripts/lib/project.mjs'
import type { Agent } from '../../src/index.ts'
import { serveSite, type Site } from './support/site.ts'
import { expect, test as base } from './support/test.ts'

// Where a page has no origin of its own, no worker's file can be loaded: the inline worker is used.

/** The package on an origin that allows others to load it, as a CDN does. */
const test = base.extend<{ cdn: Site }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
  cdn: async ({}, use) => {
    const cdn = await serveSite({
      folders: { '/': inProject('dist') },
      headers: () => ({ 'access-control-allow-origin': '*' }),
    })
    await use(cdn)
    await cdn.close()
  },
})

const ORDER = `
  const calls = []
  const agent = Offstage.createAgent({
    model: {
      provider: 'scripted',
      model: 'script',
      script: {
        steps: [
          { toolCalls: [{ toolName: 'order', input: { item: 'mug' } }] },
          { text: 'Ordered.' },
        ],
      },
    },
    tools: [
      Offstage.defineTool({
        name: 'order',
        description: 'Orders an item.',
        inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
        annotations: { destructive: true },
        execute: ({ item }) => { calls.push(item); return 'ordered' },
      }),
    ],
  })
  const modes = []
  agent.on('storage', ({ mode }) => modes.push(mode))
  const warnings = []
  agent.on('warning', ({ message }) => warnings.push(message))`

/** Runs with an approval in its middle, as an opaque page can without a reload. */
const RUN_IN_FRAME = `
  const run = agent.run('A mug')
  const view = agent.conversation(run.conversationId)
  view.subscribe(() => {
    const [pending] = view.getSnapshot().pending
    if (pending) void agent.approve(pending)
  })
  run.result.then(({ outcome, text, error }) =>
    parent.postMessage({ outcome, text, error, calls, modes, origin }, '*'))`

test(
  'from file://, an approval waits across a reload, and the tool runs once',
  MORE,
  async ({ page }) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-file-'))
    for (const file of ['offstage.global.js', 'inline-worker.js'])
      await copyFile(inProject('dist', file), path.join(folder, file))
    await writeFile(
      path.join(folder, 'index.html'),
      `<!doctype html><title>File</title><body>
      <script src="offstage.global.js"></script>
      <script>${ORDER}; Object.assign(window, { agent, calls, modes, warnings })</script>`,
    )
    await page.goto(pathToFileURL(path.join(folder, 'index.html')).href)
    await page.evaluate(async () => {
      const { agent } = window as unknown as Opened
      const view = agent.conversation('c')
      agent.run('A mug', { conversationId: 'c' })
      await new Promise<void>((resolve) => {
        view.subscribe(() => void (view.getSnapshot().pending.length && resolve()))
      })
    })
    await page.reload()
    const after = await page.evaluate(async () => {
      const { agent, calls, modes } = window as unknown as Opened
      const view = agent.conversation('c')
      view.subscribe(() => {
        const [pending] = view.getSnapshot().pending
        if (pending) void agent.approve(pending)
      })
      const run = await agent.resume()
      const { outcome, text } = (await run?.result) ?? {}
      const stored = await agent.conversations.get('c')
      return { outcome, text, calls, modes, isStored: stored !== null }
    })
    expect(after).toEqual({
      outcome: 'completed',
      text: 'Ordered.',
      calls: ['mug'],
      modes: ['durable'],
      isStored: true,
    })
    const warnings = (): Promise<readonly string[]> =>
      page.evaluate(() => (window as unknown as Opened).warnings)
    await expect
      .poll(warnings)
      .toEqual([expect.stringMatching(/opened from file:.*file:.*worker.js/)])
    await rm(folder, { recursive: true, force: true })
  },
)

const script = (cdn: Site): string =>
  `<script src="${cdn.url}/offstage.global.js"></script><script>${ORDER};${RUN_IN_FRAME}</script>`
const module = (cdn: Site): string =>
  `<script type="module">import * as Offstage from '${cdn.url}/index.js';${ORDER};${RUN_IN_FRAME}</script>`

for (const [kind, html] of [
  ['the script', script],
  ['the ES module', module],
] as const) {
  test(`in a sandboxed frame, with ${kind}, a run works in memory`, async ({ page, site, cdn }) => {
    await page.goto(`${site.url}/dist/index.js`)
    expect(await inFrame(page, { html: html(cdn), as: 'srcdoc' })).toEqual({
      outcome: 'completed',
      text: 'Ordered.',
      calls: ['mug'],
      modes: ['memory'],
      origin: 'null',
    })
  })
}

test(
  'in a document of a data: address, a run works in memory',
  MORE,
  async ({ page, site, cdn }) => {
    await page.goto(`${site.url}/dist/index.js`)
    expect(await inFrame(page, { html: script(cdn), as: 'data' })).toMatchObject({
      outcome: 'completed',
      calls: ['mug'],
      modes: ['memory'],
      origin: 'null',
    })
  },
)

test('in a document of a blob: address, a run is durable', MORE, async ({ page, site, cdn }) => {
  await page.goto(`${site.url}/dist/index.js`)
  expect(await inFrame(page, { html: script(cdn), as: 'blob' })).toMatchObject({
    outcome: 'completed',
    calls: ['mug'],
    modes: ['durable'],
    origin: site.url,
  })
})

test(
  'in a sandboxed frame, a workerUrl gives opaque-origin with a working alternative',
  MORE,
  async ({ page, site, cdn }) => {
    await page.goto(`${site.url}/dist/index.js`)
    const html = `<script src="${cdn.url}/offstage.global.js"></script><script>
    Offstage.createAgent({
      model: { provider: 'scripted', model: 'x', script: { steps: [] } },
      workerUrl: '${cdn.url}/worker.js',
    }).run('hi').result.then((result) => parent.postMessage(result, '*'))</script>`
    const result = (await inFrame(page, { html, as: 'srcdoc' })) as { error: { message: string } }
    expect(result.error).toMatchObject({
      code: 'worker-load-failed',
      details: { reason: 'opaque-origin' },
      message: expect.stringMatching(/sandboxed.*inline worker/),
    })
  },
)

test.describe("the script's inline worker is a file of its own", () => {
  const runFrom = async (
    page: Page,
    { site, cdn, markup = '' }: Record<'site' | 'cdn', Site> & { readonly markup?: string },
    policy = '',
  ): Promise<unknown> => {
    site.add('/script.html', {
      body: `<!doctype html><title>Script</title><body>${markup}<script src="${cdn.url}/offstage.global.js"></script>`,
      headers: { 'content-security-policy': policy },
    })
    await page.goto(`${site.url}/script.html`)
    return page.evaluate(async () => {
      const { createAgent } = (window as unknown as { Offstage: typeof window.offstage }).Offstage
      const script = { steps: [{ text: 'Hi.' }] }
      const agent = createAgent({ model: { provider: 'scripted', model: 'x', script } })
      return agent.run('hi').result
    })
  }
  const failedAs = (message: RegExp): Record<string, unknown> => ({
    outcome: 'failed',
    error: {
      code: 'worker-load-failed',
      details: { reason: 'import', file: { reason: 'cross-origin' } },
      message: expect.stringMatching(message),
    },
  })

  test('which is loaded from beside it, once, only where the worker is inlined', async ({
    page,
    site,
    cdn,
  }) => {
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    expect(await runFrom(page, { site, cdn })).toMatchObject({ outcome: 'completed' })
    expect(loaded.filter((url) => /inline/.test(url))).toEqual([`${cdn.url}/inline-worker.js`])
  })

  test(
    'also under Trusted Types, which refuse the address of a script',
    MORE,
    async ({ page, site, cdn }) => {
      const policy = `script-src ${cdn.url}; worker-src blob:; require-trusted-types-for 'script'; trusted-types offstage`
      expect(await runFrom(page, { site, cdn }, policy)).toMatchObject({ outcome: 'completed' })
    },
  )

  test('and the error names it if it is missing', MORE, async ({ page, site, cdn }) => {
    await page.route('**/inline-worker.js', (route) => route.fulfill({ status: 404 }))
    expect(await runFrom(page, { site, cdn })).toMatchObject(
      failedAs(/inline-worker\.js can't be loaded/),
    )
  })

  test('and a file without a worker is refused', MORE, async ({ page, site, cdn }) => {
    cdn.add('/inline-worker.js', { body: '// Nothing.' })
    expect(await runFrom(page, { site, cdn })).toMatchObject(failedAs(/holds no worker/))
  })

  test('whatever element of the page is named currentScript', async ({ page, site, cdn }) => {
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    const markup = `<img name="currentScript" src="${site.url}/other/x.png">`
    expect(await runFrom(page, { site, cdn, markup })).toMatchObject({ outcome: 'completed' })
    expect(loaded.filter((url) => /inline/.test(url))).toEqual([`${cdn.url}/inline-worker.js`])
  })
})

test(
  'when bundled to a format without import.meta.url, the inline worker starts with a warning',
  MORE,
  async ({ openPage }) => {
    const page = await openPage()
    const withoutMeta = await withoutImportMeta(page)
    const found = await page.evaluate(async (entry) => {
      const { createAgent } = (await import(entry)) as typeof window.offstage
      const script = { steps: [{ text: 'Hi.' }] }
      const agent = createAgent({ model: { provider: 'scripted', model: 'x', script } })
      const warning = new Promise<string>((resolve) =>
        agent.on('warning', ({ message }) => resolve(message)),
      )
      const { outcome } = await agent.run('hi').result
      return { outcome, warning: await warning }
    }, withoutMeta('index.js'))
    expect(found).toEqual({
      outcome: 'completed',
      warning: expect.stringContaining('import.meta.url'),
    })
  },
)

test.describe('offstage/no-inline', () => {
  test("works like offstage, but needs the worker's file", MORE, async ({ openPage }) => {
    const page = await openPage({ errorsAllowed: true })
    const run = (entry: string): Promise<unknown> =>
      page.evaluate(async (entry) => {
        const { createAgent } = (await import(entry)) as typeof window.offstage
        const script = { steps: [{ text: 'Hi.' }] }
        const agent = createAgent({ model: { provider: 'scripted', model: 'x', script } })
        const result = await agent.run('hi').result
        await agent.dispose()
        return result
      }, entry)
    expect(await run('/dist/no-inline.js')).toMatchObject({ outcome: 'completed', text: 'Hi.' })
    const withoutMeta = await withoutImportMeta(page)
    expect(await run(withoutMeta('no-inline.js'))).toMatchObject({
      outcome: 'failed',
      error: {
        details: { reason: 'no-address' },
        message: expect.stringMatching(/import\.meta\.url.*Pass workerUrl/),
      },
    })
  })

  test(
    'shares the worker of offstage on one page, inline worker included',
    MORE,
    async ({ openPage }) => {
      const page = await openPage({ errorsAllowed: true })
      await page.route('**/dist/worker.js', (route) => route.fulfill({ status: 404 }))
      const workers: string[] = []
      page.on('worker', (worker) => workers.push(worker.url()))
      const outcomes = await page.evaluate(async () => {
        const noInline = (await import('/dist/no-inline.js' as string)) as typeof window.offstage
        const script = { steps: [{ text: 'Hi.' }] }
        const model = { provider: 'scripted', model: 'x', script } as const
        const results = [noInline, window.offstage].map(
          ({ createAgent }) => createAgent({ model }).run('hi').result,
        )
        return (await Promise.all(results)).map(({ outcome }) => outcome)
      })
      expect(outcomes).toEqual(['completed', 'completed'])
      expect(workers.filter((url) => url.startsWith('blob:'))).toHaveLength(1)
    },
  )

  test('leaves the inline worker out of a bundle, which index includes', async () => {
    expect(await bundledFrom('no-inline.js')).not.toContain('inline')
    expect(await bundledFrom('index.js')).toContain('inline')
  })
})

/** Serves the package again, with what bundlers put in the place of `import.meta` in other formats. */
async function withoutImportMeta(page: Page): Promise<(file: string) => string> {
  await page.route('**/no-meta/*', async (route) => {
    const url = route.request().url().replace('/no-meta/', '/dist/')
    const text = await (await route.fetch({ url })).text()
    const body = text.replace('"./worker.js",import.meta.url', '"./worker.js",({}).url')
    await route.fulfill({ body, contentType: 'text/javascript' })
  })
  return (file) => `/no-meta/${file}`
}

/** The names of the chunks that Vite makes of an app with this entry, without their hashes. */
async function bundledFrom(entry: string): Promise<readonly string[]> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: inProject('dist'),
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input: inProject('dist', entry), preserveEntrySignatures: 'strict' },
    },
  })
  return [built]
    .flat()
    .flatMap((result) => ('output' in result ? result.output : []))
    .map(({ fileName }) => path.basename(fileName).replace(/-[\w-]{8}\.js$/, ''))
}

interface Opened {
  readonly agent: Agent
  readonly calls: readonly string[]
  readonly modes: readonly string[]
  readonly warnings: readonly string[]
}

/** Loads a frame and returns the message that it posts to its parent. */
async function inFrame(
  page: Page,
  frame: { html: string; as: 'srcdoc' | 'data' | 'blob' },
): Promise<unknown> {
  return page.evaluate(
    ({ html, as }) =>
      new Promise((resolve) => {
        addEventListener('message', ({ data }) => resolve(data))
        const frame = document.createElement('iframe')
        if (as === 'srcdoc') {
          frame.sandbox.add('allow-scripts')
          frame.srcdoc = html
        } else if (as === 'data') frame.src = `data:text/html,${encodeURIComponent(html)}`
        else frame.src = URL.createObjectURL(new Blob([html], { type: 'text/html' }))
        document.body.append(frame)
      }),
    frame,
  )
}
