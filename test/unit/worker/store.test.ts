import 'fake-indexeddb/auto'
import { describe, expect, it } from 'vitest'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { JournalEntry, NewEntry } from '../../../src/protocol/journal.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'

const started = (runId: string, text: string): NewEntry => ({
  type: 'run-started',
  runId,
  at: 5,
  message: { role: 'user', parts: [{ type: 'text', text }] },
  limits: { maxSteps: 10, retries: 3 },
})
const ended = (runId: string): NewEntry => ({
  type: 'run-ended',
  runId,
  at: 6,
  end: { outcome: 'completed' },
})

let names = 0
const stores: Record<string, () => Promise<Store>> = {
  memory: async () => createMemoryStore(),
  IndexedDB: () => openIdbStore(`store-test-${++names}`),
}

const rowsOf = async (store: Store, after?: number): Promise<readonly JournalEntry[]> =>
  (await store.read('c', after)).entries as readonly JournalEntry[]

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return OffstageError.is(error) ? error.code : String(error)
}

describe.each(Object.entries(stores))('the %s store', (_name, open) => {
  it('numbers entries from 1 without gaps, across appends', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await store.append({ conversationId: 'c', epoch, entries: [started('r', 'hi'), ended('r')] })
    await store.append({ conversationId: 'c', epoch, entries: [started('s', 'again')] })
    const entries = await rowsOf(store)
    expect(entries.map((entry) => [entry.seq, entry.type, entry.runId])).toEqual([
      [1, 'run-started', 'r'],
      [2, 'run-ended', 'r'],
      [3, 'run-started', 's'],
    ])
    expect((await rowsOf(store, 2)).map((entry) => entry.seq)).toEqual([3])
  })

  it('refuses the append of an owner that was fenced off, and writes nothing of it', async () => {
    const store = await open()
    const old = await store.claim('c', 1)
    await store.claim('c', 2)
    const late = store.append({
      conversationId: 'c',
      epoch: old.epoch,
      entries: [started('r', 'hi')],
    })
    expect(await codeOf(late)).toBe('ownership-lost')
    expect(await rowsOf(store)).toEqual([])
  })

  it('gives every claim of any conversation the next epoch, deleted ones that come again too', async () => {
    const store = await open()
    const first = await store.claim('c', 1)
    const other = await store.claim('d', 1)
    expect(other.epoch).toBeGreaterThan(first.epoch)
    await store.delete('c')
    const again = await store.claim('c', 2)
    expect(again.epoch).toBeGreaterThan(other.epoch)
    expect(again.storeId).toBe(first.storeId)
    const late = store.append({ conversationId: 'c', epoch: first.epoch, entries: [ended('r')] })
    expect(await codeOf(late)).toBe('ownership-lost')
    expect((await (await open()).claim('c', 1)).storeId).not.toBe(first.storeId)
  })

  it('keeps the open run and a title in the record', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await store.append({ conversationId: 'c', epoch, entries: [started('r', '  Buy\n mugs ')] })
    expect(await store.get('c')).toMatchObject({ openRunId: 'r', title: 'Buy mugs', lastSeq: 1 })
    await store.append({ conversationId: 'c', epoch, entries: [ended('r')] })
    expect(await store.get('c')).toMatchObject({ openRunId: null, updatedAt: 6 })
    expect(await store.rename('c', 'Mugs')).toBe(true)
    expect((await store.get('c'))?.title).toBe('Mugs')
    expect(await store.rename('nobody', 'x')).toBe(false)
  })

  it('lists the newest change first, and deletes a conversation with its journal', async () => {
    const store = await open()
    for (const [id, at] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      const { epoch } = await store.claim(id, at)
      await store.append({ conversationId: id, epoch, entries: [{ ...ended('r'), at }] })
    }
    expect((await store.list()).map((record) => record.conversationId)).toEqual(['b', 'a'])
    expect(await store.delete('b')).toBe(true)
    expect(await store.delete('b')).toBe(false)
    expect(await store.read('b')).toEqual({ record: null, entries: [] })
    expect((await store.list()).map((record) => record.conversationId)).toEqual(['a'])
  })

  it('refuses an append to a conversation that was deleted underneath', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await store.delete('c')
    expect(await codeOf(store.append({ conversationId: 'c', epoch, entries: [ended('r')] }))).toBe(
      'ownership-lost',
    )
  })
})

describe('the IndexedDB store', () => {
  const openRaw = (name: string, version: number) =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, version)
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error ?? new Error('no'))
    })

  it('is refused while another connection blocks it, and durable once that is closed', async () => {
    const old = await openRaw('blocked', 1)
    const states: string[] = []
    const store = await openIdbStore('blocked', ({ mode }) => states.push(mode), 20)
    expect(states).toEqual(['blocked'])
    expect(await codeOf(store.claim('c', 1))).toBe('storage-blocked')
    expect(await codeOf(store.list())).toBe('storage-blocked')
    old.close()
    await expect.poll(() => states).toEqual(['blocked', 'durable'])
    expect((await store.claim('c', 1)).epoch).toBe(1)
  })

  it('is refused while the database is newer, and works once it is not', async () => {
    const states: string[] = []
    const store = await openIdbStore('future', ({ mode }) => states.push(mode))
    await store.claim('c', 1)
    // The page's next version takes over: this one stands aside.
    const newer = await openRaw('future', 99)
    expect(await codeOf(store.claim('c', 2))).toBe('storage-newer')
    expect(states).toEqual(['durable', 'newer'])
    newer.close()
    await new Promise((resolve) => {
      indexedDB.deleteDatabase('future').onsuccess = resolve
    })
    expect((await store.claim('d', 1)).epoch).toBe(1)
    expect(states).toEqual(['durable', 'newer', 'durable'])
  })

  it.each([
    ['QuotaExceededError', 'storage-full'],
    ['UnknownError', 'storage-failed'],
  ])('names why a transaction was aborted: %s', async (name, code) => {
    const store = await openIdbStore(`aborted-${name}`)
    await store.claim('c', 1)
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args) {
      const { transaction } = this
      // As a browser does it: the transaction ends with the reason, its requests say only that it did.
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

  it('reopens a database that was closed underneath', async () => {
    const store = await openIdbStore('closed')
    await store.claim('c', 1)
    store.close()
    expect((await store.get('c'))?.conversationId).toBe('c')
  })
})

describe.each(Object.entries(stores))(
  'the %s store, given what it could not read again',
  (_name, open) => {
    it.each([
      [
        'a part without a text',
        { ...started('r', ''), message: { role: 'user', parts: [{ type: 'text' }] } },
      ],
      [
        'a part of no known type',
        { ...started('r', ''), message: { role: 'user', parts: [{ type: 'image' }] } },
      ],
      ['a reason that is no text', { ...ended('r'), end: { outcome: 'aborted', reason: {} } }],
      ['an entry of no known type', { ...ended('r'), type: 'run-forgotten' }],
    ])('refuses %s, and stores nothing of it', async (_what, entry) => {
      const store = await open()
      const { epoch } = await store.claim('c', 1)
      const append = {
        conversationId: 'c',
        epoch,
        entries: [started('q', 'hi'), entry as NewEntry],
      }
      expect(await codeOf(store.append(append))).toBe('invalid-input')
      expect((await store.read('c')).entries).toEqual([])
      await store.append({ ...append, entries: [started('q', 'hi')] })
      expect((await store.read('c')).entries.length).toBe(1)
    })
  },
)

it('the IndexedDB store names a conversation that lacks rows in the first list', async () => {
  const name = 'gaps'
  const store = await openIdbStore(name)
  for (const id of ['whole', 'holed']) {
    const { epoch } = await store.claim(id, 1)
    await store.append({ conversationId: id, epoch, entries: [started('r', 'hi'), ended('r')] })
  }
  store.close()
  const db = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open(name)
    request.onsuccess = () => resolve(request.result)
  })
  const tx = db.transaction('journal', 'readwrite')
  tx.objectStore('journal').delete(['holed', 1])
  await new Promise((resolve) => (tx.oncomplete = resolve))
  db.close()
  const listed = await (await openIdbStore(name)).list()
  expect(
    listed.map(({ conversationId, broken }) => [conversationId, broken !== undefined]),
  ).toEqual(
    expect.arrayContaining([
      ['whole', false],
      ['holed', true],
    ]),
  )
})
