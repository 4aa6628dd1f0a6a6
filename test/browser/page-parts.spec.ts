import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext, Route } from '@playwright/test'
import type { Agent, PendingCall } from '../../src/index.ts'
import { expect, test } from './support/test.ts'

// The package is served as it is, without a bundler, so each of its files is a request.

const DIST = path.resolve(import.meta.dirname, '../../dist')
/** Chromium takes it for a secure origin. It has no port, as a development server would. */
const ORIGIN = 'http://shop.localhost'
/** A wave is over when no request has come for so long. */
const QUIET_MS = 500

const PAGE = `<!doctype html><title>Test</title><link rel="icon" href="data:,"><script type="module">
  import { createAgent } from '/dist/index.js'
  createAgent({
    model: { provider: 'openai-compatible', baseURL: '${ORIGIN}/v1', model: 'x' }, storage: 'memory',
    tools: [{ name: 'look', description: 'Looks.', execute: () => 'seen' }],
  }).run('Hi')
</script>`

/** Answers requests of a page in waves: each only after all requests that the answers before it have caused. */
async function wavesUntilModel(context: BrowserContext): Promise<string[][]> {
  const waves: string[][] = []
  let held: Route[] = []
  let newest = 0
  await context.route(`${ORIGIN}/**`, (route) => {
    held.push(route)
    newest = Date.now()
  })
  const page = await context.newPage()
  void page.goto(`${ORIGIN}/`).catch(() => undefined)
  for (;;) {
    await expect
      .poll(() => held.length > 0 && Date.now() - newest > QUIET_MS, { timeout: 20_000 })
      .toBe(true)
    const wave = held
    held = []
    const names = wave.map((route) => new URL(route.request().url()).pathname)
    if (names.some((name) => name.startsWith('/v1/'))) return waves
    waves.push(names.map((name) => name.replace(/^\/dist\/|-[\w-]{8}(?=\.js$)/g, '')))
    await Promise.all(wave.map((route, at) => route.fulfill(answerOf(names[at] ?? ''))))
  }
}

function answerOf(name: string): Parameters<Route['fulfill']>[0] {
  if (name === '/') return { body: PAGE, contentType: 'text/html' }
  return {
    body: readFileSync(path.join(DIST, path.basename(name))),
    contentType: 'text/javascript',
  }
}

test('before its first request to a model, a page loads four files, each after the other', async ({
  context,
}) => {
  expect(await wavesUntilModel(context)).toEqual([
    ['/'],
    ['index.js'],
    ['page.js'],
    ['lazy-runtime.js'],
    ['worker.js'],
  ])
})

declare global {
  interface Window {
    asked: PendingCall & { conversationId: string }
    asking: Agent
    answers: string[]
    paid?: number
  }
}

const ASKING = `<button>Yes</button><script type="module">
  import { createAgent } from '/dist/index.js'
  const script = { steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Paid.' }] }
  window.answers = []
  window.paid = 0
  const agent = createAgent({
    model: { provider: 'scripted', model: 'x', script }, storage: 'memory',
    consent: new URLSearchParams(location.search).get('consent') ?? undefined,
    tools: [{ name: 'pay', description: 'Pays.', needsApproval: true, execute: () => { window.paid += 1 } }],
  })
  document.querySelector('button').onclick = (event) => {
    const answer = async () => agent.approve(window.asked, { consent: agent.consent(window.asked, event) })
    answer().then(String, ({ code }) => code).then((said) => window.answers.push(said))
  }
  window.begin = async () => {
    for await (const event of agent.run('Pay'))
      if (event.type === 'tool-approval-request') window.asked = event
  }
  document.documentElement.dataset.begun = ''
</script>`

test.describe('the guard that tells clicks of a person', () => {
  test('is loaded once a call asks, and counts the first click', async ({ context, site }) => {
    site.add('/asking.html', { body: `<!doctype html><title>Test</title><body>${ASKING}` })
    const page = await context.newPage()
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    const isLoaded = (): boolean => loaded.some((url) => url.includes('user-gestures'))
    await page.goto(`${site.url}/asking.html`)
    await page.locator('html[data-begun]').waitFor({ state: 'attached' })
    expect(isLoaded()).toBe(false)
    await page.evaluate('void begin()')
    await expect.poll(isLoaded).toBe(true)
    // Resolves once the page's own import of the file has.
    await page.evaluate(
      async (url) => void (await import(url)),
      loaded.find((url) => url.includes('user-gestures')) ?? '',
    )
    await expect.poll(() => page.evaluate(() => window.asked !== undefined)).toBe(true)
    await page.getByRole('button').click()
    await expect.poll(() => page.evaluate(() => window.answers)).toEqual(['true'])
    await expect.poll(() => page.evaluate(() => window.paid)).toBe(1)
  })

  test('refuses clicks as long as its file is missing, and the call waits', async ({
    context,
    site,
  }) => {
    site.add('/asking.html', { body: `<!doctype html><title>Test</title><body>${ASKING}` })
    await context.route('**/user-gestures-*.js', (route) => route.abort())
    const page = await context.newPage()
    await page.goto(`${site.url}/asking.html?consent=person`)
    await page.locator('html[data-begun]').waitFor({ state: 'attached' })
    await page.evaluate('void begin()')
    await expect.poll(() => page.evaluate(() => window.asked !== undefined)).toBe(true)
    await page.getByRole('button').click()
    await expect.poll(() => page.evaluate(() => window.answers)).toEqual(['consent-refused'])
    expect(await page.evaluate(() => window.paid)).toBe(0)
    await context.unroute('**/user-gestures-*.js')
    await expect(async () => {
      await page.getByRole('button').click()
      expect(await page.evaluate(() => window.answers)).toContain('true')
    }).toPass({ timeout: 10_000 })
    expect(await page.evaluate(() => window.paid)).toBe(1)
  })
})
