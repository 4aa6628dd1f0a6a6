import { createServer } from 'node:http'
import type { BrowserContext, Page } from '@playwright/test'
import type { Agent, Script } from '../../src/index.ts'
import { createStoreHandler } from '../../src/http-store/server/index.ts'
import { openSqlite } from '../http-store/databases.ts'
import { nodeListener } from '../http-store/node-listener.ts'
import { serveStore, tenantOf, type StoreServer } from '../http-store/serve-store.ts'
import { startFaultProxy, type FaultProxy } from './support/fault-proxy.ts'
import { listen } from './support/listen.ts'
import { MORE } from './support/more.ts'
import type { Site } from './support/site.ts'
import { expect, test as base } from './support/test.ts'

interface Server {
  readonly server: StoreServer
  readonly proxy: FaultProxy
}

const test = base.extend<{ server: Server }>({
  server:
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use) => {
      const kept = await openSqlite()
      const server = await serveStore(kept.database)
      const proxy = await startFaultProxy(new URL(server.url).origin)
      await use({ server, proxy })
      await proxy.close()
      await server.close()
      await kept.close()
    },
})

/** A worker file of an app, whose store is on another origin. */
const workerOf = (url: string): string => `
import { startWorker } from '/dist/start-worker.js'
import { httpStore } from '/dist/http-store.js'
startWorker({ stores: [httpStore({ url: '${url}', headers: ({ team }) => ({ 'x-tenant': team }) })] })`

const HTML = '<!doctype html><title>Device</title><script type="module" src="/expose.js"></script>'

interface DeviceOptions {
  readonly site: Pick<Site, 'add' | 'url'>
  readonly url: string
  readonly team: string
  readonly script?: Script
}

const ORDER: Script = {
  steps: [{ toolCalls: [{ toolName: 'order', input: { item: 'mug' } }] }, { text: 'Ordered.' }],
}

/** A page with an agent whose conversations are a team's. */
async function openDevice(
  context: BrowserContext,
  { site, url, team, script = ORDER }: DeviceOptions,
): Promise<Page> {
  site.add('/http-worker.js', { body: workerOf(url) })
  site.add('/device.html', { body: HTML })
  const page = await context.newPage()
  await page.goto(`${site.url}/device.html`)
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await page.evaluate(
    ({ tenant, plan }) => {
      const events: string[] = []
      const orders: unknown[] = []
      const agent = window.offstage.createAgent({
        model: { provider: 'scripted', model: 'script', script: JSON.parse(plan) as Script },
        workerUrl: '/http-worker.js',
        storage: { type: 'http', team: tenant },
        tools: [
          window.offstage.defineTool({
            name: 'order',
            description: 'Orders an item.',
            inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
            annotations: { destructive: true },
            execute: (input) => {
              orders.push(input)
              return 'ordered'
            },
          }),
        ],
      })
      agent.on('storage', ({ mode }) => void events.push(mode))
      const view = agent.conversation('shared')
      view.subscribe(() => undefined)
      Object.assign(window, { device: { agent, view, events, orders } })
    },
    { tenant: team, plan: JSON.stringify(script) },
  )
  return page
}

interface Device {
  readonly agent: Agent
  readonly view: ReturnType<Agent['conversation']>
  readonly events: string[]
  readonly orders: unknown[]
}
type DeviceWindow = { readonly device: Device }

const snapshotOf = (page: Page) =>
  page.evaluate(() => {
    const { view, orders } = (window as unknown as DeviceWindow).device
    const { messages, pending, status, paused } = view.getSnapshot()
    const roles = messages.map(({ role }) => role)
    return { roles, pending: pending.length, status, paused, orders: orders.length }
  })

const begin = (page: Page) =>
  page.evaluate(() => {
    const { agent } = (window as unknown as DeviceWindow).device
    void agent.run('A mug', { conversationId: 'shared' })
  })

const statesOf = (page: Page) =>
  page.evaluate(() => (window as unknown as DeviceWindow).device.events)

const approve = (page: Page) =>
  page.evaluate(async () => {
    const { agent, view } = (window as unknown as DeviceWindow).device
    const [call] = view.getSnapshot().pending
    if (call) await agent.approve(call)
  })

/** Shows the conversation in a chat, which resumes what it finds open. */
const showChat = (page: Page) =>
  page.evaluate(async () => {
    const { agent } = (window as unknown as DeviceWindow).device
    const source = '/dist/chat.js'
    await import(source)
    const chat = document.createElement('offstage-chat')
    Object.assign(chat, { agent, conversationId: 'shared' })
    document.body.append(chat)
  })

test("a device that opens another's run leaves it alone, until a person takes it over", async ({
  browser,
  site,
  server: { server },
}) => {
  // However slow the machine is, it isn't over before it is stopped.
  const text = 'Slowly, one word after the other, this answer goes on. '.repeat(400)
  const script: Script = { steps: [{ text }], paceMs: 50 }
  const given = { site, url: server.url, team: 'slow', script }
  const desk = await browser.newContext()
  const here = await openDevice(desk, given)
  const there = await openDevice(await browser.newContext(), given)
  const second = await openDevice(desk, given)
  const ownershipOf = (page: Page) =>
    page.evaluate(() => (window as unknown as DeviceWindow).device.view.getSnapshot().ownership)
  await begin(here)
  await showChat(there)
  await expect(there.locator('.notices').getByText('Running on another device')).toBeVisible()
  await expect.poll(() => ownershipOf(second)).toBe('other-tab')
  expect(await ownershipOf(here)).toBe('this-tab')

  // A reload of its own browser resumes it, and so does the chat's button elsewhere.
  await second.close()
  await here.reload()
  const again = await openDevice(desk, given)
  await showChat(again)
  await expect.poll(() => ownershipOf(again)).toBe('this-tab')
  expect(await ownershipOf(there)).toBe('other-device')
  await there.getByRole('button', { name: 'Take over' }).click()
  await expect.poll(() => ownershipOf(there)).toBe('this-tab')
  await expect.poll(() => ownershipOf(again)).toBe('other-device')
  await expect(again.locator('.notices').getByText('Running on another device')).toBeVisible()
  await there.evaluate(() => (window as unknown as DeviceWindow).device.view.abort('enough'))
  await expect.poll(async () => (await snapshotOf(there)).status).toBe('idle')
  await expect.poll(async () => (await snapshotOf(again)).status).toBe('idle')
  expect((await snapshotOf(again)).roles).toEqual(['user', 'assistant'])
})

test(
  'two browsers follow one conversation, and both list it',
  MORE,
  async ({ browser, site, server: { server } }) => {
    const given = { site, url: server.url, team: 'sales' }
    const here = await openDevice(await browser.newContext(), given)
    const there = await openDevice(await browser.newContext(), given)
    await begin(here)
    await expect
      .poll(() => snapshotOf(there))
      .toMatchObject({ roles: ['user', 'assistant'], pending: 1 })
    expect(await snapshotOf(here)).toMatchObject({ pending: 1, orders: 0 })
    await approve(here)
    const done = { pending: 0, status: 'idle' }
    await expect.poll(() => snapshotOf(here)).toMatchObject({ ...done, orders: 1 })
    await expect.poll(() => snapshotOf(there)).toMatchObject({ ...done, orders: 0 })
    expect((await snapshotOf(there)).roles).toEqual((await snapshotOf(here)).roles)
    const titles = (page: Page) =>
      page.evaluate(async () => {
        const { agent } = (window as unknown as DeviceWindow).device
        return (await agent.conversations.list()).map(({ title }) => title)
      })
    expect(await titles(there)).toEqual(['A mug'])

    // The other one goes on from there, and a third one without the team's name sees nothing.
    await begin(there)
    await expect.poll(async () => (await snapshotOf(here)).pending).toBe(1)
    await approve(there)
    await expect.poll(() => snapshotOf(there)).toMatchObject({ ...done, orders: 1 })
    await expect
      .poll(async () => (await snapshotOf(here)).roles.filter((role) => role === 'user').length)
      .toBe(2)
    const stranger = await openDevice(await browser.newContext(), {
      ...given,
      team: 'others',
    })
    expect(await titles(stranger)).toEqual([])
    for (const page of [here, there, stranger]) await page.context().close()
  },
)

test(
  'when the server is down, a run pauses as storage-offline, and resumes later',
  MORE,
  async ({ browser, site, server: { proxy } }) => {
    const url = `${proxy.url}/history`
    const page = await openDevice(await browser.newContext(), { site, url, team: 'travellers' })
    await begin(page)
    await expect.poll(async () => (await snapshotOf(page)).pending).toBe(1)
    proxy.cut()
    await expect.poll(() => statesOf(page)).toContain('offline')
    await page.evaluate(() => {
      const { agent } = (window as unknown as DeviceWindow).device
      void agent.run('Another', { conversationId: 'other' })
    })
    const other = () =>
      page.evaluate(() => {
        const { agent } = (window as unknown as DeviceWindow).device
        const { paused, status } = agent.conversation('other').getSnapshot()
        return { paused, status }
      })
    await page.evaluate(() => {
      const { agent } = (window as unknown as DeviceWindow).device
      agent.conversation('other').subscribe(() => undefined)
    })
    await expect.poll(other).toMatchObject({ paused: 'storage-offline' })
    proxy.mend()
    await expect.poll(async () => (await other()).paused).toBe(undefined)
    await approve(page)
    await expect
      .poll(() => snapshotOf(page))
      .toMatchObject({ pending: 0, status: 'idle', orders: 1 })
    await page.context().close()
  },
)

test(
  'a page opened while the server is down shows the copy, and continues after recovery',
  MORE,
  async ({ browser, site, server: { proxy } }) => {
    const given = { site, url: `${proxy.url}/history`, team: 'readers' }
    const before = await openDevice(await browser.newContext(), given)
    await begin(before)
    await expect.poll(async () => (await snapshotOf(before)).pending).toBe(1)
    const context = before.context()
    await before.close()
    proxy.cut()
    const page = await openDevice(context, given)
    await expect.poll(() => snapshotOf(page)).toMatchObject({ roles: ['user', 'assistant'] })
    expect(await statesOf(page)).toContain('offline')
    proxy.mend()
    await expect
      .poll(async () => {
        await approve(page).catch(() => undefined)
        return snapshotOf(page)
      })
      .toMatchObject({ pending: 0, status: 'idle', orders: 1 })
    await context.close()
  },
)

test(
  'twelve tabs of one HTTP/1.1 server all load, answer, and show what another device does',
  MORE,
  async ({ browser, site }) => {
    const kept = await openSqlite()
    const handler = createStoreHandler({
      database: kept.database,
      authorize: tenantOf,
      pollMs: 100,
    })
    // The app's only server: pages and store have one address, and the browser six connections to it.
    const open = new Set<AbortSignal>()
    const answer = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      if (pathname !== '/history') return fetch(site.url + pathname)
      if (request.method === 'GET') open.add(request.signal)
      return handler(request)
    }
    const listener = nodeListener(answer)
    const server = await listen(createServer((...asked) => void listener(...asked)))
    const script: Script = { steps: [{ text: 'Hello.' }] }
    const at = { url: server.url, add: site.add.bind(site) }
    const given = { site: at, url: '/history', team: 'tabs', script }
    const context = await browser.newContext()
    const pages: Page[] = []
    for (let tab = 0; tab < 12; tab++) pages.push(await openDevice(context, given))
    const outcomes = await Promise.all(
      pages.map((page, tab) =>
        page.evaluate(async (conversationId) => {
          const { agent } = (window as unknown as DeviceWindow).device
          return (await agent.run('Hi', { conversationId }).result).outcome
        }, `tab-${tab}`),
      ),
    )
    expect(outcomes).toEqual(pages.map(() => 'completed'))
    expect([...open].filter(({ aborted }) => !aborted)).toHaveLength(1)

    const other = await openDevice(await browser.newContext(), given)
    await begin(other)
    for (const page of pages)
      await expect.poll(async () => (await snapshotOf(page)).roles).toEqual(['user', 'assistant'])
    await other.context().close()
    await context.close()
    await server.close()
    await kept.close()
  },
)
