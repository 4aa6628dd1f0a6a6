import 'fake-indexeddb/auto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { httpStore } from '../../../src/http-store/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import type { StoreChange } from '../../../src/worker/start-worker.ts'
import { MORE } from '../../../scripts/lib/more.mjs'
import { startFaultProxy, type FaultProxy } from '../../browser/support/fault-proxy.ts'
import { openSqlite, type TestDatabase } from '../../http-store/databases.ts'
import { serveStore, type StoreServer } from '../../http-store/serve-store.ts'
import { eachNth } from '../more.ts'
import { appendOf, ended, newId, openHttpStore, started } from './support.ts'

let kept: TestDatabase
let server: StoreServer
let proxy: FaultProxy
let url: string

beforeAll(async () => {
  kept = await openSqlite()
  server = await serveStore(kept.database)
  proxy = await startFaultProxy(new URL(server.url).origin)
  url = `${proxy.url}/history`
})
afterEach(() => proxy.mend())
afterAll(async () => {
  await proxy.close()
  await server.close()
  await kept.close()
})

const OFFLINE = { code: 'storage-offline', retryable: true }
/** No machine is so slow. */
const LATE = { timeout: 30_000 }

describe('while the server can not be reached', () => {
  it.each(['{}', 'null', '[]', '{"storeId":"zz","value":null}', '{"error":"log in"}', '<html>'])(
    'an answer from another server (%s) does not count',
    async (body) => {
      const fetch = async (): Promise<Response> => new Response(body)
      const store = await openHttpStore(url, { fetch })
      await expect(store.get('c')).rejects.toMatchObject(OFFLINE)
      await expect(store.claim('c', 1)).rejects.toMatchObject(OFFLINE)
      store.close()
    },
  )

  it('reads come from the copy, and everything else is refused', async () => {
    const [tenant, device] = [newId('tenant'), newId('device')]
    const store = await openHttpStore(url, { tenant, device })
    const { epoch } = await store.claim('c', 1)
    await store.append(appendOf(epoch, started('r', 'Mugs')))
    const whole = await store.read('c')
    // Appended rows are added to the copy, too.
    const more = await store.append(appendOf(epoch, ended('r'), started('s'), ended('s')))
    const rows = [...whole.rows, ...more]
    await store.list()
    store.close()

    const again = await openHttpStore(url, { tenant, device })
    proxy.cut()
    const read = await again.read('c')
    expect(read).toMatchObject({ isCopy: true, record: { title: 'Mugs', lastSeq: 4 } })
    expect(read.rows).toEqual(rows)
    expect((await again.read('c', { after: 1, limit: 2 })).rows).toEqual(rows.slice(1, 3))
    expect((await again.read('c', { newest: 1 })).rows).toEqual(rows.slice(3))
    expect(await again.read('c', { limit: 0 })).toMatchObject({ rows: [], isCopy: true })
    expect((await again.read('c', { after: 4 })).rows).toEqual([])
    await expect(again.read('c', { after: 5 })).rejects.toMatchObject(OFFLINE)
    await expect(again.read('never')).rejects.toMatchObject(OFFLINE)
    expect(await again.list()).toMatchObject({ isCopy: true, records: [{ title: 'Mugs' }] })
    await expect(again.get('c')).rejects.toMatchObject(OFFLINE)
    await expect(again.claim('c', 1)).rejects.toMatchObject(OFFLINE)
    await expect(again.append(appendOf(epoch, ended('x')))).rejects.toMatchObject(OFFLINE)
    await expect(again.rename('c', { title: 'x', at: 1 })).rejects.toMatchObject(OFFLINE)
    await expect(again.delete('c')).rejects.toMatchObject(OFFLINE)
    expect(again.states).toEqual(['offline'])
    proxy.mend()
    expect((await again.read('c')).isCopy).toBe(undefined)
    expect(again.states).toEqual(['offline', 'durable'])
    again.close()
  })

  it('the copy excludes other tenants and conversations deleted or made again', async () => {
    const device = newId('device')
    const [mine, other] = [newId('tenant'), newId('tenant')]
    const store = await openHttpStore(url, { tenant: mine, device })
    const { epoch } = await store.claim('c', 1)
    await store.append(appendOf(epoch, started('r', 'Old'), ended('r')))
    await store.claim('d', 1)
    await store.read('d')
    await store.delete('d')
    await store.delete('c')
    const again = await store.claim('c', 2)
    await store.append(appendOf(again.epoch, started('s', 'New')))
    proxy.cut()
    expect(await store.read('c')).toMatchObject({
      rows: [{ runId: 's' }],
      record: { title: 'New' },
    })
    await expect(store.read('d')).rejects.toMatchObject(OFFLINE)
    proxy.mend()
    store.close()

    const theirs = await openHttpStore(url, { tenant: other, device })
    expect((await theirs.list()).records).toEqual([])
    proxy.cut()
    await expect(theirs.read('c')).rejects.toMatchObject(OFFLINE)
    await expect(theirs.list()).rejects.toMatchObject(OFFLINE)
    theirs.close()
  })

  it('the copy forgets what another device deleted while this browser was closed', async () => {
    const [tenant, device] = [newId('tenant'), newId('device')]
    const store = await openHttpStore(url, { tenant, device })
    const { epoch } = await store.claim('c', 1)
    await store.append(appendOf(epoch, started('r', 'My diagnosis'), ended('r')))
    await store.claim('d', 1)
    await store.list()
    store.close()
    const other = await openHttpStore(url, { tenant })
    expect(await other.delete('c')).toBe(true)
    other.close()

    const again = await openHttpStore(url, { tenant, device })
    // A page of a list says nothing about the others.
    expect((await again.list({ limit: 1 })).records).toMatchObject([{ conversationId: 'd' }])
    await again.list()
    proxy.cut()
    await expect(again.read('c')).rejects.toMatchObject(OFFLINE)
    expect((await again.list()).records).toMatchObject([{ conversationId: 'd' }])
    again.close()
  })

  it('without a copy, nothing is read', async () => {
    const store = await openHttpStore(url, { tenant: newId('tenant'), copy: false })
    await store.claim('c', 1)
    await store.read('c')
    proxy.cut()
    await expect(store.read('c')).rejects.toMatchObject(OFFLINE)
    store.close()
  })

  it('after a gap, followers get its changes and a request to reread all', async () => {
    const tenant = newId('tenant')
    const store = await openHttpStore(url, { tenant })
    const other = await openHttpStore(server.url, { tenant })
    const changes: StoreChange[] = []
    store.follow?.((change) => changes.push(change))
    await expect.poll(() => changes.length, LATE).toBeGreaterThan(0)
    proxy.cut()
    await expect.poll(() => store.states, LATE).toEqual(['offline'])
    changes.length = 0
    await other.claim('c', 1)
    proxy.mend()
    await expect
      .poll(() => changes.map(({ conversationId }) => conversationId).toSorted(), LATE)
      .toEqual(['c', null])
    expect(store.states).toEqual(['offline', 'durable'])
    store.close()
    other.close()
  })

  it('lost answers, one after the other, are reported as one return of the server', async () => {
    let asked = 0
    const store = await openHttpStore(url, {
      tenant: newId('tenant'),
      fetch: (...request) =>
        request[1]?.method === 'POST' && ++asked % 2 === 0
          ? Promise.reject(new TypeError('Failed to fetch'))
          : fetch(...request),
    })
    const returns: StoreChange[] = []
    store.follow?.((change) => change.conversationId === null && returns.push(change))
    const begun = performance.now()
    for (let time = 0; time < 20; time++) await store.get('c').catch(() => null)
    const seconds = (performance.now() - begun) / 1000
    expect(store.states.filter((state) => state === 'durable').length).toBeGreaterThan(5)
    // The first connection is reported, too.
    expect(returns.length).toBeLessThanOrEqual(2 + seconds)
    await expect.poll(() => returns.length, LATE).toBeGreaterThan(0)
    store.close()
  })

  it('a login page or proxy in place of the server is an error', async () => {
    const page = { body: '<h1>Log in</h1>', headers: { 'content-type': 'text/html' } }
    const answers = [
      [new Response(page.body, page), 'storage-offline'],
      [new Response(page.body, { ...page, status: 503 }), 'storage-offline'],
      [new Response(null, { status: 302, headers: { location: '/login' } }), 'storage-blocked'],
      [new Response(page.body, { ...page, status: 403 }), 'storage-blocked'],
      [new Response(page.body, { ...page, status: 500 }), 'storage-failed'],
      [
        Response.json(
          { error: { code: 'aborted', message: '', retryable: false } },
          { status: 500 },
        ),
        'storage-failed',
      ],
    ] as const
    for (const [answer, code] of answers) {
      const store = await openHttpStore(url, { fetch: async () => answer })
      await expect(store.get('c')).rejects.toMatchObject({ code })
      store.close()
    }
  })

  const never = (): Promise<never> => new Promise(() => undefined)
  it.each([
    ['its answer', {}],
    ['what headers returns', { headers: never }],
    ['what fetch returns', { fetch: never }],
  ])('every request has a timeout: %s may never come', async (_what, options) => {
    proxy.enqueue({ type: 'hang', after: 0 })
    const store = await openHttpStore(url, { timeoutMs: 200, ...options })
    await expect(store.claim('c', 1)).rejects.toMatchObject(OFFLINE)
    expect(store.states.at(-1)).toBe('offline')
    store.close()
    proxy.forget()
  })
})

describe('an agent with its conversations on a server', () => {
  const script = {
    steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Done.' }],
  }

  function agentOf(tenant: string, execute: () => string, device = newId('device')) {
    const store = httpStore({ url, headers: () => ({ 'x-tenant': tenant }) })
    return createTestAgent({
      script,
      storage: { type: 'http', device },
      stores: [store],
      tools: [{ name: 'pay', description: 'Pays.', execute }],
    })
  }

  it('pauses a run as storage-offline, still shows it, and resumes with the server', async () => {
    let payments = 0
    const agent = agentOf(newId('tenant'), () => {
      payments += 1
      proxy.cut()
      return 'paid'
    })
    const modes: string[] = []
    agent.on('storage', ({ mode }) => void modes.push(mode))
    const view = agent.conversation('c')
    const stop = view.subscribe(() => undefined)
    const run = agent.run('Pay', { conversationId: 'c' })
    const paused: string[] = []
    for await (const event of run) {
      if (event.type !== 'run-paused') continue
      paused.push(event.reason)
      await expect.poll(() => view.getSnapshot().messages.length, LATE).toBeGreaterThan(0)
      expect(await agent.conversations.list()).toMatchObject([{ conversationId: 'c' }])
      proxy.mend()
    }
    expect([...new Set(paused)]).toEqual(['storage-offline'])
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(payments).toBe(1)
    expect(modes.slice(0, 2)).toEqual(['durable', 'offline'])
    expect(modes.at(-1)).toBe('durable')
    stop()
    await agent.dispose()
  })

  it('exports nothing from the copy, which may lack what another device wrote', async () => {
    const [tenant, device] = [newId('tenant'), newId('device')]
    const stored = await openHttpStore(url, { tenant, device })
    const { epoch } = await stored.claim('c', 1)
    await stored.append(appendOf(epoch, started('r'), ended('r')))
    await stored.read('c')
    stored.close()
    const agent = agentOf(tenant, () => 'paid', device)
    proxy.cut()
    expect((await agent.conversations.get('c'))?.messages).toHaveLength(1)
    const file = new Response(await agent.conversations.export()).text()
    await expect(file).rejects.toMatchObject(OFFLINE)
    await agent.dispose()
  })

  const cuts = [
    ['after the commit', { type: 'reset', after: 0 }],
    ['in the middle of the answer', { type: 'reset', after: 150 }],
    ['before the commit', { type: 'refuse' }],
  ] as const
  it.each(eachNth(3, cuts))(
    'does nothing twice when links are cut %s, at every request',
    async (_when, fault) => {
      let at = 0
      for (;;) {
        let payments = 0
        const tenant = newId('tenant')
        const agent = agentOf(tenant, () => `paid ${(payments += 1)}`)
        const before = Array.from({ length: at }, () => ({ type: 'none' }) as const)
        proxy.enqueue(...before, fault)
        const result = await agent.run('Pay', { conversationId: 'c' }).result
        expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
        expect(payments).toBe(1)
        const store = await openHttpStore(server.url, { tenant })
        const rows = (await store.read('c')).rows as { type: string; seq: number }[]
        expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, n) => n + 1))
        for (const type of ['run-started', 'call-started', 'call-settled', 'run-ended'])
          expect([type, rows.filter((row) => row.type === type).length]).toEqual([type, 1])
        store.close()
        await agent.dispose()
        const unused = proxy.forget()
        if (unused > 0) break
        at += MORE ? 1 : 3
      }
      // A run of two steps asks for more than that.
      expect(at).toBeGreaterThan(5)
    },
    // A dozen runs, of which most wait for a while.
    600_000,
  )
})
