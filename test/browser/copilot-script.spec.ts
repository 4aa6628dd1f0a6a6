import type { Locator, Page } from '@playwright/test'
import { inProject } from '../../scripts/lib/project.mjs'
import { say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'
import { serveSite, type Site } from './support/site.ts'
import { expect, test as base } from './support/test.ts'

// dist/copilot.js on pages that have nothing else of Offstage.

interface Opened {
  /** Errors and warnings. */
  readonly console: readonly string[]
}

const test = base.extend<{
  /** Opens a page with this HTML in its head. Its address stays the same over reloads. */
  openPlain: (head: string, headers?: Readonly<Record<string, string>>) => Promise<Opened>
}>({
  openPlain: async ({ page, site }, use, { testId }) => {
    let lines: string[] = []
    page.on('pageerror', ({ message }) => lines.push(message))
    page.on('console', (line) => {
      if (['error', 'warning'].includes(line.type())) lines.push(line.text())
    })
    await use(async (head, headers) => {
      lines = []
      const opened = lines
      const urlPath = `/${testId}.html`
      site.add(urlPath, { body: pageWith(head), ...(headers && { headers }) })
      await page.goto(site.url + urlPath)
      return { console: opened }
    })
  },
})

function pageWith(head: string): string {
  return `<!doctype html><title>Rooms</title><link rel="icon" href="data:,">${head}
    <body><h1>Rooms</h1><button>Book the large room</button>`
}

function tag(parameters = '', { url, kind = '' }: { url?: string; kind?: string } = {}): string {
  return `<script type="module" ${kind} src="${url ?? '/dist'}/copilot.js${parameters}"></script>`
}

const open = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Open the assistant' }).click()
const replies = (page: Page): Locator => page.getByRole('article', { name: 'Assistant' })

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

/** Checks that the console has one line, and the page no copilot. */
async function expectRefused(page: Page, opened: Opened, line: RegExp): Promise<void> {
  await expect.poll(() => opened.console).toEqual([expect.stringMatching(line)])
  await expect(page.locator('offstage-chat')).toHaveCount(0)
}

test('one tag gives a page a chat that reads the page, and survives reloads and navigation', async ({
  page,
  site,
  openPlain,
}) => {
  const opened = await openPlain(tag())
  await open(page)
  const dialog = page.getByRole('dialog', { name: 'Copilot' })
  await dialog.getByRole('button', { name: 'What is on this page?' }).click()
  await expect(replies(page).last()).toContainText('I am a script')
  const call = page.getByRole('log').getByRole('group', { name: 'Read the page' })
  await expect(call).toContainText('Done')
  await call.locator('summary').click()
  await expect(call).toContainText('button "Book the large room"')

  await page.reload()
  await expect(replies(page).last()).toContainText('I am a script')
  await expect(call).toContainText('Done')

  site.add('/copilot-other.html', { body: pageWith(tag()) })
  await page.goto(`${site.url}/copilot-other.html`)
  await expect(replies(page).last()).toContainText('I am a script')
  await send(page, 'How do I connect a model?')
  await expect(replies(page).last()).toContainText('?provider=ollama&model=qwen3:4b')
  expect(opened.console).toEqual([])
})

test('the address names a model, its server, the tools, the heading and the placement', async ({
  page,
  openPlain,
  model,
}) => {
  model.enqueue(say('There is a large room.'))
  const parameters = new URLSearchParams({
    provider: 'openai-compatible',
    model: 'mock',
    baseURL: model.baseURL,
    tools: 'read',
    heading: 'Helper',
    placement: 'panel',
  })
  const opened = await openPlain(tag(`?${parameters}`))
  await expect(page.locator('offstage-chat')).toContainText('Helper')
  await send(page, 'Which rooms are there?')
  await expect(replies(page)).toContainText('There is a large room.')
  const body = JSON.stringify(model.requests[0]?.body)
  expect(body).toContain('"read_page"')
  expect(body).not.toContain('"click"')
  expect(opened.console).toEqual([])
})

test('a second load adds nothing, and every load gives the same agent and chat', async ({
  page,
  openPlain,
}) => {
  // An `async` script may run before there is a body.
  const opened = await openPlain(tag('', { kind: 'async' }) + tag('?heading=Second'))
  await expect(page.getByRole('button', { name: 'Open the assistant' })).toBeVisible()
  const same = await page.evaluate(async () => {
    const load = (address: string): Promise<Record<string, unknown>> => import(address)
    const chat = document.querySelector('offstage-chat')
    const loads = [await load('/dist/copilot.js'), await load('/dist/copilot.js?heading=Third')]
    return loads.map((loaded) => loaded['chat'] === chat && loaded['agent'] === chat?.agent)
  })
  expect(same).toEqual([true, true])
  await expect(page.locator('offstage-chat')).toHaveCount(1)
  expect(opened.console).toEqual([])
})

// A page of its own costs more than the rest of such a row, so a single page opens all addresses.
test("a key in the script's address is refused, without repeating it", async ({
  page,
  openPlain,
}) => {
  for (const [what, parameters] of [
    ['a parameter', '?provider=openai&model=gpt-4.1-mini&apiKey=sk-dummy'],
    ['another name for it', '?provider=openai&model=m&bearer=sk-dummy'],
    ['a name of two words', '?provider=openai&model=m&accessToken=dummy'],
    ['a value that looks like one', '?provider=openai&model=sk-dummy-123'],
    ['the query of baseURL', `?baseURL=${encodeURIComponent('https://ai.test/v1?key=sk-dummy')}`],
    [
      'a name of two words in baseURL',
      `?provider=ollama&model=m&baseURL=${encodeURIComponent('/ai?clientSecret=dummy')}`,
    ],
    ['the host of baseURL', '?provider=ollama&model=m&baseURL=https://me:sk-dummy@ai.test/v1'],
  ] as const)
    await test.step(what, async () => {
      const opened = await openPlain(tag(parameters))
      await expectRefused(page, opened, /must not contain a key.*relay/)
      expect(opened.console.join()).not.toContain('dummy')
    })
})

test("the console names a mistake in the script's address", async ({ page, openPlain }) => {
  for (const [mistake, parameters, line] of [
    ['provider', '?provider=olama&model=qwen3:4b', /There is no provider olama.*ollama/],
    ['model without a provider', '?model=qwen3:4b', /model must be like/],
    ['placement', '?placement=top', /placement must be bubble or panel/],
    [
      'scheme of the server',
      '?provider=ollama&baseURL=javascript:alert(1)',
      /baseURL must be a path/,
    ],
    ['spelling', '?provider=openai&model=m&baseurl=/ai/v1', /baseurl must be written baseURL/],
    ['preset of tools', '?tools=everything', /there is no preset "everything"/],
  ] as const)
    await test.step(mistake, async () => {
      await expectRefused(page, await openPlain(tag(parameters)), line)
    })
})

test("a server's path is on the page's own origin, whatever its base address is", async ({
  page,
  site,
  openPlain,
}) => {
  const script = tag('?provider=openai&model=m&baseURL=/ai/v1')
  await openPlain(`${script}<base href="https://elsewhere.test/">`)
  await open(page)
  const asked = page
    .context()
    .waitForEvent('request', (request) => /completions/.test(request.url()))
  await send(page, 'Hello')
  expect((await asked).url()).toBe(`${site.url}/ai/v1/chat/completions`)
})

test('the chat stays when a router replaces the body', async ({ page, openPlain }) => {
  const opened = await openPlain(tag())
  await expect(page.locator('offstage-chat')).toHaveCount(1)
  await page.evaluate(() => {
    const body = document.createElement('body')
    body.innerHTML = '<h1>Another page</h1>'
    document.body.replaceWith(body)
  })
  await open(page)
  await send(page, 'Hello')
  await expect(replies(page).last()).toContainText('No model is connected')
  expect(opened.console).toEqual([])
})

test('an unknown parameter is only warned about, since servers add some', async ({
  page,
  openPlain,
}) => {
  const opened = await openPlain(tag('?v=2'))
  await open(page)
  expect(opened.console).toEqual([expect.stringMatching(/no parameter v\b.*provider, model/)])
})

test('from another origin, it works under a policy that docs/security.md allows for a CDN', async ({
  page,
  openPlain,
}) => {
  const cdn: Site = await serveSite({
    folders: { '/': inProject('dist') },
    headers: () => ({ 'access-control-allow-origin': '*' }),
  })
  const policy = `default-src 'none'; script-src ${cdn.url}; worker-src blob:; img-src data:`
  const opened = await openPlain(tag('', { url: cdn.url }), { 'content-security-policy': policy })
  await open(page)
  await page.getByRole('button', { name: 'What is on this page?' }).click()
  await expect(replies(page).last()).toContainText('I am a script')
  expect(opened.console.filter((line) => !/worker\.js/.test(line))).toEqual([])
  await cdn.close()
})

test(
  'with Trusted Types, it works under the policies of the package and the chat',
  MORE,
  async ({ page, openPlain }) => {
    const policy =
      "default-src 'none'; script-src 'self'; worker-src 'self'; img-src data:; require-trusted-types-for 'script'; trusted-types offstage lit-html"
    const opened = await openPlain(tag(), { 'content-security-policy': policy })
    await open(page)
    await page.getByRole('button', { name: 'What is on this page?' }).click()
    await expect(replies(page).last()).toContainText('I am a script')
    expect(opened.console).toEqual([])
  },
)
