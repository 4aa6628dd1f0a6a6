import type { Page } from '@playwright/test'
import { createElement, type ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import type { Agent } from '../../src/index.ts'
import { bundleApp, onServer } from '../bindings/bundle-app.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test as base } from './support/test.ts'

// `offstage/react` as an app has it: the built binding, React's development build, a real worker, a scripted model.

interface BoundApp {
  readonly page: Page
  readonly app: AppInPage
  /** A button. */
  press(name: string): Promise<void>
}

interface SceneOptions {
  /** In strict mode. */
  readonly isStrict?: boolean
  /** Of a model's server. Default: a scripted model. */
  readonly baseURL?: string
}

/** What `window.app` says. */
interface AppInPage {
  counts(): Promise<{
    created: number
    disposed: number
    executed: number
    /** And errors. */
    warnings: string[]
  }>
  renders(): Promise<{ whole: number; count: number; pair: number }>
  /** Of calls, as cards have shown them. */
  inputTexts(): Promise<string[]>
  begun(calls: number): Promise<void>
  finish(value: string): Promise<void>
}

const test = base.extend<
  { show: (scene: string, options?: SceneOptions) => Promise<BoundApp> },
  { appCode: string }
>({
  appCode: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use) => use(await bundleApp('react-app.jsx')),
    { scope: 'worker', timeout: 240_000 },
  ],
  show: async ({ openPage, site, appCode }, use) => {
    site.add('/react-app.js', { body: appCode })
    await use(async (scene, options = {}) => {
      const page = await openPage({ body: '<div id="app"></div>' })
      await page.evaluate('import("/react-app.js")')
      await page.evaluate(`app.mount(${JSON.stringify(scene)}, ${JSON.stringify(options)})`)
      await page.locator('html[data-agent]').waitFor({ state: 'attached' })
      const app = inPage(page)
      return {
        page,
        app,
        press: (name) => page.getByRole('button', { name, exact: true }).click(),
      }
    })
  },
})

function inPage(page: Page): AppInPage {
  return {
    counts: () => page.evaluate('app.counts'),
    renders: () => page.evaluate('({ ...app.renders })'),
    inputTexts: () => page.evaluate('[...new Set(app.inputTexts)]'),
    begun: (calls) => expect.poll(() => page.evaluate('app.calls.begun()')).toBe(calls),
    finish: (value) => page.evaluate(`app.calls.finish(${JSON.stringify(value)})`),
  }
}

test('strict mode makes one agent, runs a tool once, and disposes of the agent on unmount', async ({
  show,
}) => {
  const { page, app, press } = await show('strict', { isStrict: true })
  await press('Order')
  await app.begun(1)
  await app.finish('a mug')
  await expect(page.getByRole('log')).toHaveText('Ordered.')
  await expect(page.locator('output')).toHaveText('succeeded a mug')
  expect(await app.counts()).toMatchObject({ created: 1, disposed: 0, executed: 1 })
  await page.evaluate('app.unmount()')
  await expect.poll(async () => (await app.counts()).disposed).toBe(1)
})

test('a component that is mounted anew in the middle of its call: it runs once', async ({
  show,
}) => {
  const { page, app, press } = await show('remount')
  await press('Order')
  await app.begun(1)
  await press('Remount')
  await press('Remount')
  await app.finish('a mug')
  await expect(page.getByRole('log')).toHaveText('Ordered.')
  await expect(page.locator('output')).toHaveText('succeeded a mug')
  expect((await app.counts()).executed).toBe(1)
})

test('a component that suspends in the middle of its call keeps it', async ({ show }) => {
  const { page, app, press } = await show('suspense')
  await press('Order')
  await app.begun(1)
  await press('Suspend')
  await expect(page.getByText('Waiting')).toBeVisible()
  await app.finish('a mug')
  await expect(page.locator('output')).toHaveText('succeeded a mug')
  await page.evaluate('app.settle()')
  await expect(page.getByRole('button', { name: 'Suspend' })).toBeVisible()
  expect((await app.counts()).executed).toBe(1)
})

test('the newest function is called, and the newest context told', async ({ show, model }) => {
  model.enqueue(callTools([{ name: 'order', input: { sku: 'mug' } }]), say('Ordered.'))
  const { page, press } = await show('closure', model)
  await press('Click')
  await press('Click')
  await press('Order')
  await expect(page.locator('output')).toHaveText('succeeded 2 clicks')
  await expect(page.getByRole('log')).toHaveText('Ordered.')
  expect(JSON.stringify(model.requests[0]?.body)).toContain('clicks: 2')
})

test('what is selected renders when it changes, and not with each piece of a text', async ({
  show,
}) => {
  const { page, app, press } = await show('select')
  await press('Story')
  await expect(page.getByRole('log')).toHaveText(/nobody had ordered\.$/)
  await expect(page.locator('#pair')).toHaveText('idle assistant')
  await expect(page.locator('#count')).toHaveText('2')
  const { whole, count, pair } = await app.renders()
  // Two messages come; the status goes from loading over running to idle.
  expect(count).toBeLessThanOrEqual(4)
  expect(pair).toBeLessThanOrEqual(8)
  expect(whole).toBeGreaterThan(pair)
})

test('of two mounted tools of one name the last one counts, which a warning says', async ({
  show,
}) => {
  const { page, app, press } = await show('twins')
  expect((await app.counts()).warnings).toEqual([expect.stringContaining('named order')])
  await press('Order')
  await expect(page.locator('output')).toHaveText('succeeded of the second')
  await press('Take the second away')
  await press('Order')
  await expect(page.locator('output')).toHaveText('succeeded of the secondsucceeded of the first')
})

test('the chat draws calls by a component of the app, which answers them', async ({
  show,
  model,
}) => {
  const input = { sku: 'mug', note: 'as soon as it can be had, and not before' }
  model.enqueue(callTools([{ name: 'order', input }], { paceMs: 150 }), say('Ordered.'))
  model.enqueue(say('Once upon a time.'))
  const { baseURL } = model
  const { page, app, press } = await show('chat', { isStrict: true, baseURL })
  const card = page.getByRole('article', { name: 'Order card' })
  await press('An order, please')
  await expect(card).toContainText('awaiting-approval: {"sku":"mug"')
  // While it was written, too.
  const written = (await app.inputTexts()).filter((text) => JSON.stringify(input).startsWith(text))
  expect(written.length).toBeGreaterThan(1)
  // A component with a state of its own, and the contexts of the app, in the page's own document.
  await expect(card).toHaveAttribute('data-agent', 'true')
  await card.getByRole('textbox', { name: 'Note' }).fill('now')
  await press('Book it now')
  await app.begun(1)
  await page.evaluate('app.calls.progress("half")')
  await expect(card).toContainText('half')
  await expect(card.getByRole('textbox', { name: 'Note' })).toHaveValue('now')
  await app.finish('a mug')
  await expect(card).toContainText('succeeded')
  await expect(card).toContainText('a mug')
  await expect(page.locator('offstage-chat')).toContainText('Ordered.')
  expect((await app.counts()).warnings).toEqual([])

  await expect(page.locator('offstage-chat.tall#chat')).toHaveAttribute('placement', 'inline')
  await press('Place')
  await expect(page.locator('offstage-chat')).toHaveAttribute('placement', 'panel')
  await press('Place')
  await expect(page.locator('offstage-chat')).toHaveAttribute('placement', 'inline')
  // By the ref.
  await page.evaluate('chat.send("A story, please")')
  await expect(page.locator('offstage-chat')).toContainText('Once upon a time.')
  await page.evaluate('app.unmount()')
  await expect(card).toHaveCount(0)
})

test('what a server renders is taken over as it is, and lives then', async ({
  openPage,
  site,
  appCode,
}) => {
  const { Shell } = (await onServer('react-shell.jsx')) as {
    Shell: ComponentType<{ create: () => Agent }>
  }
  const create = (): never => {
    throw new Error('A server makes no agent.')
  }
  const markup = renderToString(createElement(Shell, { create }))
  expect(markup).toContain('<h1>0 messages, loading</h1>')
  expect(markup).toContain('<offstage-chat class="chat"></offstage-chat>')

  site.add('/react-app.js', { body: appCode })
  const page = await openPage({ body: `<div id="app">${markup}</div>` })
  const heading = await page.getByRole('heading').elementHandle()
  await page.evaluate('import("/react-app.js")')
  await page.evaluate('window.problems = app.hydrate()')
  await expect(page.getByRole('heading', { name: '0 messages, idle' })).toBeVisible()
  await page.getByRole('button', { name: 'Story' }).click()
  await expect(page.getByRole('log', { name: 'Panel' })).toHaveText(/nobody had ordered\.$/)
  await expect(page.locator('offstage-chat')).toContainText('nobody had ordered.')
  await expect(page.locator('offstage-chat')).toContainText('Helper')
  expect(await page.evaluate('({ problems, warnings: app.counts.warnings })')).toEqual({
    problems: [],
    warnings: [],
  })
  expect(await heading?.evaluate((element) => element.isConnected)).toBe(true)
})
