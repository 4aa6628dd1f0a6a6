import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page, Request } from '@playwright/test'
import { inProject } from '../../scripts/lib/project.mjs'
import { run } from '../../scripts/lib/run.mjs'
import { findings } from './support/axe.ts'
import { MORE } from './support/more.ts'
import { serveSite, type Site } from './support/site.ts'
import { expect, test } from './support/test.ts'

// The built site, as a static host serves it. Building takes minutes.

const BASE = '/offstage/'
const DOCS = [
  'docs/getting-started',
  'docs/approval',
  'docs/page-tools',
  'docs/comparison',
  'docs/durability',
]
const SITE_PAGES = ['', 'playground.html', ...DOCS.map((page) => `${page}.html`), 'api/index.html']
const DEMO_PAGES = [
  'demo/index.html',
  'demo/index.html?app=ledger',
  'demo/team.html',
  'demo/themes.html',
]

/** Bytes of the home page and the demo in it, compressed, without the demo's worker. */
const HOME_LIMIT = 250_000
/** The same with the worker. */
const WHOLE_LIMIT = 405_000

test.describe.configure({ mode: 'default', timeout: 600_000 })

/** `OFFSTAGE_SITE` names a folder with a site that is built already, for this base. */
const folder = process.env.OFFSTAGE_SITE ?? inProject('site/dist')
let site: Site | undefined

test.beforeAll(async () => {
  if (!process.env.OFFSTAGE_SITE) {
    const { code, output } = await run(
      process.execPath,
      [inProject('scripts/site.mjs'), '--base', BASE],
      { quiet: true },
    )
    if (code !== 0) throw new Error(`The site could not be built:\n${output}`)
  }
  site = await serveSite({ folders: { [BASE]: folder } })
})
test.afterAll(() => site?.close())

const addressOf = (page: string): string => `${site?.url ?? ''}${BASE}${page}`

/** Opens a page of the site, or of the demo, whose chat is waited for. */
async function open(page: Page, name: string): Promise<void> {
  await page.goto(addressOf(name))
  if (name.startsWith('demo/')) await expect(page.locator('offstage-chat')).toBeVisible()
  if (name.startsWith('demo/index')) await expect(message(page)).toBeVisible()
}

const message = (page: Page): ReturnType<Page['getByRole']> =>
  page.getByRole('textbox', { name: 'Message' })

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing on the site and the demo, ${colorScheme}`, MORE, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    for (const name of [...SITE_PAGES, ...DEMO_PAGES]) {
      await open(page, name)
      expect.soft(await findings(page, 'body'), name).toEqual([])
    }
  })

test('the home page and its demo stay within their weight', MORE, async ({ page, context }) => {
  const paths = new Set<string>()
  const note = (request: Request): void => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith(BASE)) paths.add(pathname.slice(BASE.length) || 'index.html')
  }
  context.on('request', note)
  await page.goto(addressOf(''))
  const demo = page.frameLocator('iframe')
  await expect(demo.getByRole('log', { name: 'Messages' })).toContainText('Try to break me.')
  await page.waitForLoadState('networkidle')
  const isWorker = (file: string): boolean => file.includes('agent-worker')
  expect([...paths].filter(isWorker)).toHaveLength(1)
  const weigh = (files: readonly string[]): number =>
    files.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(folder, file))).length, 0)
  const files = [...paths].filter((file) => existsSync(path.join(folder, file)))
  expect(weigh(files.filter((file) => !isWorker(file)))).toBeLessThanOrEqual(HOME_LIMIT)
  expect(weigh(files)).toBeLessThanOrEqual(WHOLE_LIMIT)
  // Pages of the documents are downloaded when they are opened.
  expect(files.filter((file) => file.includes('docs_'))).toEqual([])
})

interface LargestPaint {
  readonly text: string
  readonly box: readonly number[]
}

/** The element of the largest paint so far, and where it is. */
async function largestPaint(page: Page): Promise<LargestPaint | undefined> {
  return page.evaluate(
    () =>
      new Promise<LargestPaint | undefined>((resolve) => {
        new PerformanceObserver((list) => {
          const { element } = list.getEntries().at(-1) as LargestContentfulPaint
          const box = element?.getBoundingClientRect()
          resolve(
            element && box
              ? { text: element.textContent ?? '', box: [box.x, box.y, box.width, box.height] }
              : undefined,
          )
        }).observe({ type: 'largest-contentful-paint', buffered: true })
      }),
  )
}

interface LargestContentfulPaint extends PerformanceEntry {
  readonly element: Element | null
}

test(
  'the largest element of the home page needs no request but those for the page and its styles',
  MORE,
  async ({ page, browser }) => {
    await page.goto(addressOf(''))
    await expect(
      page.frameLocator('iframe').getByRole('textbox', { name: 'Message' }),
    ).toBeVisible()
    const whole = await largestPaint(page)
    const bare = await browser.newPage()
    const asked: string[] = []
    await bare.route('**', (route) => {
      const kind = route.request().resourceType()
      const isOfPage = route.request().frame() === bare.mainFrame()
      if (!isOfPage || (kind !== 'document' && kind !== 'stylesheet')) return route.abort()
      asked.push(kind)
      return route.continue()
    })
    await bare.goto(addressOf(''))
    expect(await largestPaint(bare)).toEqual(whole)
    expect(whole?.text).toContain('An AI agent inside your web page')
    expect(asked.length).toBeLessThanOrEqual(3)
    await bare.close()
  },
)

/** Elements that stick out at the right of a page that should not be scrolled sideways. */
async function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth)
}

test('no page is wider than a phone of 390 px', MORE, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const name of [...SITE_PAGES, ...DEMO_PAGES]) {
    await open(page, name)
    expect.soft(await widthOf(page), name).toBe(390)
  }
  await open(page, 'demo/index.html')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('button', { name: 'Copy as project' }).click()
  await expect(page.getByRole('dialog', { name: 'Copy as project' })).toBeVisible()
  expect(await widthOf(page)).toBe(390)
})

test('at 200 % zoom nothing is lost', MORE, async ({ browser }) => {
  // Zoom halves the CSS pixels of a window of 1280 × 900.
  const page = await browser.newPage({
    viewport: { width: 640, height: 450 },
    deviceScaleFactor: 2,
  })
  for (const name of [...SITE_PAGES, ...DEMO_PAGES]) {
    await open(page, name)
    expect.soft(await widthOf(page), name).toBe(640)
  }
  await open(page, 'docs/approval.html')
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport()
  await page.getByRole('button', { name: 'Menu' }).first().click()
  await expect(page.getByRole('link', { name: 'Define tools' }).first()).toBeVisible()
  await open(page, 'demo/index.html')
  for (const control of [
    message(page),
    page.getByRole('button', { name: 'Connect a model' }),
    page.getByRole('button', { name: 'Shop', exact: true }),
    page.getByRole('button', { name: 'Tools', exact: true }),
    page.getByRole('link', { name: 'Ledger' }),
  ]) {
    await control.scrollIntoViewIfNeeded()
    await expect(control).toBeInViewport({ ratio: 1 })
  }
  await page.close()
})

test('without JavaScript the documents read', MORE, async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(addressOf(''))
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.getByRole('link', { name: 'Get started' }).first().click()
  await expect(page).toHaveURL(/getting-started\.html$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('pre code').first()).toBeVisible()
  // The sidebar is there, and leads on.
  await page.getByRole('link', { name: 'Ask for approval' }).first().click()
  await expect(page).toHaveURL(/approval\.html$/)
  await expect(page.getByRole('table').first()).toBeVisible()
  await page.goto(addressOf('api/index.html'))
  await page.getByRole('link', { name: 'offstage/chat', exact: true }).last().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^offstage\/chat/)
  await context.close()
})

/** Presses Tab until an element of this role and name has the focus. */
async function tabTo(page: Page, role: 'button' | 'link' | 'textbox', name: string): Promise<void> {
  const target = page.getByRole(role, { name, exact: true })
  for (let presses = 0; presses < 150; presses += 1) {
    if (await target.evaluateAll((all) => all.some((element) => element.matches(':focus')))) {
      // A person sees where they are.
      await expect(target).toBeInViewport()
      const outline = await target.evaluate((element) => getComputedStyle(element).outlineStyle)
      expect(role === 'textbox' || outline !== 'none', `${name} shows its focus`).toBe(true)
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${name}.`)
}

test('the playground works by keyboard alone', MORE, async ({ page }) => {
  await open(page, 'demo/index.html')
  const log = page.getByRole('log', { name: 'Messages' })
  await tabTo(page, 'button', 'Order a bowl (needs your OK)')
  await page.keyboard.press('Enter')
  const pay = page.getByRole('button', { name: /^Pay €/ })
  await expect(pay).toBeVisible()
  const price = (await pay.textContent()) ?? ''
  await tabTo(page, 'button', price)
  await page.keyboard.press('Enter')
  await expect(log).toContainText('is placed, arriving by')

  await tabTo(page, 'button', 'Malformed call')
  await page.keyboard.press('Space')
  await expect(page.getByRole('button', { name: 'Malformed call' })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  await tabTo(page, 'textbox', 'Message')
  await page.keyboard.type('Use the coupon SUMMER99')
  await page.keyboard.press('Enter')
  await expect(log).toContainText('the run went on')

  await tabTo(page, 'button', 'Tools')
  await page.keyboard.press('Enter')
  await tabTo(page, 'textbox', 'Description')
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByLabel('Tool', { exact: true })).toBeFocused()
  await tabTo(page, 'button', 'Connect a model')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Connect a model' })).toBeFocused()
  await tabTo(page, 'link', 'Ledger')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Invoices' })).toBeVisible()
})

test('no link of the site leads nowhere', MORE, async ({ page, request }) => {
  const seen = new Set<string>()
  for (const name of SITE_PAGES) {
    await page.goto(addressOf(name))
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href.split('#')[0] ?? ''))
    for (const link of links) if (link.startsWith(addressOf(''))) seen.add(link)
  }
  expect(seen.size).toBeGreaterThan(60)
  for (const link of seen) expect.soft((await request.head(link)).status(), link).toBe(200)
})
