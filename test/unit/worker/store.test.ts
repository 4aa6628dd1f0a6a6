import { readFile } from 'node:fs/promises'
import { openDB } from 'idb'
import { describe, expect, it, vi } from 'vitest'
import { fold } from '../../../src/conversation/fold.ts'
import { emptyState } from '../../../src/conversation/state.ts'
import { importedCalls } from '../../../src/conversation/pending.ts'
import type { Identified, NewRow, Row } from '../../../src/protocol/fact.ts'
import type { Message } from '../../../src/protocol/message.ts'
import { databaseName, upgrade, type Schema } from '../../../src/worker/store/idb-connection.ts'
import type { StorageReport } from '../../../src/protocol/conversation.ts'
import { sleep } from '../../../src/lib/sleep.ts'
import type { WorkerNotice } from '../../../src/protocol/notices.ts'
import { Redaction, Stores } from '../../../src/worker/store/stores.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import { append, behind, codeOf, ended, rowsOf, started, stores } from './store-support.ts'

describe.each(stores)('the %s store', (_name, open) => {
  it('numbers rows from 1 without gaps, across appends', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await append(store, { epoch }, started('r', 'hi'), ended('r'))
    await append(store, { epoch }, started('s', 'again'))
    const rows = await rowsOf(store)
    expect(rows.map((row) => [row.seq, row.type, row.runId])).toEqual([
      [1, 'run-started', 'r'],
      [2, 'run-ended', 'r'],
      [3, 'run-started', 's'],
    ])
    expect((await rowsOf(store, 2)).map((row) => row.seq)).toEqual([3])
  })

  it('F23 refuses an append of a fenced-off owner, and writes nothing', async () => {
    const store = await open()
    const old = await store.claim('c', 1)
    await store.claim('c', 2)
    const late = append(store, old, started('r', 'hi'))
    expect(await codeOf(late)).toBe('ownership-lost')
    expect(await rowsOf(store)).toEqual([])
  })

  it('gives every claim a new epoch, across conversations and deletions', async () => {
    const store = await open()
    const first = await store.claim('c', 1)
    const other = await store.claim('d', 1)
    expect(other.epoch).toBeGreaterThan(first.epoch)
    await store.delete('c')
    const again = await store.claim('c', 2)
    expect(again.epoch).toBeGreaterThan(other.epoch)
    expect(again.storeId).toBe(first.storeId)
    const late = append(store, first, ended('r'))
    expect(await codeOf(late)).toBe('ownership-lost')
    expect((await (await open()).claim('c', 1)).storeId).not.toBe(first.storeId)
  })

  it('keeps the open run and a title in the record', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await append(store, { epoch }, started('r', '  Buy\n mugs '))
    expect(await store.get('c')).toMatchObject({ openRunId: 'r', title: 'Buy mugs', lastSeq: 1 })
    await append(store, { epoch }, ended('r'))
    expect(await store.get('c')).toMatchObject({ openRunId: null, updatedAt: 6 })
    expect(await store.rename('c', { title: 'Mugs', at: 9 })).toBe(true)
    expect((await store.get('c'))?.title).toBe('Mugs')
    expect(await store.rename('nobody', { title: 'x', at: 9 })).toBe(false)
  })

  it('renames a conversation only if it is unchanged, on request', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await append(store, { epoch }, started('r', 'Mugs'), ended('r'))
    expect(await store.rename('c', { title: 'Late', at: 9, ifLastSeq: 1 })).toBe(false)
    expect(await store.rename('c', { title: 'Two mugs', at: 9, ifLastSeq: 2 })).toBe(true)
    expect(await store.get('c')).toMatchObject({ title: 'Two mugs', lastSeq: 3, updatedAt: 6 })
    expect(await store.rename('c', { title: 'Again', at: 9, ifLastSeq: 2 })).toBe(false)
    expect((await rowsOf(store)).map(({ type }) => type)).toEqual([
      'run-started',
      'run-ended',
      'renamed',
    ])
    expect(await store.rename('nobody', { title: 'x', at: 9, ifLastSeq: 0 })).toBe(false)
  })

  it('lists the newest change first, and deletes a conversation with its rows', async () => {
    const store = await open()
    for (const [id, at] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      const { epoch } = await store.claim(id, at)
      await append(store, { conversationId: id, epoch }, { ...ended('r'), at })
    }
    expect((await store.list()).records.map((record) => record.conversationId)).toEqual(['b', 'a'])
    expect(await store.delete('b')).toBe(true)
    expect(await store.delete('b')).toBe(false)
    expect(await store.read('b')).toEqual({ record: null, rows: [] })
    expect((await store.list()).records.map((record) => record.conversationId)).toEqual(['a'])
  })

  it('refuses an append to a deleted conversation', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await store.delete('c')
    expect(await codeOf(append(store, { epoch }, ended('r')))).toBe('ownership-lost')
  })
})

describe('the IndexedDB store', () => {
  const openRaw = (name: string, version: number) =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, version)
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error ?? new Error('no'))
    })

  it('is refused while another connection blocks it, and durable afterwards', async () => {
    const old = await openDB<Schema>(databaseName('blocked'), 1, { upgrade })
    const states: string[] = []
    // This page is of a later version, which has to upgrade the database.
    const { open } = indexedDB
    vi.spyOn(indexedDB, 'open').mockImplementation((name, version = 1) =>
      open.call(indexedDB, name, version + 1),
    )
    const store = await openIdbStore('blocked', ({ mode }) => states.push(mode), { openMs: 20 })
    expect(states).toEqual(['blocked'])
    expect(await codeOf(store.claim('c', 1))).toBe('storage-blocked')
    expect(await codeOf(store.list())).toBe('storage-blocked')
    old.close()
    await expect.poll(() => states).toEqual(['blocked', 'durable'])
    expect((await store.claim('c', 1)).epoch).toBe(1)
    vi.restoreAllMocks()
  })

  it.each([
    ['once', 1, 'durable'],
    ['again and again', Infinity, 'memory'],
  ])(
    'denied by the browser %s is requested again before memory replaces it',
    async (_how, times, mode) => {
      const { open } = indexedDB
      let denied = 0
      const spy = vi.spyOn(indexedDB, 'open').mockImplementation((...named) => {
        if (++denied > times) return open.apply(indexedDB, named)
        throw new DOMException('The user denied permission to access the database.', 'UnknownError')
      })
      const notices: WorkerNotice[] = []
      const notify = (notice: WorkerNotice): void => void notices.push(notice)
      await new Stores({
        openDurable: openIdbStore,
        notify,
        redaction: new Redaction({ redact: async () => [] }),
      }).open({
        name: `denied-${mode}`,
      })
      spy.mockRestore()
      expect(notices).toMatchObject([{ type: 'storage', mode }])
    },
  )

  it('is refused while another script holds a transaction, and durable afterwards', async () => {
    const states: string[] = []
    const store = await openIdbStore('held', ({ mode }) => states.push(mode), { startMs: 50 })
    const other = await openDB<Schema>(databaseName('held'), 1, { upgrade })
    let isHeld = true
    const tx = other.transaction(['records', 'rows', 'counters', 'attachments'], 'readwrite')
    const hold = async (): Promise<void> => {
      while (isHeld) await tx.objectStore('records').get('any')
    }
    const held = hold()
    expect(await codeOf(store.claim('c', 1))).toBe('storage-blocked')
    expect(await codeOf(store.list())).toBe('storage-blocked')
    expect(states).toEqual(['durable', 'blocked'])
    isHeld = false
    await held
    expect((await store.claim('c', 1)).epoch).toBe(1)
    expect(states).toEqual(['durable', 'blocked', 'durable'])
    other.close()
  })

  it('is refused while a deletion of its database waits for another connection', async () => {
    const other = await openDB<Schema>(databaseName('deleted'), 1, { upgrade })
    indexedDB.deleteDatabase(databaseName('deleted'))
    const states: string[] = []
    const store = await openIdbStore('deleted', ({ mode }) => states.push(mode), {
      openMs: 20,
      listedMs: 100,
    })
    expect(states).toEqual(['blocked'])
    expect(await codeOf(store.list())).toBe('storage-blocked')
    other.close()
    await expect.poll(() => states).toEqual(['blocked', 'durable'])
    expect((await store.list()).records).toEqual([])
  })

  /** Delays the browser's answer to opening the database. Returns a function that delivers it. */
  function slowOpening(): () => void {
    const { open } = indexedDB
    let goOn: () => void = () => undefined
    vi.spyOn(indexedDB, 'open').mockImplementationOnce((...named) => {
      const request = open.apply(indexedDB, named)
      const { addEventListener } = request
      vi.spyOn(request, 'addEventListener').mockImplementation((type, listener, options) => {
        if (type !== 'success') return addEventListener.call(request, type, listener, options)
        addEventListener.call(request, type, (event) => {
          goOn = () => typeof listener === 'function' && listener.call(request, event)
        })
      })
      return request
    })
    return () => goOn()
  }

  it.each([
    ['answers nothing', () => new Promise<never>(() => undefined)],
    ['lists it not yet', async () => []],
    ['lists it', async () => [{ name: databaseName('slow lists it'), version: 1 }]],
    ["can't list any", async () => Promise.reject(new Error('no'))],
  ])(
    'waits for a browser that is slow and %s, without blaming another tab',
    async (how, databases) => {
      const goOn = slowOpening()
      vi.spyOn(indexedDB, 'databases').mockImplementation(databases)
      const states: StorageReport[] = []
      const store = await openIdbStore(`slow ${how}`, (state) => states.push(state), {
        openMs: 20,
      })
      expect(states).toMatchObject([{ mode: 'blocked', reason: { code: 'storage-blocked' } }])
      expect(states[0]?.reason?.message).toMatch(/^The browser has not opened the database yet/)
      let isSettled = false
      const claim = store.claim('c', 1).finally(() => (isSettled = true))
      // Longer than a use waits for another tab.
      await sleep(1200)
      expect(isSettled).toBe(false)
      goOn()
      expect((await claim).epoch).toBe(1)
      expect(states.map(({ mode }) => mode)).toEqual(['blocked', 'durable'])
      vi.restoreAllMocks()
    },
  )

  it('gives up after a limited time, and works once the browser has opened it', async () => {
    const goOn = slowOpening()
    vi.spyOn(indexedDB, 'databases').mockImplementation(async () => [])
    const store = await openIdbStore('slowest', undefined, { openMs: 20, slowMs: 600 })
    expect(await codeOf(store.claim('c', 1))).toBe('storage-blocked')
    goOn()
    expect((await store.claim('c', 1)).epoch).toBe(1)
    vi.restoreAllMocks()
  })

  it('is refused while the database is newer, and works afterwards', async () => {
    const states: string[] = []
    const store = await openIdbStore('future', ({ mode }) => states.push(mode))
    await store.claim('c', 1)
    // The page's next version takes over: this one stands aside.
    const newer = await openRaw(databaseName('future'), 99)
    expect(await codeOf(store.claim('c', 2))).toBe('storage-newer')
    expect(states).toEqual(['durable', 'newer'])
    newer.close()
    await new Promise((resolve) => {
      indexedDB.deleteDatabase(databaseName('future')).onsuccess = resolve
    })
    expect((await store.claim('d', 1)).epoch).toBe(1)
    expect(states).toEqual(['durable', 'newer', 'durable'])
  })

  it.each([
    ['QuotaExceededError', 'storage-full'],
    ['UnknownError', 'storage-failed'],
  ])('reports why a transaction was aborted: %s', async (name, code) => {
    const store = await openIdbStore(`aborted-${name}`)
    await store.claim('c', 1)
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args) {
      const { transaction } = this
      // Browsers give the reason on the transaction; its requests only report that it was aborted.
      if (transaction.error === null) {
        Object.defineProperty(transaction, 'error', { value: new DOMException('no room', name) })
        queueMicrotask(() => transaction.abort())
      }
      return put.apply(this, args)
    }
    try {
      expect(await codeOf(store.claim('c', 2))).toBe(code)
    } finally {
      IDBObjectStore.prototype.put = put
    }
    expect((await store.claim('c', 3)).epoch).toBe(2)
  })

  it('F25 reopens a database that was closed unexpectedly', async () => {
    const store = await openIdbStore('closed')
    await store.claim('c', 1)
    store.close()
    expect((await store.get('c'))?.conversationId).toBe('c')
  })
})

describe.each(stores)('the %s store, given rows that it could not read back', (_name, open) => {
  it.each([
    [
      'a part without a text',
      { ...started('r', ''), message: { id: 'm', parts: [{ type: 'text' }] } },
    ],
    [
      'a part of no known type',
      { ...started('r', ''), message: { id: 'm', parts: [{ type: 'image' }] } },
    ],
    ['a message without an id', { ...started('r', ''), message: { parts: [] } }],
    ['a run without an id', { ...started('r', ''), runId: null }],
    ['a reason that is no text', { ...ended('r'), end: { outcome: 'aborted', reason: {} } }],
    ['a call without a path', { type: 'call-withdrawn', runId: 'r', at: 1, path: [] }],
    ['a fact of no known type', { ...ended('r'), type: 'run-forgotten' }],
  ])('refuses %s, and stores nothing of it', async (_what, row) => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    expect(await codeOf(append(store, { epoch }, started('q', 'hi'), row as NewRow))).toBe(
      'invalid-input',
    )
    expect(await rowsOf(store)).toEqual([])
    await append(store, { epoch }, started('q', 'hi'))
    expect((await rowsOf(store)).length).toBe(1)
  })
})

it('the IndexedDB store reports a conversation with missing rows in the first list', async () => {
  const name = 'gaps'
  const store = await openIdbStore(name)
  for (const id of ['whole', 'holed']) {
    const { epoch } = await store.claim(id, 1)
    await append(store, { conversationId: id, epoch }, started('r', 'hi'), ended('r'))
  }
  store.close()
  await behind(name, (db) => db.delete('rows', ['holed', 1]))
  const { records: listed } = await (await openIdbStore(name)).list()
  expect(
    listed.map(({ conversationId, broken }) => [conversationId, broken !== undefined]),
  ).toEqual(
    expect.arrayContaining([
      ['whole', false],
      ['holed', true],
    ]),
  )
})

it('a conversation listed as damaged is not any more once another tab deleted or replaced it', async () => {
  const name = 'two tabs'
  const [here, there] = [await openIdbStore(name), await openIdbStore(name)]
  let imports = 0
  const place = (conversationId: string): Promise<boolean> =>
    here.place({
      conversationId,
      importId: `import-${(imports += 1)}`,
      createdAt: 1,
      updatedAt: 1,
      after: 0,
      rows: [started('r', 'hi'), ended('r')],
      isLast: true,
    })
  for (const id of ['lost', 'holed']) await place(id)
  await behind(name, async (db) => {
    await db.delete('records', 'lost')
    await db.delete('rows', ['holed', 1])
  })
  const listed = async (): Promise<unknown> =>
    (await there.list()).records.map(({ conversationId, broken }) => [
      conversationId,
      broken !== undefined,
    ])
  expect(await listed()).toEqual([
    ['holed', true],
    ['lost', true],
  ])
  for (const id of ['lost', 'holed']) expect(await here.delete(id)).toBe(true)
  expect(await listed()).toEqual([])
  expect(await place('holed')).toBe(true)
  expect(await listed()).toEqual([['holed', false]])
})

it('a first list of many conversations checks one page, and later lists the rest', async () => {
  const name = 'many'
  const store = await openIdbStore(name)
  // Newer ones have higher numbers.
  const ids = Array.from({ length: 120 }, (_, n) => `c${1000 + n}`)
  for (const [n, conversationId] of ids.entries()) {
    const { epoch } = await store.claim(conversationId, 100 + n)
    await append(store, { conversationId, epoch }, started('r', 'hi'), ended('r'))
  }
  const { epoch } = await store.claim('a-long-one', 1)
  const rows = Array.from({ length: 1100 }, () => ended('r'))
  await append(store, { conversationId: 'a-long-one', epoch }, ...rows)
  store.close()
  await behind(name, async (db) => {
    for (const id of ['c1119', 'c1000']) await db.delete('rows', [id, 1])
    await db.delete('records', 'c1060')
  })
  const count = vi.spyOn(IDBObjectStore.prototype, 'count')
  const again = await openIdbStore(name)
  const brokenIn = async (): Promise<string[]> =>
    (await again.list()).records.flatMap((each) =>
      each.broken === undefined ? [] : each.conversationId,
    )
  expect(await brokenIn()).toEqual(['c1119'])
  expect(count.mock.calls.length).toBeLessThanOrEqual(50)
  expect(await brokenIn()).toEqual(['c1119', 'c1060'])
  expect(await brokenIn()).toEqual(['c1119', 'c1000', 'c1060'])
  const counted = count.mock.calls.length
  expect((await again.list({ limit: 2 })).records.map((each) => each.broken)).toEqual([
    'Rows are missing.',
    undefined,
  ])
  expect(count.mock.calls.length).toBe(counted)
  vi.restoreAllMocks()
})

describe('the database of this version', () => {
  it('F27 keeps stored data when a later version upgrades it', async () => {
    const mine = await openIdbStore('upgraded')
    await mine.claim('c', 1)
    mine.close()
    const later = await openDB<Schema>(databaseName('upgraded'), 2, { upgrade })
    expect(await later.getAllKeys('records')).toEqual(['c'])
    later.close()
  })

  it('F27 is created completely after a crash during its creation', async () => {
    const request = indexedDB.open(databaseName('half'), 1)
    const broken = new Promise((resolve) => request.addEventListener('error', resolve))
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore('records', { keyPath: 'conversationId' })
      request.transaction?.abort()
    })
    await broken
    const store = await openIdbStore('half')
    expect((await store.claim('c', 1)).epoch).toBe(1)
    store.close()
    const whole = await openIdbStore('whole')
    const storesOf = async (name: string): Promise<string[]> => {
      const found: string[] = []
      await behind(name, async (db) => void found.push(...db.objectStoreNames))
      return found
    }
    whole.close()
    expect(await storesOf('half')).toEqual(await storesOf('whole'))
  })

  it('has the stores documented in docs/format.md, and an index of child conversations', async () => {
    const paper = await readFile('docs/format.md', 'utf8')
    const table = paper.slice(paper.indexOf('## The database'), paper.indexOf('A **record** is'))
    const named = [...table.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1])
    await (await openIdbStore('stores')).claim('c', 1)
    await behind('stores', async (db) => {
      expect([...db.objectStoreNames]).toEqual(named.toSorted())
      const children = db.transaction('records').store.index('parent')
      expect(children.keyPath).toBe('parent.conversationId')
    })
  })

  it('leaves a foreign database with the same name alone', async () => {
    const other = await openDB('shared', 7, {
      upgrade: (db) => void db.createObjectStore('theirs'),
    })
    await (await openIdbStore('shared')).claim('c', 1)
    expect([...other.objectStoreNames]).toEqual(['theirs'])
    other.close()
  })
})

describe('open calls of an imported history', () => {
  it.each(stores)('are the same in the list and in the folded state: %s', async (_, open) => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    const call = (toolCallId: string, more: object) =>
      ({ type: 'tool-call', toolCallId, toolName: 't', ...more }) as never
    const error = { code: 'malformed', message: 'm' }
    const parts = [call('bad', { error }), call('open', { input: {} }), call('done', { input: {} })]
    const output = { type: 'text', value: '' } as const
    const result = { type: 'tool-result', toolCallId: 'done', toolName: 't', output } as const
    const imports = (parentId: string | null, message: Identified<Message>): Promise<unknown> =>
      append(
        store,
        { epoch },
        { type: 'messages-imported', runId: null, at: 1, parentId, messages: [message] },
      )
    await imports(null, { role: 'assistant', id: 'a', parts })
    await imports('a', { role: 'tool', id: 'b', parts: [result] })
    const state = fold(emptyState('c'), (await rowsOf(store)) as Row[])
    expect(importedCalls(state).map((each) => each.toolCallId)).toEqual(['open'])
    expect((await store.get('c'))?.openCalls).toEqual(['open'])
  })
})
