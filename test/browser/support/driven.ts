import type { DrivenPage } from './driven-page.ts'
import { startMockOpenAI, type MockOpenAI } from './mock-openai.ts'
import { test as base } from './worker-fixtures.ts'

// Tests that need no more of a page than every browser's driver can give.

export const { expect } = base

interface HandPage {
  /** HTML for the body. */
  readonly body?: string
  /** Errors that nobody caught fail the test, unless this is true. */
  readonly errorsAllowed?: boolean
  /** With `window.offstage`. */
  readonly hasPackage?: boolean
}

const PACKAGE = `<script type="module">
  window.offstage = await import('/dist/index.js')
  document.documentElement.dataset.ready = ''
</script>`

interface TestFixtures {
  /** A blank page of its own. */
  driven: DrivenPage
  /** Opens a page written by hand. */
  openPage: (page?: HandPage) => Promise<DrivenPage>
  /** A chat server for this test only. */
  model: MockOpenAI
}

export const test = base.extend<TestFixtures>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
  model: async ({}, use) => {
    const model = await startMockOpenAI()
    await use(model)
    await model.close()
  },
  driven: async ({ drivenBrowser }, use) => {
    const page = await drivenBrowser.newPage()
    await use(page)
    await page.close()
  },
  openPage: async ({ driven, site }, use, { testId }) => {
    let mayFail = false
    await use(async ({ body = '', errorsAllowed = false, hasPackage = false } = {}) => {
      mayFail = errorsAllowed
      const urlPath = `/${testId}.html`
      const content = hasPackage ? body + PACKAGE : body
      site.add(urlPath, { body: `<!doctype html><title>Test</title><body>${content}` })
      await driven.goto(site.url + urlPath)
      if (hasPackage) await untilReady(driven)
      return driven
    })
    if (!mayFail) expect(await driven.errors(), 'uncaught on the page').toEqual([])
  },
})

async function untilReady(page: DrivenPage): Promise<void> {
  const isReady = (): boolean =>
    !('isLeft' in window) && 'ready' in document.documentElement.dataset
  // Between two documents a driver may have none to ask.
  await expect.poll(() => page.evaluate(isReady).catch(() => false)).toBe(true)
}

/** Loads a page with the package anew, as a person does. */
export async function reload(page: DrivenPage): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { isLeft: true })
    setTimeout(() => location.reload())
  })
  await untilReady(page)
}

/** A property of the first element that a selector finds; undefined without such an element. */
export function property(page: DrivenPage, selector: string, name: string): Promise<unknown> {
  return page.evaluate(
    ({ selector: css, name: key }) => {
      const element: object | null = document.querySelector(css)
      return element ? (element as Record<string, unknown>)[key] : undefined
    },
    { selector, name },
  )
}
