import 'fake-indexeddb/auto'
import { describe, expect, it } from 'vitest'
import {
  createMemoryStore,
  storeContract,
  type StoreUnderTest,
} from '../../../src/testing/index.ts'
import { OffstageError } from '../../../src/protocol/error.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'
import { newId } from './store-support.ts'

/** A store whose next append is committed without an answer. */
function lossy(store: Store): Store & { loses: boolean } {
  return Object.assign(
    { ...store },
    {
      loses: false,
      async append(this: { loses: boolean }, append: Parameters<Store['append']>[0]) {
        const rows = await store.append(append)
        if (!this.loses) return rows
        this.loses = false
        throw new OffstageError('storage-failed', 'The answer was lost.')
      },
    },
  )
}

const tested: [string, StoreUnderTest][] = [
  [
    'memory',
    {
      open: async () => {
        const store = createMemoryStore()
        return { store: lossy(store), other: store }
      },
      loseNextAnswer: (store) => void Object.assign(store, { loses: true }),
    },
  ],
  [
    'IndexedDB',
    {
      open: async () => {
        const name = newId()
        return { store: lossy(await openIdbStore(name)), other: await openIdbStore(name) }
      },
      loseNextAnswer: (store) => void Object.assign(store, { loses: true }),
    },
  ],
]

describe.each(tested)('the contract of stores, kept by %s', (_name, store) => {
  for (const { name, run } of storeContract(store)) it(name, run)
})

/** Each breaks one rule, and at least one case notices. */
const broken: [string, (store: Store) => Partial<Store>][] = [
  [
    'takes appends of former owners',
    (store) => ({
      append: async (append) =>
        store.append({ ...append, epoch: (await store.get(append.conversationId))?.epoch ?? 0 }),
    }),
  ],
  [
    'writes repeats again',
    (store) => ({
      append: (append) => store.append({ ...append, appendId: newId() }),
    }),
  ],
  [
    'forgets the newest row',
    (store) => ({
      read: async (id, range) => {
        const found = await store.read(id, range)
        return { ...found, rows: found.rows.slice(0, -1) }
      },
    }),
  ],
  [
    'lists the oldest first',
    (store) => ({
      list: async (page) => {
        const listed = await store.list(page)
        return { ...listed, records: listed.records.toReversed() }
      },
    }),
  ],
  [
    'deletes nothing below',
    (store) => ({ descendants: async () => [], delete: async () => true, mark: store.mark }),
  ],
  [
    'gives late titles',
    (store) => ({
      rename: (id, { title, at }) => store.rename(id, { title, at }),
    }),
  ],
]

describe('the contract of stores', () => {
  it.each(broken)('is not kept by a store that %s', async (_what, fault) => {
    const open = async () => {
      const store = createMemoryStore()
      const wrong = { ...store, ...fault(store) }
      return { store: wrong, other: wrong }
    }
    const cases = storeContract({ open }).filter(
      ({ group }) => group !== 'random histories' && group !== 'following',
    )
    const failed: string[] = []
    for (const { name, run } of cases) await run().catch(() => failed.push(name))
    expect(failed).not.toEqual([])
  })
})
