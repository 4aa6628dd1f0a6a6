import type { Page, TestDetails } from '@playwright/test'
import type { Plugin } from 'vite'
import { bundleApp } from '../../bindings/bundle-app.ts'
import { callTools, say } from './mock-answers.ts'
import { MORE } from './more.ts'
import { pressSettled } from './press-settled.ts'
import { expect, test as base } from './test.ts'

// A binding as an app has it: what was built, the framework's development build, a real worker, a scripted model.

export { expect }

export interface BoundApp {
  readonly page: Page
  readonly app: AppInPage
  /** A button. */
  press(name: string): Promise<void>
}

export interface SceneOptions {
  /** Whether the app renders in strict mode. */
  readonly isStrict?: boolean
  /** Address of a model server. Default: a scripted model. */
  readonly baseURL?: string
}

/** The interface of `window.app`. */
interface AppInPage {
  seen(): Promise<Seen>
  begun(calls: number): Promise<void>
  finish(value: string): Promise<void>
}

/** See `scene.js`. */
interface Seen {
  readonly created: number
  readonly disposed: number
  readonly executed: number
  readonly warnings: readonly string[]
  readonly renders: { readonly whole: number; readonly count: number; readonly pair: number }
  readonly inputTexts: readonly string[]
  readonly sent: readonly string[]
}

interface TestFixtures {
  /** Opens a page with a scene of the app. */
  show: (scene: string, options?: SceneOptions) => Promise<BoundApp>
  /** Opens a page with what a server has rendered. */
  takeOver: (markup: string) => Promise<Page>
}

/** Tests of an app of test/bindings. */
export function boundTest(name: string, plugins: () => Plugin[] = () => []) {
  // Tests run one after another: bundling takes longest, and parallel workers would each repeat it.
  base.describe.configure({ mode: 'default' })
  let code: Promise<string> | undefined
  return base.extend<TestFixtures>({
    takeOver: async ({ openPage, site }, use) => {
      site.add('/bound-app.js', { body: await (code ??= bundleApp(name, plugins())) })
      await use(async (markup) => {
        const page = await openPage({ body: `<div id="app">${markup}</div>` })
        await page.evaluate('import("/bound-app.js")')
        return page
      })
    },
    show: async ({ takeOver }, use) => {
      await use(async (scene, options = {}) => {
        const page = await takeOver('')
        await page.evaluate(`app.mount(${JSON.stringify(scene)}, ${JSON.stringify(options)})`)
        await page.locator('html[data-agent]').waitFor({ state: 'attached' })
        const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
        return { page, app: inPage(page), press }
      })
    },
  })
}

function inPage(page: Page): AppInPage {
  return {
    seen: () => page.evaluate('({ ...app.seen, agents: null })'),
    begun: (calls) => expect.poll(() => page.evaluate('app.calls.begun()')).toBe(calls),
    finish: (value) => page.evaluate(`app.calls.finish(${JSON.stringify(value)})`),
  }
}

type BoundTest = ReturnType<typeof boundTest>

/** Tests of every framework. `npm test` runs all of them in one, and the first in the others. */
export function commonTests(test: BoundTest, others: TestDetails = {}): void {
  testTools(test, others)
  testShown(test, others)
  testDiscussion(test, others)
}

function testTools(test: BoundTest, others: TestDetails): void {
  test('an agent is created once, and disposed of on unmount', async ({ show }) => {
    const { page, app, press } = await show('plain')
    await press('Order')
    await app.begun(1)
    await app.finish('a mug')
    await expect(page.getByRole('log')).toHaveText('Ordered.')
    await expect(page.locator('output')).toHaveText('succeeded a mug')
    expect(await app.seen()).toMatchObject({ created: 1, disposed: 0, executed: 1 })
    await page.evaluate('app.unmount()')
    await expect.poll(async () => (await app.seen()).disposed).toBe(1)
  })

  test('a component remounted during its call runs it once', MORE, async ({ show }) => {
    const { page, app, press } = await show('remount')
    await press('Order')
    await app.begun(1)
    await press('Remount')
    await press('Remount')
    await app.finish('a mug')
    await expect(page.getByRole('log')).toHaveText('Ordered.')
    await expect(page.locator('output')).toHaveText('succeeded a mug')
    expect((await app.seen()).executed).toBe(1)
  })

  test(
    'the newest function is called, and the newest context is sent',
    others,
    async ({ show, model }) => {
      model.enqueue(callTools([{ name: 'order', input: { sku: 'mug' } }]), say('Ordered.'))
      const { page, press } = await show('closure', model)
      await press('Click')
      await press('Click')
      await press('Order')
      await expect(page.locator('output')).toHaveText('succeeded 2 clicks')
      await expect(page.getByRole('log')).toHaveText('Ordered.')
      expect(JSON.stringify(model.requests[0]?.body)).toContain('clicks: 2')
    },
  )

  test(
    'when two mounted tools share a name, the last one counts, with a warning',
    MORE,
    async ({ show }) => {
      const { page, app, press } = await show('twins')
      expect((await app.seen()).warnings).toEqual([expect.stringContaining('named order')])
      await press('Order')
      await expect(page.locator('output')).toHaveText('succeeded of the second')
      await press('Take the second away')
      await press('Order')
      await expect(page.locator('output')).toHaveText(
        'succeeded of the secondsucceeded of the first',
      )
    },
  )
}

function testShown(test: BoundTest, others: TestDetails): void {
  test('a selection renders when it changes, not with each text delta', MORE, async ({ show }) => {
    const { page, app, press } = await show('select')
    await press('Story')
    await expect(page.getByRole('log')).toHaveText(/nobody had ordered\.$/)
    await expect(page.locator('#pair')).toHaveText('idle assistant')
    await expect(page.locator('#count')).toHaveText('2')
    const { whole, count, pair } = (await app.seen()).renders
    // Two messages come; the status goes from loading over running to idle.
    expect(count).toBeLessThanOrEqual(4)
    expect(pair).toBeLessThanOrEqual(8)
    expect(whole).toBeGreaterThan(pair)
  })

  test(
    'the chat renders calls with a component of the app, which answers them',
    others,
    async ({ show, model }) => {
      const input = { sku: 'mug', note: 'as soon as it can be had, and not before' }
      model.enqueue(callTools([{ name: 'order', input }], { paceMs: 150 }), say('Ordered.'))
      model.enqueue(say('Once upon a time.'))
      const { baseURL } = model
      const { page, app, press } = await show('chat', { baseURL, isStrict: true })
      const card = page.getByRole('article', { name: 'Order card' })
      await press('An order, please')
      await expect(card).toContainText('awaiting-approval: {"sku":"mug"')
      // While it was written, too.
      const written = (await app.seen()).inputTexts.filter((text) =>
        JSON.stringify(input).startsWith(text),
      )
      expect(written.length).toBeGreaterThan(1)
      // A component with a state of its own, and the contexts of the app, in the page's own document.
      await expect(card).toHaveAttribute('data-agent', 'true')
      // A card that has just moved takes no keys either.
      await pressSettled(card.getByRole('textbox', { name: 'Note' }))
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
      expect((await app.seen()).warnings).toEqual([])

      await expect(page.locator('offstage-chat.tall#chat')).toHaveAttribute('placement', 'inline')
      await press('Place')
      await expect(page.locator('offstage-chat')).toHaveAttribute('placement', 'panel')
      await press('Place')
      await expect(page.locator('offstage-chat')).toHaveAttribute('placement', 'inline')
      // By the ref.
      await page.evaluate('chat.send("A story, please")')
      await expect(page.locator('offstage-chat')).toContainText('Once upon a time.')
      // Listeners of the element's events are given as properties.
      expect((await app.seen()).sent).toEqual(['An order, please', 'A story, please'])
      await page.evaluate('app.unmount()')
      await expect(card).toHaveCount(0)
    },
  )
}

function testDiscussion(test: BoundTest, others: TestDetails): void {
  test(
    'components follow the discussion of a waiting call, and approve what it suggests',
    others,
    async ({ show, model }) => {
      model.enqueue(
        callTools([{ name: 'order', input: { sku: 'mug' } }]),
        callTools([{ name: 'suggest_change', input: { sku: 'cup' } }]),
        say('A cup, then.'),
        say('Ordered.'),
      )
      const { page, app, press } = await show('discuss', model)
      await press('Order')
      await press('Ask')
      await expect(page.getByRole('log')).toHaveText('Rather a cup? A cup, then.')
      await press('Use it')
      await expect(page.locator('output')).toHaveText('succeeded a cup')
      await expect(page.locator('p')).toHaveText('Ordered.')
      // The hook shows the discussion, so the model gets it with the result.
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Rather a cup?')
      expect((await app.seen()).warnings).toEqual([])
    },
  )
}

/** Checks that hydration keeps the server-rendered elements and logs no warnings. */
export async function checkTakenOver(page: Page): Promise<void> {
  const heading = await page.getByRole('heading').elementHandle()
  await page.evaluate('void app.hydrate()')
  await expect(page.getByRole('heading', { name: '0 messages, idle' })).toBeVisible()
  await page.getByRole('button', { name: 'Story' }).click()
  await expect(page.getByRole('log', { name: 'Panel' })).toHaveText(/nobody had ordered\.$/)
  await expect(page.locator('offstage-chat')).toContainText('nobody had ordered.')
  await expect(page.locator('offstage-chat')).toContainText('Helper')
  expect(await page.evaluate('app.seen.warnings')).toEqual([])
  expect(await heading?.evaluate((element) => element.isConnected)).toBe(true)
}

/** A server makes no agent. */
export function createNone(): never {
  throw new Error('An agent was made on a server.')
}
