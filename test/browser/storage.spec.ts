import { MORE } from './support/more.ts'
import type { Page } from '@playwright/test'
import { callTools, say } from './support/mock-answers.ts'
import { needsDevTools } from './support/only-chromium.ts'
import { expect, test } from './support/test.ts'

/** Opens the agent's database behind its back, and keeps it open. Runs in the page. */
function hold(version: number | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('offstage-2:offstage', version)
    request.addEventListener('success', () => {
      Object.assign(window, { held: request.result })
      resolve(request.result.version)
    })
    request.addEventListener('error', () => reject(request.error ?? new Error('no database')))
  })
}

/** Has the database that is held deleted, as soon as it isn't: nobody can open it until then. */
function deleteHeld(): void {
  indexedDB.deleteDatabase('offstage-2:offstage')
}

function letGo(): void {
  ;(window as unknown as { held: IDBDatabase }).held.close()
}

/** An agent at `window.agent` with a counting tool; its storage modes at `window.modes`. */
async function openShop(page: Page, address: string): Promise<void> {
  await page.evaluate((baseURL) => {
    const { createAgent, defineTool } = window.offstage
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      annotations: { idempotent: true },
      execute: async () => {
        const tab = window as unknown as { paid?: number; beforePaid?: () => Promise<void> }
        tab.paid = (tab.paid ?? 0) + 1
        await tab.beforePaid?.()
        return 'paid'
      },
    })
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      tools: [pay],
    })
    const modes: string[] = []
    const reasons: string[] = []
    agent.on('storage', ({ mode, reason }) => {
      modes.push(mode)
      if (reason) reasons.push(reason.code)
    })
    agent.conversation('c').subscribe(() => undefined)
    Object.assign(window, { agent, modes, reasons })
  }, address)
}

declare global {
  interface Window {
    agent: ReturnType<typeof window.offstage.createAgent>
    modes: string[]
    /** Codes of the reasons for these modes. Not every mode has a reason. */
    reasons: string[]
    paid?: number
    run?: ReturnType<Window['agent']['run']>
  }
}

const send = (page: Page) =>
  page.evaluate(() => window.agent.run('Pay', { conversationId: 'c' }).result)
const begin = (page: Page) =>
  page.evaluate(() => {
    window.run = window.agent.run('Pay', { conversationId: 'c' })
  })
const snapshot = (page: Page) => page.evaluate(() => window.agent.conversation('c').getSnapshot())

test(
  'F25 a database blocked by another tab is awaited, and never replaced by memory',
  MORE,
  async ({ openPage, context, model }) => {
    const other = await openPage({ context })
    await other.evaluate(hold, 1)
    await other.evaluate(deleteHeld)
    const page = await openPage({ context })
    await openShop(page, model.baseURL)
    expect(await send(page)).toMatchObject({
      outcome: 'failed',
      error: { code: 'storage-blocked' },
    })
    expect(model.requests).toHaveLength(0)
    expect(await page.evaluate(() => window.modes)).toEqual(['blocked'])

    await other.evaluate(letGo)
    await expect.poll(() => page.evaluate(() => window.modes)).toEqual(['blocked', 'durable'])
    model.enqueue(say('Hello.'))
    expect(await send(page)).toMatchObject({ outcome: 'completed', text: 'Hello.' })
    const [record] = await page.evaluate(() => window.agent.conversations.list())
    expect(record?.conversationId).toBe('c')
  },
)

test('F27 a database of a newer version is refused by name, and no model is called', async ({
  openPage,
  context,
  model,
}) => {
  const newer = await openPage({ context })
  await newer.evaluate(hold, 99)
  const page = await openPage({ context })
  await openShop(page, model.baseURL)
  expect(await send(page)).toMatchObject({ outcome: 'failed', error: { code: 'storage-newer' } })
  expect(await page.evaluate(() => window.modes)).toEqual(['newer'])
  expect(model.requests).toHaveLength(0)
})

test('F25 when a newer version takes over the database, the old tab reports it and stops', async ({
  openPage,
  context,
  model,
}) => {
  model.enqueue(say('One.'))
  const page = await openPage({ context })
  await openShop(page, model.baseURL)
  expect(await send(page)).toMatchObject({ outcome: 'completed' })
  const newer = await openPage({ context })
  expect(await newer.evaluate(hold, 99)).toBe(99)
  await expect.poll(() => page.evaluate(() => window.modes)).toEqual(['durable', 'newer'])
  expect(await send(page)).toMatchObject({ outcome: 'failed', error: { code: 'storage-newer' } })
  expect(await page.evaluate(() => window.modes)).toEqual(['durable', 'newer'])
})

/** Clears the databases of the page's site as the browser does, or a person in its settings. */
async function clearData(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { origin } = new URL(page.url())
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
}

test(
  'F25 when data is cleared under an open page, it is reported and the next run works',
  MORE,
  async ({ openPage, model, browserName }) => {
    needsDevTools(browserName)
    model.enqueue(say('One.'), say('Two.'))
    const page = await openPage()
    await openShop(page, model.baseURL)
    expect(await send(page)).toMatchObject({ outcome: 'completed' })
    await clearData(page)
    // Chromium answers nothing about databases for some 30 s then, on a busy machine.
    await expect
      .poll(() => page.evaluate(() => window.reasons), { timeout: 90_000 })
      .toEqual(['storage-cleared'])
    await expect.poll(async () => (await snapshot(page)).messages.length).toBe(0)
    expect(await send(page)).toMatchObject({ outcome: 'completed', text: 'Two.' })
    expect((await snapshot(page)).messages).toHaveLength(2)
    expect(await page.evaluate(() => window.reasons)).toEqual(['storage-cleared'])
  },
)

test('F25 data that was cleared while no page was open is reported at the start', async ({
  openPage,
  context,
  model,
  browserName,
}) => {
  needsDevTools(browserName)
  model.enqueue(say('One.'))
  const page = await openPage({ context })
  await openShop(page, model.baseURL)
  expect(await send(page)).toMatchObject({ outcome: 'completed' })
  await page.close()
  const next = await openPage({ context })
  await clearData(next)
  await openShop(next, model.baseURL)
  await expect.poll(() => next.evaluate(() => window.reasons)).toEqual(['storage-cleared'])
  expect(await next.evaluate(() => window.modes)).toEqual(['durable'])
})

test('storage reports the available space, and whether the browser may delete the data', async ({
  openPage,
  model,
  browserName,
}) => {
  test.skip(browserName === 'firefox', 'Firefox asks a person, and its driver answers for nobody.')
  const page = await openPage()
  await openShop(page, model.baseURL)
  const { before, persists, after } = await page.evaluate(async () => {
    const { storage } = window.agent
    const before = await storage.estimate()
    return { before, persists: await storage.persist(), after: await storage.estimate() }
  })
  expect(before.quota).toBeGreaterThan(before.usage ?? Infinity)
  expect(after.persisted).toBe(persists)
})

test.describe('F24 when the quota is used up', () => {
  /** Sets the quota of the page's origin; null: the browser's own. */
  async function setQuota(page: Page, bytes: number | null): Promise<void> {
    const session = await page.context().newCDPSession(page)
    const { origin } = new URL(page.url())
    const quota = bytes === null ? {} : { quotaSize: bytes }
    await session.send('Storage.overrideQuotaForOrigin', { origin, ...quota })
  }

  /** Writes into another database until not even a few bytes more are taken. Runs in the page. */
  async function fill(): Promise<void> {
    const db = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open('filler', 1)
      request.addEventListener('upgradeneeded', () => request.result.createObjectStore('rows'))
      request.addEventListener('success', () => resolve(request.result))
    })
    let rows = 0
    const isTaken = (bytes: number): Promise<boolean> =>
      new Promise((resolve) => {
        const tx = db.transaction('rows', 'readwrite')
        const noise = crypto.getRandomValues(new Uint8Array(bytes))
        tx.objectStore('rows').put(noise, ++rows)
        tx.addEventListener('complete', () => resolve(true))
        tx.addEventListener('abort', () => resolve(false))
      })
    for (let bytes = 50_000; bytes > 1; bytes = Math.floor(bytes / 4)) while (await isTaken(bytes));
    db.close()
  }

  test('a new run is paused with its message, and resumes when there is room', async ({
    openPage,
    model,
    browserName,
  }) => {
    needsDevTools(browserName)
    const page = await openPage()
    await setQuota(page, 1_000_000)
    model.enqueue(say('One.'), say('Two.'))
    await openShop(page, model.baseURL)
    expect(await send(page)).toMatchObject({ outcome: 'completed' })
    await page.evaluate(fill)
    await begin(page)
    await expect.poll(async () => (await snapshot(page)).paused).toBe('storage-full')
    expect(await snapshot(page)).toMatchObject({ status: 'waiting' })
    expect((await snapshot(page)).messages).toHaveLength(3)
    expect(model.requests).toHaveLength(1)

    await setQuota(page, null)
    await page.evaluate(() => window.agent.continue('c'))
    expect(await page.evaluate(() => window.run?.result)).toMatchObject({
      outcome: 'completed',
      text: 'Two.',
    })
  })

  test('after a side effect the result is kept, and the call is neither lost nor repeated', async ({
    openPage,
    model,
    browserName,
  }) => {
    needsDevTools(browserName)
    const page = await openPage()
    await setQuota(page, 1_000_000)
    model.enqueue(callTools([{ name: 'pay', input: {} }]), say('Settled.'))
    await openShop(page, model.baseURL)
    await page.evaluate(`window.beforePaid = ${fill.toString()}`)
    await begin(page)
    await expect.poll(async () => (await snapshot(page)).paused).toBe('storage-full')
    expect(await page.evaluate(() => window.paid)).toBe(1)
    expect(model.requests).toHaveLength(1)

    await setQuota(page, null)
    await page.evaluate(() => window.agent.continue('c'))
    expect(await page.evaluate(() => window.run?.result)).toMatchObject({
      outcome: 'completed',
      toolCalls: [{ status: 'succeeded' }],
    })
    expect(await page.evaluate(() => window.paid)).toBe(1)
  })
})

test('F28 a conversation with a missing row is reported as broken; others continue', async ({
  openPage,
  model,
}) => {
  const page = await openPage()
  model.enqueue(say('One.'), say('Two.'), say('Three.'))
  await openShop(page, model.baseURL)
  expect(await send(page)).toMatchObject({ outcome: 'completed' })
  await page.evaluate(() => window.agent.run('Hi', { conversationId: 'other' }).result)
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await page.evaluate(hold, undefined)
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const { held } = window as unknown as { held: IDBDatabase }
        const tx = held.transaction('rows', 'readwrite')
        tx.objectStore('rows').delete(['c', 3])
        tx.addEventListener('complete', resolve)
      }),
  )
  await page.evaluate(letGo)
  await openShop(page, model.baseURL)
  expect(await send(page)).toMatchObject({
    outcome: 'failed',
    error: { code: 'conversation-broken' },
  })
  const stored = await page.evaluate(() => window.agent.conversations.get('c'))
  expect(stored).toMatchObject({ broken: 'Row 3 is missing.', messages: [{ role: 'user' }] })
  const listed = await page.evaluate(() => window.agent.conversations.list())
  expect(listed.map(({ conversationId, broken }) => [conversationId, broken])).toEqual([
    ['other', undefined],
    ['c', 'Row 3 is missing.'],
  ])
  const other = await page.evaluate(
    () => window.agent.run('Hi', { conversationId: 'other' }).result,
  )
  expect(other).toMatchObject({ outcome: 'completed', text: 'Three.' })
  expect(await page.evaluate(() => window.agent.conversations.delete('c'))).toBe(true)
})
