import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createStoreHandler,
  type SqlDatabase,
  type StoreHandlerOptions,
} from '../../../src/http-store/server/index.ts'
import { FORMAT, type Row } from '../../../src/protocol/fact.ts'
import type { StoreChange } from '../../../src/worker/start-worker.ts'
import { openSqlite, type TestDatabase } from '../../http-store/databases.ts'
import { followTenant } from '../../http-store/follow-tenant.ts'
import { collectGarbage } from '../../fixtures/collect-garbage.ts'
import { serveStore, tenantOf, type StoreServer } from '../../http-store/serve-store.ts'
import { appendOf, ended, newId, openHttpStore, started } from './support.ts'

let kept: TestDatabase
let server: StoreServer

beforeAll(async () => {
  kept = await openSqlite()
  server = await serveStore(kept.database)
})
afterAll(async () => {
  await server.close()
  await kept.close()
})

/** Sends a body to the handler, without a network. */
async function ask(
  body: unknown,
  { tenant = 'ann', ...options }: Partial<StoreHandlerOptions> & { tenant?: string } = {},
) {
  const handler = createStoreHandler({ database: kept.database, authorize: tenantOf, ...options })
  const request = new Request('http://localhost/history', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-tenant': tenant },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const response = await handler(request)
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) as { error?: { code: string } } }
}

const of = (call: string, more: object) => ({ call, format: FORMAT, conversationId: 'c', ...more })
const claim = of('claim', { at: 1 })
const append = (more: object) =>
  of('append', { epoch: 1, appendId: 'a', order: 1, rows: [], ...more })

/** An object of this many levels. */
function nested(levels: number): object {
  let value = {}
  for (let level = 1; level < levels; level++) value = { value }
  return value
}

describe('a store handler', () => {
  it('keeps the newest claim, and rejects one that comes too late', async () => {
    const [a, b] = await Promise.all([0, 0].map(() => openHttpStore(server.url, { tenant: 'two' })))
    const { epoch } = await a!.claim('c', 1, { claimId: 'mine', ifEpoch: 0 })
    expect((await b!.get('c'))?.claim).toEqual({ id: 'mine', epoch })
    const late = b!.claim('c', 1, { claimId: 'late', ifEpoch: 0 })
    await expect(late).rejects.toMatchObject({ code: 'ownership-lost' })
    await a!.append(appendOf(epoch, started('r'), ended('r')))
    expect(await b!.get('c')).toMatchObject({ lastSeq: 2, claim: { id: 'mine', epoch } })
    for (const store of [a!, b!]) store.close()
  })

  it('refuses clients without authorisation, and the client waits for access', async () => {
    const store = await openHttpStore(server.url, { headers: () => ({}) })
    await expect(store.get('c')).rejects.toMatchObject({ code: 'storage-blocked' })
    await expect(store.claim('c', 1)).rejects.toMatchObject({
      code: 'storage-blocked',
      retryable: true,
      details: { status: 401 },
    })
    expect(store.states).toEqual(['blocked'])
    store.close()
  })

  it('admits a refused client once it is authorised', async () => {
    let known = false
    const headers = () => (known ? { 'x-tenant': newId('tenant') } : new Headers())
    const store = await openHttpStore(server.url, { headers })
    await expect(store.get('c')).rejects.toMatchObject({ code: 'storage-blocked' })
    known = true
    expect(await store.get('c')).toBe(null)
    expect(store.states).toEqual(['blocked', 'durable'])
    store.close()
  })

  it('keeps tenants apart, in every request', async () => {
    const [mine, other] = [newId('tenant'), newId('tenant')]
    const a = await openHttpStore(server.url, { tenant: mine })
    const b = await openHttpStore(server.url, { tenant: other })
    const { epoch, storeId } = await a.claim('c', 1)
    await a.append(appendOf(epoch, started('r', 'A secret'), ended('r')))
    await a.claim('below', 1, { parent: { conversationId: 'c', runId: 'r', toolCallId: 't' } })
    expect(await b.get('c')).toBe(null)
    expect(await b.read('c')).toEqual({ record: null, rows: [] })
    expect(await b.list()).toEqual({ records: [], next: null })
    expect(await b.descendants('c')).toEqual([])
    expect(await b.delete('c')).toBe(false)
    expect(await b.rename('c', { title: 'x', at: 1 })).toBe(false)
    await b.mark('c', 'Broken.')
    await expect(b.append(appendOf(epoch, ended('r')))).rejects.toMatchObject({
      code: 'ownership-lost',
    })
    const orphan = { parent: { conversationId: 'c', runId: 'r', toolCallId: 't' } }
    await expect(b.claim('d', 1, orphan)).rejects.toMatchObject({ code: 'conversation-not-found' })
    expect((await b.claim('c', 1)).storeId).not.toBe(storeId)
    expect((await a.read('c')).rows).toHaveLength(2)
    expect((await a.get('c'))?.broken).toBe(undefined)
    a.close()
    b.close()
  })

  it('tells a tenant nothing about others', async () => {
    const [mine, other] = [newId('tenant'), newId('tenant')]
    const a = await openHttpStore(server.url, { tenant: mine })
    const b = await openHttpStore(server.url, { tenant: other })
    const changes: StoreChange[] = []
    a.follow?.((change) => changes.push(change))
    await expect.poll(() => changes.length).toBeGreaterThan(0)
    await b.claim('theirs', 1)
    await a.claim('mine', 1)
    await expect
      .poll(() => changes.some(({ conversationId }) => conversationId === 'mine'))
      .toBe(true)
    expect(changes.map(({ conversationId }) => conversationId)).not.toContain('theirs')
    a.close()
    b.close()
  })

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no call', {}],
    ['a call that is none', of('toString', {})],
    ['no id', of('get', { conversationId: undefined })],
    ['an empty id', of('get', { conversationId: '' })],
    ['a long id', of('get', { conversationId: 'x'.repeat(256) })],
    ['an id that databases cut off', of('get', { conversationId: 'c\0d' })],
    ['half a character', '{"call":"get","format":2,"conversationId":"\\ud800"}'],
    ['an id that is a list', of('get', { conversationId: ['c'] })],
    ['a time that is none', of('claim', { at: 'now' })],
    ['a name that is none', of('claim', { at: 1, claimId: 7 })],
    ['a condition that is none', of('claim', { at: 1, ifEpoch: -1 })],
    ['a time without an end', '{"call":"claim","format":2,"conversationId":"c","at":1e999}'],
    ['an order that is none', append({ order: 0 })],
    ['an attempt that is none', of('claim', { at: 1, attempt: 7 })],
    ['an epoch that is none', append({ epoch: -1 })],
    ['rows that are none', append({ rows: 'rows' })],
    ['rows that are no rows', append({ rows: [1] })],
    ['more rows than there may be', append({ rows: Array.from({ length: 20_001 }, () => ({})) })],
    ['a range that is none', of('read', { after: 0.5 })],
    ['a place in a list that databases cut off', of('list', { after: '1 c\0d' })],
    ['a place in a list at no time', of('list', { after: '1.2.3 c' })],
    ['a long title', of('rename', { title: 'x'.repeat(10_001), at: 1 })],
    ['no format', { ...claim, format: undefined }],
    ['values of 201 levels', append({ rows: [nested(199)] })],
    // Parsed, this would stop the event loop for as long as a test may take.
    ['8 MB of brackets', '['.repeat(8_000_000)],
    ['8 MB of brackets in a row', `{"call":"append","rows":[${'{"a":['.repeat(1_400_000)}`],
  ])('refuses %s', async (_what, body) => {
    const { status, json } = await ask(body)
    expect([status, json.error?.code]).toEqual([400, 'invalid-input'])
  })

  it.each([
    ['objects in a list', '{},'.repeat(250_000)],
    ['nested lists', `${'['.repeat(100)}${']'.repeat(100)},`.repeat(5000)],
    ['numbers', '0,'.repeat(500_000)],
  ])('refuses a body with too many %s before it is parsed', async (_what, values) => {
    // Without its end, it could not be parsed.
    const body = `{"call":"append","rows":[{"values":[${values}`
    const { status, json } = await ask(body)
    expect([status, json.error]).toMatchObject([
      400,
      { code: 'invalid-input', message: 'The body has more than 500000 values.' },
    ])
  })

  it('accepts an append of many rows and long texts', async () => {
    const tenant = newId('tenant')
    await ask(claim, { tenant })
    const message = { parts: [{ type: 'text', text: '{[,"'.repeat(100_000) }] }
    const messages = Array.from({ length: 10_000 }, (_, n) => ({
      role: 'user',
      id: `m${n}`,
      parts: [{ type: 'text', text: 'Hello' }],
    }))
    const rows = [
      { ...started('r'), message: { id: 'm', ...message } },
      { type: 'messages-imported', runId: null, at: 1, parentId: 'm', messages },
    ]
    expect((await ask(append({ rows }), { tenant })).status).toBe(200)
  })

  it('reports a late append as an error of the client', async () => {
    const tenant = newId('tenant')
    await ask(claim, { tenant })
    for (const order of [1, 2]) await ask(append({ appendId: `a${order}`, order }), { tenant })
    const late = await ask(append({ appendId: 'late', order: 1 }), { tenant })
    expect([late.status, late.json.error?.code]).toEqual([409, 'storage-failed'])
  })

  it('refuses unreadable rows, also in an import', async () => {
    const tenant = newId('tenant')
    const place = { importId: 'i', createdAt: 1, updatedAt: 1, after: 0, isLast: true }
    const rows = [{ type: 'renamed', runId: null, at: 1 }]
    expect((await ask(of('place', { ...place, rows }), { tenant })).status).toBe(400)
    expect((await ask(of('get', {}), { tenant })).json).toMatchObject({ value: null })
  })

  it('reads no more of a body than its limit', async () => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1000
        controller.enqueue(new Uint8Array(1000).fill(32))
      },
    })
    const handler = createStoreHandler({
      database: kept.database,
      authorize: tenantOf,
      maxBytes: 10_000,
    })
    const response = await handler(
      new Request('http://localhost/', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-tenant': 'ann' },
        body,
        duplex: 'half',
      } as RequestInit),
    )
    expect(response.status).toBe(400)
    expect(sent).toBeLessThan(20_000)
  })

  it('refuses slow bodies, and bytes of a tenant beyond four largest bodies', async () => {
    const handler = createStoreHandler({
      database: kept.database,
      authorize: tenantOf,
      maxBytes: 1000,
      maxBodyMs: 300,
    })
    const [mine, other] = [newId('tenant'), newId('tenant')]
    let cancelled = 0
    const send = (tenant: string, body: BodyInit) =>
      handler(
        new Request('http://localhost/', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-tenant': tenant },
          body,
          duplex: 'half',
        } as RequestInit),
      )
    // The end of the body never comes.
    const unfinished = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(1000).fill(32)),
        cancel: () => void (cancelled += 1),
      })
    const four = Array.from({ length: 4 }, () => send(mine, unfinished()))
    const fifth = await send(mine, JSON.stringify(claim))
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await send(other, JSON.stringify(claim))).status).toBe(200)
    const statuses = (await Promise.all(four)).map(({ status }) => status)
    expect([statuses, cancelled]).toEqual([[408, 408, 408, 408], 4])
    expect((await send(mine, JSON.stringify(claim))).status).toBe(200)
  })

  it('refuses bytes beyond a total, and reserves a quarter for small bodies', async () => {
    const large = 100_000
    const handler = createStoreHandler({
      database: kept.database,
      authorize: tenantOf,
      maxBytes: large,
      maxTotalBytes: 4 * large,
      maxBodyMs: 300,
    })
    const send = async (body: BodyInit) => {
      const headers = { 'content-type': 'application/json', 'x-tenant': newId('tenant') }
      const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
      return (await handler(new Request('http://localhost/', init))).status
    }
    // The end of the body never comes.
    const unfinished = (bytes: number) =>
      send(
        new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new Uint8Array(bytes).fill(32)),
        }),
      )
    const held = Array.from({ length: 3 }, () => unfinished(large))
    expect(await unfinished(large)).toBe(503)
    expect(await send(JSON.stringify(claim))).toBe(200)
    const small = [unfinished(50_000), unfinished(50_000)]
    expect(await send(JSON.stringify(claim))).toBe(503)
    expect(await Promise.all([...held, ...small])).toEqual([408, 408, 408, 408, 408])
    expect(await send(JSON.stringify(claim))).toBe(200)
  })

  it('queues writes of one tenant without a connection, and refuses too many', async () => {
    let isHeld = true
    let waiting = 0
    const begun: string[] = []
    const [busy, other] = [newId('tenant'), newId('tenant')]
    // Two connections; what locks the line of the busy tenant waits.
    const database: SqlDatabase = {
      transaction: async (work) => {
        await expect.poll(() => waiting < 2).toBe(true)
        waiting += 1
        try {
          return await kept.database.transaction((query) =>
            work(async (sql, parameters) => {
              const { tenant } = parameters
              if (sql.startsWith('UPDATE offstage_tenants')) begun.push(String(tenant))
              return query(sql, parameters)
            }),
          )
        } finally {
          if (begun.at(-1) === busy) await expect.poll(() => isHeld).toBe(false)
          waiting -= 1
        }
      },
    }
    const handler = createStoreHandler({ database, authorize: tenantOf, maxWrites: 5 })
    const write = (tenant: string) =>
      handler(
        new Request('http://localhost/history', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-tenant': tenant },
          body: JSON.stringify(claim),
        }),
      )
    const writes = Array.from({ length: 7 }, () => write(busy))
    const refused = await Promise.race(writes)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await write(other)).status).toBe(200)
    isHeld = false
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect((await write(busy)).status).toBe(200)
  })

  describe('a conversation of several megabytes', () => {
    const write = async (tenant: string) => {
      const store = await openHttpStore(server.url, { tenant })
      const { epoch } = await store.claim('c', 1)
      for (const order of [1, 2, 3, 4]) {
        const rows = started(`r${order}`, 'x'.repeat(600_000))
        await store.append({ ...appendOf(epoch, rows), appendId: `a${order}`, order })
      }
      return store
    }

    it('is read in parts of about a megabyte that form one answer', async () => {
      const tenant = newId('tenant')
      const store = await write(tenant)
      const seqs = async (...asked: [object?]) =>
        (await store.read('c', ...asked)).rows.map((row) => (row as Row).seq)
      expect(await seqs()).toEqual([1, 2, 3, 4])
      expect(await seqs({ after: 1, limit: 2 })).toEqual([2, 3])
      expect(await seqs({ newest: 3 })).toEqual([2, 3, 4])
      let largest = 0
      const database: SqlDatabase = {
        transaction: (work) =>
          kept.database.transaction((query) =>
            work(async (sql, parameters) => {
              const found = await query(sql, parameters)
              largest = Math.max(largest, JSON.stringify(found).length)
              return found
            }),
          ),
      }
      const { text } = await ask(of('read', {}), { tenant, database })
      expect(text.length).toBeGreaterThan(2_400_000)
      expect(largest).toBeLessThan(1_300_000)
    })

    it('is not returned when it is deleted and made again during the read', async () => {
      const tenant = newId('tenant')
      const store = await write(tenant)
      const handler = createStoreHandler({ database: kept.database, authorize: tenantOf })
      const headers = { 'content-type': 'application/json', 'x-tenant': tenant }
      const body = JSON.stringify(of('read', {}))
      const init = { method: 'POST', headers, body }
      const response = await handler(new Request('http://localhost/', init))
      const reader = response.body!.getReader()
      expect((await reader.read()).done).toBe(false)
      await store.delete('c')
      await store.claim('c', 2)
      await expect(reader.read()).rejects.toThrow('deleted')
    })
  })

  it('refuses reads for a tenant with unread answers, and ends those in time', async () => {
    const [tenant, other] = [newId('tenant'), newId('tenant')]
    for (const name of [tenant, other]) {
      const store = await openHttpStore(server.url, { tenant: name })
      const { epoch } = await store.claim('c', 1)
      await store.append(appendOf(epoch, started('r', 'x'.repeat(1_200_000))))
    }
    const handler = createStoreHandler({
      database: kept.database,
      authorize: tenantOf,
      maxBytes: 1_000_000,
      maxBodyMs: 500,
    })
    const read = (name: string) => {
      const headers = { 'content-type': 'application/json', 'x-tenant': name }
      const body = JSON.stringify(of('read', {}))
      return handler(new Request('http://localhost/', { method: 'POST', headers, body }))
    }
    const unread = [await read(tenant), await read(tenant), await read(tenant)]
    expect((await read(tenant)).status).toBe(429)
    expect(await (await read(other)).json()).toMatchObject({ value: { rows: [{ seq: 1 }] } })
    await unread[0]!.body!.cancel()
    expect(await (await read(tenant)).json()).toMatchObject({ value: { rows: [{ seq: 1 }] } })
    await new Promise((resolve) => setTimeout(resolve, 700))
    await expect(unread[1]!.text()).rejects.toThrow('stopped reading')
    const later = [await read(tenant), await read(tenant), await read(tenant)]
    expect(later.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const { body } of later) await body!.cancel()
  })

  it('lets a tenant use two connections for reads, and leaves others free', async () => {
    const [busy, other] = [newId('tenant'), newId('tenant')]
    let atOnce = 0
    let most = 0
    let isHeld = true
    const database: SqlDatabase = {
      transaction: async (work) => {
        let tenant: unknown
        const value = await kept.database.transaction((query) =>
          work((sql, parameters) => {
            tenant = parameters['tenant']
            return query(sql, parameters)
          }),
        )
        if (tenant !== busy) return value
        atOnce += 1
        most = Math.max(most, atOnce)
        await expect.poll(() => isHeld).toBe(false)
        atOnce -= 1
        return value
      },
    }
    const handler = createStoreHandler({ database, authorize: tenantOf })
    const read = async (tenant: string, call: string) => {
      const headers = { 'content-type': 'application/json', 'x-tenant': tenant }
      const body = JSON.stringify(of(call, {}))
      const request = new Request('http://localhost/', { method: 'POST', headers, body })
      return (await handler(request)).status
    }
    const held = ['read', 'get', 'list', 'descendants'].flatMap((call) =>
      Array.from({ length: 10 }, () => read(busy, call)),
    )
    expect(await read(other, 'read')).toBe(200)
    isHeld = false
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]))
    expect(most).toBe(2)
  })

  it('refuses a record that would make lists and changes too large', async () => {
    const write = async (idLength: number) => {
      const tenant = newId('tenant')
      await ask(claim, { tenant })
      const parts = Array.from({ length: 100 }, (_, n) => ({
        type: 'tool-call',
        toolCallId: `${n}`.padEnd(idLength, 'x'),
        toolName: 'pay',
        input: {},
      }))
      const answer = {
        type: 'model-output',
        runId: 'r',
        at: 6,
        step: 1,
        attempt: 1,
        usage: {},
        parentId: null,
        message: { role: 'assistant', id: 'a', parts },
        toolsId: 'tools',
        calls: [],
        finishReason: 'tool-calls',
        toolMode: 'native',
      }
      return (await ask(append({ rows: [started('r'), answer] }), { tenant })).status
    }
    expect([await write(500), await write(2000)]).toEqual([200, 400])
  })

  it("refuses forms, which other sites could send with a person's cookies", async () => {
    const handler = createStoreHandler({ database: kept.database, authorize: tenantOf })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json-patch+json',
    ]) {
      const headers = { 'content-type': type, 'x-tenant': 'ann' }
      const body = JSON.stringify(claim)
      const request = new Request('http://localhost/', { method: 'POST', headers, body })
      expect((await handler(request)).status).toBe(400)
    }
  })

  it('reports its own errors to the host only, without details for clients', async () => {
    const errors: unknown[] = []
    const database = { transaction: () => Promise.reject(new Error('password=hunter2')) }
    const { status, text, json } = await ask(claim, {
      database,
      onError: (error) => void errors.push(error),
    })
    expect([status, json.error?.code]).toEqual([500, 'storage-failed'])
    expect(text).not.toContain('hunter2')
    expect(String(errors)).toContain('hunter2')
  })

  it('ends a page of a list after two million characters, losing no conversation', async () => {
    const store = await openHttpStore(server.url, { tenant: 'long' })
    const ids = Array.from({ length: 210 }, (_, at) => `c${at}`)
    // Escaped as JSON, each of these characters is six.
    const title = '\u0001'.repeat(2000)
    for (const [at, conversationId] of ids.entries()) {
      const { epoch } = await store.claim(conversationId, at)
      await store.append({ ...appendOf(epoch, started('r', 'x')), conversationId })
      await store.rename(conversationId, { title, at })
    }
    const first = await store.list()
    expect(first.records.length).toBe(200)
    const second = await store.list({ after: first.next! })
    expect(second.next).toBe(null)
    const found = [...first.records, ...second.records].map((record) => record.conversationId)
    expect(new Set(found)).toEqual(new Set(ids))
    store.close()
  })

  /** Damages what one tenant has stored. */
  const damage = (tenant: string, statement: string): Promise<unknown> =>
    kept.database.transaction((query) => query(`${statement} AND tenant = @tenant`, { tenant }))

  it('lists the conversations after a damaged record, wherever that is', async () => {
    const tenant = newId('tenant')
    const store = await openHttpStore(server.url, { tenant })
    const ids = Array.from({ length: 60 }, (_, at) => `c${at}`)
    for (const [at, id] of ids.entries()) await store.claim(id, 1000 + at)
    // The last of the first 50, which the server reads at once.
    await damage(tenant, "UPDATE offstage_records SET record = '{torn' WHERE conversation = 'c10'")
    const { records, next } = await store.list()
    expect(next).toBe(null)
    expect(records.map(({ conversationId }) => conversationId)).toEqual(ids.toReversed())
    expect(records.filter(({ broken }) => broken).map((each) => each.conversationId)).toEqual([
      'c10',
    ])
    store.close()
  })

  it('answers with a torn row in its place, and stays reachable', async () => {
    const tenant = newId('tenant')
    const store = await openHttpStore(server.url, { tenant, copy: false })
    const { epoch } = await store.claim('c', 1)
    await store.append(appendOf(epoch, started('r', 'One'), ended('r'), started('s', 'Two')))
    await damage(tenant, `UPDATE offstage_rows SET data = '{"type":"run-en' WHERE seq = 2`)
    const { rows } = await store.read('c')
    expect(rows).toMatchObject([{ seq: 1, runId: 'r' }, { seq: 2 }, { seq: 3, runId: 's' }])
    expect(store.states).toEqual([])
    store.close()
  })

  it('writes values by parameters only', async () => {
    const evil = "'); DROP TABLE offstage_rows; -- @tenant $1 ?"
    const store = await openHttpStore(server.url, { tenant: newId(evil) })
    const { epoch } = await store.claim(evil, 1)
    await store.append({ ...appendOf(epoch, started('r', evil)), conversationId: evil })
    await store.rename(evil, { title: evil, at: 1 })
    expect((await store.list()).records.map(({ title }) => title)).toEqual([evil])
    expect((await store.read(evil)).rows).toHaveLength(2)
    expect(await store.delete(evil)).toBe(true)
    store.close()
  })

  it('refuses requests in another format of rows', async () => {
    const older = await ask({ ...claim, format: FORMAT - 1 })
    expect(older.json.error?.code).toBe('storage-newer')
    // A page that is newer than its server may also ask for what this version doesn't know. Its runs wait for the update.
    for (const asked of [claim, of('merge', {}), of('claim', { at: 'now' })])
      expect(await ask({ ...asked, format: FORMAT + 1 })).toMatchObject({
        status: 409,
        json: {
          error: {
            code: 'storage-failed',
            message: expect.stringContaining('Update the server') as string,
            retryable: true,
          },
        },
      })
    expect((await ask({ ...of('get', {}), format: FORMAT - 1 })).status).toBe(200)
  })
})

/** The events of a stream, as far as they come before the condition holds. */
async function eventsUntil(
  lastEventId: string | null,
  { tenant, isEnough }: { tenant: string; isEnough: (text: string) => boolean },
): Promise<string> {
  const left = new AbortController()
  const response = await fetch(server.url, {
    headers: { 'x-tenant': tenant, ...(lastEventId !== null && { 'last-event-id': lastEventId }) },
    signal: left.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += new TextDecoder().decode(bytes)
    if (isEnough(text)) break
  }
  left.abort()
  return text
}

describe('a stream of changes', () => {
  const MISSED = '{"conversationId":null,"lastSeq":0}'
  const idOf = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''

  it("resumes where it broke off, with deletions, or says that it can't", async () => {
    const tenant = newId('tenant')
    const store = await openHttpStore(server.url, { tenant })
    const first = await eventsUntil(null, { tenant, isEnough: (text) => text.includes('\n\n') })
    expect(first).toContain(MISSED)
    await store.claim('gone', 1)
    const { epoch } = await store.claim('c', 1)
    await store.append(appendOf(epoch, started('r'), ended('r')))
    await store.delete('gone')
    const isEnough = (text: string): boolean => text.includes('"gone","lastSeq":0')
    const rest = await eventsUntil(idOf(first), { tenant, isEnough })
    expect(rest).not.toContain(MISSED)
    expect(rest).toContain('{"conversationId":"c","lastSeq":2,"epoch":')
    for (const unknown of ['elsewhere.1', `${idOf(first).split('.')[0]}.99999`, 'x', '.']) {
      const anew = await eventsUntil(unknown, { tenant, isEnough: (text) => text.includes('}') })
      expect(anew).toContain(MISSED)
    }
    store.close()
  })

  it('includes changes from other processes, which send no signal here', async () => {
    const tenant = newId('tenant')
    const elsewhere = await serveStore(kept.database)
    const store = await openHttpStore(elsewhere.url, { tenant })
    let isOpen = false
    const isEnough = (text: string): boolean => {
      isOpen ||= text.includes(MISSED)
      return text.includes('"there"')
    }
    const events = eventsUntil(null, { tenant, isEnough })
    await expect.poll(() => isOpen).toBe(true)
    await store.claim('there', 1)
    expect(await events).toContain('"there"')
    store.close()
    await elsewhere.close()
  })

  it('ends after its time, so that followers are authorised again', async () => {
    const short = await serveStore(kept.database, { maxStreamMs: 1 })
    const response = await fetch(short.url, { headers: { 'x-tenant': 'ann' } })
    expect(await response.text()).toContain(MISSED)
    await short.close()
  })

  it('costs one statement per poll for all streams, and one per change', async () => {
    const { database, statements } = counted(kept.database)
    const follower = createStoreHandler({ database, authorize: tenantOf, pollMs: 20 })
    const [team, ...people] = Array.from({ length: 100 }, () => newId('tenant'))
    const tenants = [...people, ...Array.from({ length: 200 }, () => team!)]
    const streams = await Promise.all(
      tenants.map((tenant) => followTenant(follower, { 'x-tenant': tenant })),
    )
    await expect
      .poll(() => streams.every((stream) => stream.text().includes(MISSED)), { timeout: 10_000 })
      .toBe(true)
    statements.length = 0
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.length).toBeLessThanOrEqual(500 / 20)

    statements.length = 0
    await ask(of('claim', { at: 1 }), { tenant: team! })
    const isTold = (stream: { text(): string }): boolean => stream.text().includes('"c"')
    await expect.poll(() => streams.filter(isTold).length).toBe(200)
    expect(statements.filter((sql) => /newest_change >/.test(sql))).toHaveLength(1)
    for (const stream of streams) await stream.close()
    statements.length = 0
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(statements).toEqual([])
  })

  it("is refused beyond a tenant's limit, until one of its streams has ended", async () => {
    const handler = createStoreHandler({
      database: kept.database,
      authorize: tenantOf,
      maxStreams: 2,
    })
    const follow = (tenant: string) => followTenant(handler, { 'x-tenant': tenant })
    const [mine, other] = [newId('tenant'), newId('tenant')]
    const [first, second] = [await follow(mine), await follow(mine)]
    const third = await follow(mine)
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '30'])
    const fourth = await follow(other)
    expect(fourth.status).toBe(200)
    await first.close()
    const fifth = await follow(mine)
    expect(fifth.status).toBe(200)
    for (const stream of [second, fourth, fifth]) await stream.close()
  })

  it.each(['while it is open', 'before it is open'])(
    'is freed when its client leaves %s, even if the request was garbage-collected',
    async (when) => {
      const client = new AbortController()
      const isEarly = when === 'before it is open'
      const handler = createStoreHandler({
        database: kept.database,
        authorize: (request) => {
          if (isEarly) client.abort()
          return tenantOf(request)
        },
        maxStreams: 1,
      })
      const headers = { 'x-tenant': newId('tenant') }
      const open = (init?: RequestInit) =>
        handler(new Request('https://app.test/store', { headers, ...init }))
      const left = await open({ signal: client.signal })
      expect(left.status).toBe(200)
      await collectGarbage()
      client.abort()
      const next = await open()
      expect(next.status).toBe(200)
      await next.body?.cancel()
    },
  )

  it('stays open while the database fails, and then delivers what was written', async () => {
    let isDown = false
    const errors: unknown[] = []
    const handler = createStoreHandler({
      database: kept.database,
      followDatabase: {
        transaction: (work) =>
          isDown ? Promise.reject(new Error('down')) : kept.database.transaction(work),
      },
      authorize: tenantOf,
      pollMs: 20,
      onError: (error) => void errors.push(error),
    })
    const tenant = newId('tenant')
    const stream = await followTenant(handler, { 'x-tenant': tenant })
    await expect.poll(() => stream.text()).toContain(MISSED)
    isDown = true
    await ask(of('claim', { at: 1 }), { tenant })
    await expect.poll(() => errors.length).toBeGreaterThan(1)
    expect(stream.text()).not.toContain('"c"')
    isDown = false
    await expect.poll(() => stream.text()).toContain('"c"')
    expect(stream.hasEnded).toBe(false)
    await stream.close()
  })

  it('ends when its client reads nothing, so that its buffer stays small', async () => {
    const handler = createStoreHandler({ database: kept.database, authorize: tenantOf, pollMs: 5 })
    const tenant = newId('tenant')
    const reading = await followTenant(handler, { 'x-tenant': tenant })
    const { body } = await handler(
      new Request('http://localhost/history', { headers: { 'x-tenant': tenant } }),
    )
    // The stream begins before the first change, which it would otherwise not name.
    await expect.poll(() => reading.text()).toContain(MISSED)
    for (let at = 1; at <= 20; at++) {
      await ask(of('claim', { at }), { tenant })
      await expect.poll(() => reading.text().split('"c"').length).toBe(at + 1)
    }
    let chunks = 0
    for await (const _chunk of body ?? []) chunks += 1
    expect(chunks).toBeLessThan(20)
    await reading.close()
  })
})

/** The database, and each statement that it is asked for. */
function counted(database: SqlDatabase): { database: SqlDatabase; statements: string[] } {
  const statements: string[] = []
  return {
    statements,
    database: {
      transaction: (work) =>
        database.transaction((query) =>
          work((sql, parameters) => {
            statements.push(sql)
            return query(sql, parameters)
          }),
        ),
    },
  }
}
